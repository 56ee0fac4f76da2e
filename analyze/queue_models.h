/* Mean waits of queues with one server, from moments. A wait is the time from arrival to
 * the start of service. All times in seconds; NaN where a model has no answer (no steady
 * state at rho >= 1, an input that is unknown). */
#ifndef TOKTRACE_QUEUE_MODELS_H
#define TOKTRACE_QUEUE_MODELS_H

/* How long the server is taken by one customer, an event or a batch: by one that finds
 * it idle from arrival to the end of service, set-up included; by one that finds it busy,
 * for its service. */
struct queue_occupancy {
    double idle_s; /* mean, and mean of squares */
    double idle_2;
    double busy_s;
    double busy_2;
};

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
    double batch_service_2; /* E[S_b^2] of the sum of a batch's services */
    double batch_inner_s;  /* E[sum of the services before an event in its own batch] */
    struct queue_occupancy events;
    struct queue_occupancy batches;
};

/* Fills in what follows batch_2 from what is before it, as if set-ups, services and sizes
 * of batches were independent of each other:
 *   E[S_b^2] = E[X] Var S + E[X^2] E[S]^2,  inner = (E[X^2] - E[X]) / (2 E[X]) E[S] */
void queue_inputs_assume_independent(struct queue_inputs *inputs);

/* Set-up: Welch's M/G/1 whose busy periods begin with another service (Operations
 * Research 12, 1964), here B = V + S of a customer that finds the server idle, beside S
 * of one that finds it busy. With r = lambda E[S], c = 1 - r + lambda E[B]:
 *   E[W] = lambda ((1 - r) E[B^2] + lambda E[B] E[S^2]) / (2 (1 - r) c)
 *          + (1 - r) / c E[V]
 * With V independent of S, and S of one law, that is M/G/1 + (2 E[V] + lambda E[V^2]) /
 * (2 (1 + lambda E[V])), the form of Levy and Kleinrock (1986). A client's loop needs the
 * general one: requests that it sends delay an event that finds it idle in another way
 * than one that waits.
 * M^X/G/1: a batch is one customer, and each event waits for those before it in its batch
 * too (Burke, "Delays in single-server queues with batch input", Operations Research 23,
 * 1975). */
enum queue_model {
    MODEL_MG1,             /* Pollaczek and Khinchine */
    MODEL_MG1_SETUP,
    MODEL_BATCH,           /* batches arrive as a Poisson process, each at once */
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
