/* Events of a queue with one server and known laws, for tests of the analyses: what a
 * worker's log would hold. Times are whole units of 100 ns, as in logs. */
#ifndef TOKTRACE_TEST_QUEUE_SIMULATOR_H
#define TOKTRACE_TEST_QUEUE_SIMULATOR_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/queue_events.h"
#include "formats/base/random.h"

enum simulated_law { SERVICE_EXP, SERVICE_CONSTANT, SERVICE_LOGNORMAL, SERVICE_HYPER };

enum simulated_arrivals {
    ARRIVALS_POISSON,
    ARRIVALS_BATCHES,  /* Poisson batches of geometric size */
    ARRIVALS_BURSTS,   /* Poisson at 1.9 times the rate, then at 0.1 times, and so on */
};

struct simulation {
    enum simulated_law law;
    enum simulated_arrivals arrivals;
    double service_s;
    double squared_cv; /* of lognormal and hyperexponential services */
    double rho;
    double batch;      /* mean size */
    double setup_s;    /* exponential; 0: the loop never sleeps */
    uint64_t seed;
};

static inline double simulated_exponential(struct random_stream *random, double mean)
{
    return -mean * log(random_uniform(random));
}

static inline double simulated_normal(struct random_stream *random)
{
    double radius = sqrt(-2 * log(random_uniform(random)));
    return radius * cos(2 * M_PI * random_uniform(random));
}

/* Share of phase 1 of a hyperexponential law with balanced means. */
static inline double simulated_phase_share(double squared_cv)
{
    return (1 + sqrt((squared_cv - 1) / (squared_cv + 1))) / 2;
}

static inline double simulated_service(const struct simulation *given,
                                       struct random_stream *random)
{
    double mean = given->service_s;
    double share;
    double spread;
    switch (given->law) {
    case SERVICE_EXP:
        return simulated_exponential(random, mean);
    case SERVICE_LOGNORMAL:
        spread = log1p(given->squared_cv);
        return mean * exp(sqrt(spread) * simulated_normal(random) - spread / 2);
    case SERVICE_HYPER:
        share = simulated_phase_share(given->squared_cv);
        if (random_uniform(random) >= share)
            share = 1 - share;
        return simulated_exponential(random, mean / (2 * share));
    default:
        return mean;
    }
}

/* E[S^power] of the law. */
static inline double simulated_moment(const struct simulation *given, int power)
{
    double mean = given->service_s;
    double factorial = power == 3 ? 6 : power;
    double share;
    switch (given->law) {
    case SERVICE_EXP:
        return factorial * pow(mean, power);
    case SERVICE_LOGNORMAL:
        return pow(mean, power) *
               pow(1 + given->squared_cv, power * (power - 1) / 2.0);
    case SERVICE_HYPER:
        share = simulated_phase_share(given->squared_cv);
        return factorial * (share * pow(mean / (2 * share), power) +
                            (1 - share) * pow(mean / (2 * (1 - share)), power));
    default:
        return pow(mean, power);
    }
}

static inline int64_t simulated_ns(double seconds)
{
    return llround(seconds * 1e7) * 100;
}

/* State of the arrival process. */
struct simulated_clock {
    double now_s;
    double phase_ends_s;
    int slow;      /* of bursts: the phase */
    size_t left;   /* of the batch */
};

static inline double simulated_arrival(const struct simulation *given,
                                       struct simulated_clock *clock,
                                       struct random_stream *random)
{
    double gap_s = given->service_s / given->rho;
    if (given->arrivals == ARRIVALS_BATCHES) {
        if (clock->left-- > 0)
            return clock->now_s;
        clock->left = 0;
        while (random_uniform(random) > 1 / given->batch)
            clock->left++;
        return clock->now_s += simulated_exponential(random, gap_s * given->batch);
    }
    if (given->arrivals == ARRIVALS_POISSON)
        return clock->now_s += simulated_exponential(random, gap_s);
    for (;;) {
        double rate = (clock->slow ? 0.1 : 1.9) / gap_s;
        double next_s = clock->now_s + simulated_exponential(random, 1 / rate);
        if (next_s <= clock->phase_ends_s)
            return clock->now_s = next_s;
        clock->now_s = clock->phase_ends_s;
        clock->phase_ends_s += simulated_exponential(random, 50 * gap_s);
        clock->slow = !clock->slow;
    }
}

/* Fills `count` events, in the order in which they arrive and are served. */
static inline void simulate_queue(const struct simulation *given,
                                  struct queue_event *events, size_t count)
{
    struct random_stream random;
    struct simulated_clock clock = { 0 };
    int64_t before_ns = INT64_MIN;
    random_stream_init(&random, given->seed, 1, 0);
    for (size_t i = 0; i < count; i++) {
        int64_t arrival_ns = simulated_ns(simulated_arrival(given, &clock, &random));
        int64_t start_ns = arrival_ns > before_ns ? arrival_ns : before_ns;
        int64_t service_ns = simulated_ns(simulated_service(given, &random));
        int64_t setup_ns = 0;
        if (given->setup_s > 0 && arrival_ns >= before_ns)
            setup_ns = simulated_ns(simulated_exponential(&random, given->setup_s));
        before_ns = start_ns + setup_ns + service_ns;
        events[i] = (struct queue_event){
            .arrival_ns = arrival_ns,
            .app_ns = before_ns,
            .row = (uint32_t)i,
            .wake = given->setup_s > 0 && start_ns == arrival_ns ? (uint32_t)service_ns
                                                                 : QUEUE_AWAKE,
        };
    }
}

#endif
