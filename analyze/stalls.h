/* Where a run stood still: the longest silences of answers, and the longest iterations of
 * the client's loops, over equal spans of time. */
#ifndef TOKTRACE_STALLS_H
#define TOKTRACE_STALLS_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/fault.h"

/* One span of time. */
struct stall_bin {
    /* The longest time without a token within an answer that ends here, by arrival: from
     * one token to the next, or, where the answer failed, to its end. 0: none. */
    int64_t silence_from_ns;
    int64_t silence_ns;
    /* The longest iteration of a loop, of any worker, in the records of loops that lie
     * over this span: about a second each. 0: none is known. */
    int64_t iteration_ns;
};

/* Reads the run at `path` and fills `count` bins of equal width over [from_ns, to_ns]. */
int stalls_read(struct stall_bin *bins, size_t count, int64_t from_ns, int64_t to_ns,
                const char *path, struct fault *fault);

#endif
