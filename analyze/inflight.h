/* Requests in flight: from the moment each was sent to its end. */
#ifndef TOKTRACE_INFLIGHT_H
#define TOKTRACE_INFLIGHT_H

#include <stddef.h>
#include <stdint.h>

struct inflight {
    uint64_t max;
    /* over the time from the first send to the last end; NaN when that is no time */
    double mean;
};

/* Sorts both arrays of `count` moments in place; from_ns[i] and to_ns[i] need not belong
 * together afterwards. A request that ends as another is sent is not in flight with
 * it. */
struct inflight inflight_sweep(int64_t *from_ns, int64_t *to_ns, size_t count);

#endif
