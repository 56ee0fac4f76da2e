#include "analyze/occupancy.h"

void occupancy_add(struct occupancy_sums *sums, bool found_idle, double setup_s,
                   double service_s)
{
    double idle_s = setup_s + service_s;
    sums->service_s += service_s;
    sums->service_2 += service_s * service_s;
    if (found_idle) {
        sums->idle += 1;
        sums->idle_s += idle_s;
        sums->idle_2 += idle_s * idle_s;
    } else {
        sums->busy += 1;
        sums->busy_s += service_s;
        sums->busy_2 += service_s * service_s;
    }
}

struct queue_occupancy occupancy_of(const struct occupancy_sums *sums)
{
    bool met_busy = sums->busy > 0;
    double busy = met_busy ? sums->busy : sums->idle;
    return (struct queue_occupancy){
        .idle_s = sums->idle_s / sums->idle,
        .idle_2 = sums->idle_2 / sums->idle,
        .busy_s = (met_busy ? sums->busy_s : sums->service_s) / busy,
        .busy_2 = (met_busy ? sums->busy_2 : sums->service_2) / busy,
    };
}
