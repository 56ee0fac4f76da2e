#include "analyze/queue_lattice.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "formats/base/memory.h"

/* Sum of mass[j] sum[k - j] for j in 1..last, in four partial sums: a single one would
 * wait for each addition to end. */
static double convolve(const double *mass, const double *sum, size_t k, size_t last)
{
    double parts[4] = { 0 };
    size_t j = 1;
    for (; j + 3 <= last; j += 4)
        for (size_t part = 0; part < 4; part++)
            parts[part] += mass[j + part] * sum[k - j - part];
    for (; j <= last; j++)
        parts[0] += mass[j] * sum[k - j];
    return parts[0] + parts[1] + parts[2] + parts[3];
}

/* Panjer's recursion for a geometric number of terms: mass[k] of one term at k steps, the
 * sum's distribution function into cdf[0..count). */
static void compound(double rho, const double *mass, size_t count, double *cdf)
{
    double *sum = memory_new(count, sizeof *sum);
    double scale = 1 / (1 - rho * mass[0]);
    double total = 0;
    size_t longest = count - 1;
    while (longest > 0 && mass[longest] == 0)
        longest--;
    for (size_t k = 0; k < count; k++) {
        double at = k == 0 ? 1 - rho : 0;
        at += rho * convolve(mass, sum, k, k < longest ? k : longest);
        sum[k] = at * scale;
        total += sum[k];
        cdf[k] = total;
    }
    free(sum);
}

void queue_lattice_fill(struct queue_lattice *lattice, double rho, double step_s,
                        const double *residual, size_t count)
{
    assert(rho > 0 && rho < 1 && step_s > 0 && count <= QUEUE_LATTICE_MAX);
    double *mass = memory_new(count + 1, sizeof *mass);
    *lattice = (struct queue_lattice){
        .step_s = step_s,
        .count = count,
        .low = memory_new(count + 1, sizeof(double)),
        .high = memory_new(count + 1, sizeof(double)),
    };
    for (size_t k = 0; k < count; k++)
        mass[k] = residual[k + 1] - residual[k];
    compound(rho, mass, count, lattice->high);
    for (size_t k = count; k > 0; k--)
        mass[k] = mass[k - 1];
    mass[0] = 0;
    compound(rho, mass, count, lattice->low);
    free(mass);
}

void queue_lattice_release(struct queue_lattice *lattice)
{
    free(lattice->low);
    free(lattice->high);
    *lattice = (struct queue_lattice){ 0 };
}

/* The first lattice point at which cdf reaches p, in seconds. */
static double first_reach(const struct queue_lattice *lattice, const double *cdf,
                          double p)
{
    size_t below = 0;
    size_t above = lattice->count;
    while (below < above) {
        size_t middle = below + (above - below) / 2;
        if (cdf[middle] < p)
            below = middle + 1;
        else
            above = middle;
    }
    return below < lattice->count ? (double)below * lattice->step_s : NAN;
}

struct bracket queue_lattice_quantile(const struct queue_lattice *lattice, double p)
{
    return (struct bracket){
        .low = first_reach(lattice, lattice->high, p),
        .high = first_reach(lattice, lattice->low, p),
    };
}

double queue_lattice_cdf(const struct queue_lattice *lattice, size_t k)
{
    assert(k < lattice->count);
    return (lattice->low[k] + lattice->high[k]) / 2;
}
