/* Corrects the lengths of prompts made of words: how many tokens they are, only the
 * server knows. */
#ifndef TOKTRACE_CALIBRATE_H
#define TOKTRACE_CALIBRATE_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/fault.h"
#include "replay/plan.h"
#include "replay/request_body.h"
#include "replay/target.h"

enum { CALIBRATE_SAMPLES = 8, CALIBRATE_ROUNDS = 4 };

/* The error that is good enough: mean of |tokens - planned| / planned over the samples.
 */
#define CALIBRATE_GOAL 0.01

/* A sample: words that were sent, and tokens that the server counted. */
struct calibration_point {
    double words;
    double tokens;
};

/* Least squares of tokens = overhead + words / words_per_token, overhead >= 0; through
 * the origin where the words do not vary. Changes nothing without a positive slope. */
void calibrate_fit(const struct calibration_point *points, size_t count,
                   struct body_options *body);

/* Asks the server about up to CALIBRATE_SAMPLES prompts of the plan, from its shortest to
 * its longest, with one output token each, and fits `body` until the error is below
 * CALIBRATE_GOAL or CALIBRATE_ROUNDS are over; *error is the last. */
int calibrate(const struct target *target, const struct plan *plan, int64_t timeout_ns,
              struct body_options *body, double *error, struct fault *fault);

#endif
