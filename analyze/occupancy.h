/* How long customers, events or batches, take a server: moments from what was served. */
#ifndef TOKTRACE_OCCUPANCY_H
#define TOKTRACE_OCCUPANCY_H

#include <stdbool.h>

#include "analyze/queue_models.h"

/* Start from {0}. */
struct occupancy_sums {
    double idle; /* customers that found the server idle */
    double idle_s;
    double idle_2;
    double busy; /* the others */
    double busy_s;
    double busy_2;
    double service_s; /* of all */
    double service_2;
};

/* Set-up counts where the customer found the server idle. */
void occupancy_add(struct occupancy_sums *sums, bool found_idle, double setup_s,
                   double service_s);

/* Moments of a customer that finds the server idle are NaN where none did. Where none
 * found it busy, such a one counts as served like all others. */
struct queue_occupancy occupancy_of(const struct occupancy_sums *sums);

#endif
