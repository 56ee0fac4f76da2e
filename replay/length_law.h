/* Laws of prompt and answer lengths. */
#ifndef TOKTRACE_LENGTH_LAW_H
#define TOKTRACE_LENGTH_LAW_H

#include <stdint.h>

#include "formats/base/fault.h"
#include "formats/requests.h"
#include "replay/plan_streams.h"

enum length_kind {
    LENGTH_CONSTANT,
    LENGTH_UNIFORM,   /* whole numbers from a to b, both included */
    LENGTH_NORMAL,    /* mean a, standard deviation b; rounded; below 1 drawn again */
    LENGTH_LOGNORMAL, /* mean a, standard deviation b, not those of the logarithm */
    LENGTH_FILE,      /* those of a random row of a trace */
};

struct length_law {
    enum length_kind kind;
    double a;
    double b;
    struct request_trace file;
};

/* "128", "uniform:1,100", "normal:200,50", "lognormal:500,800", or the name of a
 * request trace, which is read. `option` names the option in faults: STATUS_USAGE, or
 * what reading met. length_law_release in any case. */
int length_law_parse(struct length_law *law, const char *option, const char *text,
                     struct fault *fault);
void length_law_release(struct length_law *law);

/* Length `index` of the law, from 1 to REQUEST_TOKENS_MAX; a function of seed, purpose
 * and index. STREAM_INPUT gives input lengths of a file, STREAM_OUTPUT output lengths. */
uint32_t length_law_draw(const struct length_law *law, enum plan_stream purpose,
                         uint64_t seed, uint64_t index);

/* The row of the file that draw `index` takes. LENGTH_FILE only. */
const struct request_row *length_law_row(const struct length_law *law, uint64_t seed,
                                         uint64_t index);

#endif
