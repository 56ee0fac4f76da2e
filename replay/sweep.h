/* Which stage of a latency profile comes next: rising rates until the server saturates,
 * then bisection around the knee. Pure; knows no server and no clock. */
#ifndef TOKTRACE_SWEEP_H
#define TOKTRACE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/profile_manifest.h"

enum sweep_kind { SWEEP_LINEAR, SWEEP_GEOMETRIC };

struct sweep {
    enum sweep_kind kind;
    double from_per_s; /* 0 < from <= to */
    double to_per_s;
    uint32_t stages;      /* >= 1 */
    uint32_t refine;      /* bisections around the knee */
    uint32_t repetitions; /* of each rate, >= 1 */
    bool stop_at_saturation;
};

/* The rate of stage `stage`, from 0. */
double sweep_rate(const struct sweep *sweep, uint32_t stage);

/* Of the finished sweep and refine stages so far (ladder stages are passed over): the
 * purpose, rate and repetition of the next, or false when the sweep is over. It stops
 * rising after two saturated rates in a row, so that the knee has evidence on both sides,
 * and at once where the client or the server failed. */
bool sweep_next(const struct sweep *sweep, const struct profile_stage *stages,
                size_t count, struct profile_stage *next);

/* The closed-loop ladder: 1, 2, 4, ... requests open. Of the throughputs (completed per
 * second) so far: true while the last step raised it by more than LADDER_GAIN. */
#define LADDER_GAIN 1.05
enum { LADDER_STEPS_MAX = 11 };
bool ladder_goes_on(const double *throughput_per_s, size_t count);

#endif
