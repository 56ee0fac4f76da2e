#include "analyze/queue_waits.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/lindley.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"

enum { BATCH = 4096, LATTICE_STEPS = 1 << 13 };

/* The lattice reaches so many times the mean wait of those who wait: for an exponential
 * tail, all but 1 in 20,000 of them. */
#define LATTICE_REACH 10.0

const double wait_percentiles[WAIT_PERCENTILES] = { 0.5, 0.9, 0.99 };
const char *const wait_percentile_names[WAIT_PERCENTILES] = { "p50", "p90", "p99" };

#define UNKNOWN { NAN, { false, NAN, NAN } }
const struct wait_figures wait_figures_unknown = {
    .mean = UNKNOWN,
    .percentiles = { UNKNOWN, UNKNOWN, UNKNOWN },
};

struct wait_figures wait_figures_of(const struct histogram *waits)
{
    struct wait_figures figures = wait_figures_unknown;
    if (waits->moments.count == 0)
        return figures;
    figures.mean.value = waits->moments.mean / NS_PER_S;
    for (size_t i = 0; i < WAIT_PERCENTILES; i++)
        figures.percentiles[i].value =
            histogram_quantile(waits, wait_percentiles[i]) / NS_PER_S;
    return figures;
}

static void add_waits(const struct queue_event *events, size_t count,
                      struct histogram *waits)
{
    int64_t batch_ns[BATCH];
    for (size_t i = 0; i < count;) {
        size_t filled = 0;
        for (; filled < BATCH && i < count; i++)
            batch_ns[filled++] = queue_wait_ns(&events[i]);
        histogram_add(waits, batch_ns, filled);
    }
}

/* No wait is below 0, unless clocks disagree. */
static struct interval interval_of_waits(double value, const double *parts, size_t count)
{
    struct interval interval = block_interval_of_parts(value, parts, count);
    if (value >= 0)
        interval.low = fmax(0, interval.low);
    return interval;
}

struct wait_figures wait_figures_observed(const struct queue_event *events, size_t count,
                                          struct histogram *waits)
{
    double parts[1 + WAIT_PERCENTILES][BLOCK_COUNT];
    size_t blocks = count < BLOCK_COUNT ? count : BLOCK_COUNT;
    struct histogram all = { 0 };
    for (size_t block = 0; block < blocks; block++) {
        struct histogram part = { 0 };
        size_t first = block * count / blocks;
        size_t end = (block + 1) * count / blocks;
        add_waits(events + first, end - first, &part);
        struct wait_figures of_part = wait_figures_of(&part);
        parts[WAIT_PERCENTILES][block] = of_part.mean.value;
        for (size_t i = 0; i < WAIT_PERCENTILES; i++)
            parts[i][block] = of_part.percentiles[i].value;
        histogram_merge(&all, &part);
        histogram_release(&part);
    }
    struct wait_figures figures = wait_figures_of(&all);
    figures.mean.interval =
        interval_of_waits(figures.mean.value, parts[WAIT_PERCENTILES], blocks);
    for (size_t i = 0; i < WAIT_PERCENTILES; i++)
        figures.percentiles[i].interval =
            interval_of_waits(figures.percentiles[i].value, parts[i], blocks);
    histogram_merge(waits, &all);
    histogram_release(&all);
    return figures;
}

double wait_mean_without_setup(const struct queue_event *events, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (!queue_found_idle(&events[i]))
            sum += (double)(queue_wait_ns(&events[i]) - queue_setup_ns(&events[i]));
    return sum / (double)count / NS_PER_S;
}

/* P(residual service <= k steps) for k in 0..LATTICE_STEPS: the mean of min(S, y) over
 * the mean of S, exact at the lattice points. */
static void residual_of_events(const struct queue_event *events, size_t count,
                               double step_s, double *residual)
{
    double *inside = memory_new(LATTICE_STEPS, 2 * sizeof *inside);
    double *sums = inside + LATTICE_STEPS;
    double beyond = 0;
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        if (events[i].service_ns <= 0)
            continue;
        double service_s = (double)events[i].service_ns / NS_PER_S;
        double cell = service_s / step_s;
        total += service_s;
        beyond += 1;
        if (cell < LATTICE_STEPS) {
            inside[(size_t)cell] += 1;
            sums[(size_t)cell] += service_s;
        }
    }
    double shorter = 0;
    residual[0] = 0;
    for (size_t k = 0; k < LATTICE_STEPS; k++) {
        shorter += sums[k];
        beyond -= inside[k];
        residual[k + 1] = fmin(1, (shorter + beyond * (double)(k + 1) * step_s) / total);
    }
    free(inside);
}

static void residual_of_constant(double service_s, double step_s, double *residual)
{
    for (size_t k = 0; k <= LATTICE_STEPS; k++)
        residual[k] = fmin(1, (double)k * step_s / service_s);
}

static void fill_mg1(struct queue_model_set *set, const struct queue_event *events,
                     size_t count)
{
    double rho = set->predictions.rho;
    for (size_t i = 0; i < WAIT_PERCENTILES; i++)
        set->mg1[i] = (struct bracket){ NAN, NAN };
    if (!(rho > 0 && rho < 1))
        return;
    double waiting_s = set->predictions.mean_s[MODEL_MG1] / rho;
    double step_s = waiting_s * LATTICE_REACH / LATTICE_STEPS;
    double *residual = memory_new(LATTICE_STEPS + 1, sizeof *residual);
    if (set->service_ns == LINDLEY_RECORDED)
        residual_of_events(events, count, step_s, residual);
    else
        residual_of_constant(set->inputs.service_s, step_s, residual);
    struct queue_lattice lattice = { 0 };
    queue_lattice_fill(&lattice, rho, step_s, residual, LATTICE_STEPS);
    for (size_t i = 0; i < WAIT_PERCENTILES; i++)
        set->mg1[i] = queue_lattice_quantile(&lattice, wait_percentiles[i]);
    queue_lattice_release(&lattice);
    free(residual);
}

static struct wait_figures run_lindley(int64_t service_ns, const struct setup_law *setups,
                                       const struct queue_event *events, size_t count)
{
    struct lindley lindley = { .service_ns = service_ns, .setup = setups, .workers = 1 };
    struct histogram waits = { 0 };
    lindley_waits(&lindley, events, count, &waits);
    struct wait_figures figures = wait_figures_of(&waits);
    histogram_release(&waits);
    return figures;
}

void queue_model_set_replay(struct queue_model_set *set, int64_t service_ns,
                            const struct setup_law *setups,
                            const struct queue_event *events, size_t count)
{
    set->service_ns = service_ns;
    set->lindley = run_lindley(service_ns, NULL, events, count);
    set->lindley_setup = wait_figures_unknown;
    if (setups->count > 0)
        set->lindley_setup = run_lindley(service_ns, setups, events, count);
}

void queue_model_set_predict(struct queue_model_set *set,
                             const struct queue_estimates *estimates,
                             double gap_squared_cv, const struct queue_event *events,
                             size_t count)
{
    set->inputs = queue_inputs_from(estimates, gap_squared_cv, set->service_ns);
    set->predictions = queue_predict(&set->inputs);
    fill_mg1(set, events, count);
}
