#include "replay/client_cost.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/base/clock.h"
#include "formats/base/draw.h"
#include "formats/base/memory.h"
#include "formats/base/units.h"

enum { COST_MEAN_MAX_NS = NS_PER_S, COST_CV_MAX = 10 };

static int parse_law(struct client_cost *cost, const char *law, struct fault *fault)
{
    static const char lognormal[] = "lognormal:";
    enum { LOGNORMAL_LEN = sizeof lognormal - 1 };
    if (*law == '\0') {
        cost->law = COST_CONSTANT;
        return STATUS_OK;
    }
    if (strcmp(law, ":exp") == 0) {
        cost->law = COST_EXPONENTIAL;
        return STATUS_OK;
    }
    cost->law = COST_LOGNORMAL;
    if (strncmp(law + 1, lognormal, LOGNORMAL_LEN) == 0) {
        int status = units_parse_float(law + 1 + LOGNORMAL_LEN, &cost->cv, fault);
        if (status != STATUS_OK || (cost->cv >= 0 && cost->cv <= COST_CV_MAX))
            return status;
    }
    return fault_set(
        fault, STATUS_USAGE,
        "'%s': expected TIME, TIME:exp or TIME:lognormal:CV with a CV from 0 to %d",
        law + 1, COST_CV_MAX);
}

int client_cost_parse(struct client_cost *cost, const char *text, struct fault *fault)
{
    size_t len = strcspn(text, ":");
    char *mean = memory_copy_text(text, len);
    int status = units_parse_duration(mean, &cost->mean_ns, fault);
    free(mean);
    if (status != STATUS_OK)
        return status;
    if (cost->mean_ns < 0 || cost->mean_ns > COST_MEAN_MAX_NS)
        return fault_set(fault, STATUS_USAGE, "'%s': expected a cost from 0 to 1s", text);
    return parse_law(cost, text + len, fault);
}

int64_t client_cost_at(const struct client_cost *cost, uint64_t event)
{
    if (cost->law == COST_CONSTANT)
        return cost->mean_ns;
    struct draw draw = draw_at(cost->seed, cost->stream, event);
    double factor = cost->law == COST_EXPONENTIAL ? draw_exponential(draw)
                                                  : draw_lognormal(draw, cost->cv);
    return (int64_t)((double)cost->mean_ns * factor);
}

static int64_t thread_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

void client_cost_spend(struct client_cost *cost)
{
    int64_t until_ns = thread_cpu_ns() + client_cost_at(cost, cost->spent++);
    while (thread_cpu_ns() < until_ns)
        continue;
}
