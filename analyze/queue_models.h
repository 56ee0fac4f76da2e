/* Mean waits of queues with one server, from moments. A wait is the time from arrival to
 * the start of service. All times in seconds; NaN where a model has no answer (no steady
 * state at rho >= 1, an input that is unknown). */
#ifndef TOKTRACE_QUEUE_MODELS_H
#define TOKTRACE_QUEUE_MODELS_H

struct queue_inputs {
    double rate_per_s;     /* lambda: events */
    double service_s;      /* E[S] */
    double service_2;      /* E[S^2] */
    double service_3;      /* E[S^3] */
    double gap_squared_cv; /* of the gaps between arrivals */
    double setup_s;        /* E[V], paid by the first of each busy period; NaN: unknown */
    double setup_2;        /* E[V^2] */
    double batch;          /* E[X], events that arrive together */
    double batch_2;        /* E[X^2] */
};

enum queue_model {
    MODEL_MG1,             /* Pollaczek and Khinchine */
    MODEL_MG1_SETUP,       /* Welch 1964; Levy and Kleinrock 1986 */
    MODEL_BATCH,           /* M^X/G/1: batches arrive as a Poisson process */
    MODEL_BATCH_SETUP,
    MODEL_KINGMAN,         /* G/G/1, an upper bound: Kingman 1962 */
    MODEL_KLB,             /* G/G/1, approximation: Kraemer and Langenbach-Belz 1976 */
    QUEUE_MODELS,
};

struct queue_predictions {
    double rho;               /* lambda E[S] */
    double mean_s[QUEUE_MODELS];
    double mg1_2;             /* E[W^2] of M/G/1 */
};

struct queue_predictions queue_predict(const struct queue_inputs *inputs);

/* "mg1", ...: keys of JSON; and names for people. */
extern const char *const queue_model_keys[QUEUE_MODELS];
extern const char *const queue_model_names[QUEUE_MODELS];

#endif
