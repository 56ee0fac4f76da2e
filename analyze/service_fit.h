/* Which law the service times follow, how well, and what the models assume of them
 * besides: that they depend neither on each other nor on the backlog, and that their
 * moments exist. */
#ifndef TOKTRACE_SERVICE_FIT_H
#define TOKTRACE_SERVICE_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/queue_events.h"
#include "analyze/service_laws.h"

struct service_fit {
    size_t services;     /* above 0; those of 0 came out of the read of the one before */
    double zero_share;
    size_t fitted;       /* of these, evenly chosen, the laws were fitted to */
    struct service_law laws[SERVICE_LAWS];
    double aic[SERVICE_LAWS];
    enum service_law_kind best; /* the lowest AIC; valid when fitted > 0 */
    double distance;     /* of the best law: largest |F_n(x) - F(x)| */
    size_t gof_sample;   /* values that the goodness of fit looked at */
    double gof_p_value;  /* of the best law, by parametric bootstrap of A^2 */
    double tail_index;   /* Hill: P(S > x) falls as x^-index; below 2 no E[S^2] exists */
    double tail_index_error; /* standard error */
    double lag1;         /* correlation of successive services */
    double backlog_correlation; /* of a service with the wait before it */
    double idle_mean_s;  /* of those that found the loop idle, and that had to wait */
    double waited_mean_s;
};

/* Served events in the order of service. Numbers that so few cannot give are NaN. */
void service_fit_run(struct service_fit *fit, const struct queue_event *events,
                     size_t count);

#endif
