#include "analyze/queue_estimates.h"

#include <math.h>

#include "analyze/chi_square.h"
#include "analyze/occupancy.h"
#include "formats/base/clock.h"

struct estimate queue_rate(size_t count, double span_s)
{
    double miss = (1 - INTERVAL_CONFIDENCE) / 2;
    double n = (double)count;
    double low = count == 0 ? 0 : chi_square_quantile(miss, 2 * n) / 2;
    double high = chi_square_quantile(1 - miss, 2 * n + 2) / 2;
    return (struct estimate){
        .value = n / span_s,
        .interval = { .known = true, .low = low / span_s, .high = high / span_s },
    };
}

/* Sums over blocks of the powers of services, and of the set-ups of idle starts. */
struct sums {
    struct block_sums service[3];
    struct block_sums setup[2];
    struct occupancy_sums occupancy;
    size_t idle;
};

static void add_event(struct sums *sums, const struct queue_event *event, unsigned block)
{
    double service_s = (double)event->service_ns / NS_PER_S;
    if (event->service_ns >= 0) {
        block_add(&sums->service[0], block, service_s);
        block_add(&sums->service[1], block, service_s * service_s);
        block_add(&sums->service[2], block, service_s * service_s * service_s);
    }
    double setup_s = (double)queue_setup_ns(event) / NS_PER_S;
    bool idle = queue_found_idle(event);
    occupancy_add(&sums->occupancy, idle, setup_s,
                  (double)queue_service_ns(event) / NS_PER_S);
    if (idle) {
        block_add(&sums->setup[0], block, setup_s);
        block_add(&sums->setup[1], block, setup_s * setup_s);
        sums->idle++;
    }
}

/* The interval of a product of two independent estimates, from their relative errors. */
static struct estimate product(const struct estimate *left, const struct estimate *right)
{
    struct estimate out = { .value = left->value * right->value,
                            .interval = interval_unknown };
    if (!left->interval.known || !right->interval.known || !(out.value > 0))
        return out;
    double of_left = (left->interval.high - left->interval.low) / left->value;
    double of_right = (right->interval.high - right->interval.low) / right->value;
    double half = out.value * hypot(of_left, of_right) / 2;
    out.interval = (struct interval){ .known = true, .low = fmax(0, out.value - half),
                                      .high = out.value + half };
    return out;
}

#define UNKNOWN { NAN, { false, NAN, NAN } }
const struct queue_estimates queue_estimates_unknown = {
    .rate_per_s = UNKNOWN,
    .service = { UNKNOWN, UNKNOWN, UNKNOWN },
    .service_squared_cv = UNKNOWN,
    .rho = UNKNOWN,
    .setup = UNKNOWN,
    .setup_2 = UNKNOWN,
    .idle_share = NAN,
};

void queue_estimate_services(struct queue_estimates *estimates,
                             const struct queue_event *events, size_t count, bool wakes)
{
    struct sums sums = { 0 };
    for (size_t i = 0; i < count; i++)
        add_event(&sums, &events[i], block_of(i, count));
    for (unsigned power = 0; power < 3; power++)
        estimates->service[power] = block_ratio(&sums.service[power]);
    estimates->service_squared_cv = block_squared_cv(&sums.service[0], &sums.service[1]);
    estimates->idle_share = (double)sums.idle / (double)count;
    estimates->occupancy = occupancy_of(&sums.occupancy);
    if (wakes) {
        estimates->setup = block_ratio(&sums.setup[0]);
        estimates->setup_2 = block_ratio(&sums.setup[1]);
    }
}

void queue_estimate_arrivals(struct queue_estimates *estimates,
                             const struct queue_event *events, size_t count,
                             int64_t batch_gap_ns)
{
    int64_t span_ns = events[count - 1].arrival_ns - events[0].arrival_ns;
    estimates->span_s = (double)span_ns / NS_PER_S;
    estimates->rate_per_s = queue_rate(count - 1, estimates->span_s);
    estimates->rho = product(&estimates->rate_per_s, &estimates->service[0]);
    queue_batches_split(&estimates->batches, events, count, batch_gap_ns);
}

struct queue_inputs queue_inputs_from(const struct queue_estimates *estimates,
                                      double gap_squared_cv, int64_t service_ns)
{
    struct queue_inputs inputs = {
        .rate_per_s = estimates->rate_per_s.value,
        .service_s = estimates->service[0].value,
        .service_2 = estimates->service[1].value,
        .service_3 = estimates->service[2].value,
        .gap_squared_cv = gap_squared_cv,
        .setup_s = estimates->setup.value,
        .setup_2 = estimates->setup_2.value,
        .batch = estimates->batches.size.value,
        .batch_2 = estimates->batches.size_2.value,
        .batch_service_2 = estimates->batches.service_2,
        .batch_inner_s = estimates->batches.inner_s,
        .events = estimates->occupancy,
        .batches = estimates->batches.occupancy,
    };
    if (service_ns >= 0) {
        double service_s = (double)service_ns / NS_PER_S;
        inputs.service_s = service_s;
        inputs.service_2 = service_s * service_s;
        inputs.service_3 = service_s * service_s * service_s;
        queue_inputs_assume_independent(&inputs);
    }
    return inputs;
}
