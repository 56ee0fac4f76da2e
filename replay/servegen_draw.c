#include <math.h>
#include <stdlib.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/requests.h"
#include "replay/plan_streams.h"
#include "replay/random_laws.h"
#include "replay/servegen.h"

/* Mean gaps that a client has run before the start, so that the start is no arrival. */
enum { WARM_GAPS = 1000 };

struct population_draw {
    const struct servegen *servegen;
    double start_s;
    double end_s;
    double factor;
    uint64_t seed;
    struct servegen_arrival *arrivals;
    size_t count;
    size_t capacity;
};

static double draw_gap(struct random_stream *stream, const struct servegen_window *window)
{
    return window->law == SERVEGEN_GAMMA ? random_gamma_mean_1(stream, window->shape)
                                         : random_weibull_mean_1(stream, window->shape);
}

/* What is left of the gap that the start falls into, in mean gaps. */
static double first_gap(struct random_stream *stream,
                        const struct servegen_window *window)
{
    double run = 0;
    while (run <= WARM_GAPS)
        run += draw_gap(stream, window);
    return run - WARM_GAPS;
}

static int add_arrival(struct population_draw *draw, double time_s, uint32_t client,
                       uint32_t *number, struct fault *fault)
{
    int64_t time_ns = (int64_t)llround((time_s - draw->start_s) * NS_PER_S);
    if (draw->count == REQUEST_ROWS_MAX)
        return fault_set(fault, STATUS_LIMIT, "--arrivals: more than %d requests",
                         REQUEST_ROWS_MAX);
    draw->arrivals = memory_grow(draw->arrivals, draw->count, &draw->capacity,
                                 sizeof *draw->arrivals);
    draw->arrivals[draw->count++] = (struct servegen_arrival){ time_ns, client,
                                                              (*number)++ };
    return STATUS_OK;
}

static int draw_client(struct population_draw *draw, uint32_t index, struct fault *fault)
{
    const struct servegen_client *client = &draw->servegen->clients[index];
    struct random_stream stream;
    uint32_t number = 0;
    double gap = -1; /* mean gaps until the next arrival; none is under way yet */
    random_stream_init(&stream, draw->seed, STREAM_CLIENT, client->number);
    for (size_t i = 0; i < client->window_count; i++) {
        const struct servegen_window *window = &client->windows[i];
        double end_s = fmin(servegen_window_end(client, i), draw->end_s);
        double at_s = fmax(window->start_s, draw->start_s);
        double rate_per_s = window->rate_per_s * draw->factor;
        if (window->law == SERVEGEN_IDLE || at_s >= end_s)
            continue;
        if (gap < 0)
            gap = first_gap(&stream, window);
        for (; at_s + gap / rate_per_s < end_s; gap = draw_gap(&stream, window)) {
            at_s += gap / rate_per_s;
            int rc = add_arrival(draw, at_s, index, &number, fault);
            if (rc < 0)
                return rc;
        }
        gap -= (end_s - at_s) * rate_per_s;
    }
    return STATUS_OK;
}

static int compare_arrivals(const void *left, const void *right)
{
    const struct servegen_arrival *a = left;
    const struct servegen_arrival *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    if (a->client != b->client)
        return a->client < b->client ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

int servegen_draw(const struct servegen *servegen, int64_t start_ns, int64_t duration_ns,
                  double factor, uint64_t seed, struct servegen_arrival **arrivals,
                  size_t *count, struct fault *fault)
{
    struct population_draw draw = {
        .servegen = servegen,
        .start_s = (double)start_ns / NS_PER_S,
        .end_s = (double)(start_ns + duration_ns) / NS_PER_S,
        .factor = factor,
        .seed = seed,
    };
    int rc = STATUS_OK;
    for (uint32_t i = 0; i < servegen->count && rc == STATUS_OK; i++)
        rc = draw_client(&draw, i, fault);
    if (draw.count > 0)
        qsort(draw.arrivals, draw.count, sizeof *draw.arrivals, compare_arrivals);
    *arrivals = draw.arrivals;
    *count = draw.count;
    return rc;
}

static uint32_t draw_length(const struct servegen_histogram *histogram, uint64_t seed,
                            enum plan_stream purpose, uint64_t index)
{
    struct random_stream stream;
    random_stream_init(&stream, seed, purpose, index);
    double wanted = random_uniform(&stream) * histogram->cumulated[histogram->count - 1];
    size_t low = 0;
    size_t high = histogram->count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (histogram->cumulated[middle] > wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return histogram->lengths[low];
}

/* The client itself, or the next one, all around, that has lengths. */
static const struct servegen_client *client_with_lengths(const struct servegen *servegen,
                                                         uint32_t index)
{
    for (size_t i = 0; i < servegen->count; i++) {
        const struct servegen_client *client =
            &servegen->clients[(index + i) % servegen->count];
        if (client->lengths_count > 0)
            return client;
    }
    return NULL;
}

bool servegen_draw_lengths(const struct servegen *servegen,
                           const struct servegen_arrival *arrival, int64_t start_ns,
                           uint64_t seed, uint32_t *input_tokens, uint32_t *output_tokens)
{
    const struct servegen_client *client = client_with_lengths(servegen, arrival->client);
    if (client == NULL)
        return false;
    double time_s = (double)(start_ns + arrival->time_ns) / NS_PER_S;
    size_t window = 0;
    while (window + 1 < client->lengths_count
           && client->lengths[window + 1].start_s <= time_s)
        window++;
    uint64_t index =
        (uint64_t)servegen->clients[arrival->client].number << 32 | arrival->number;
    const struct servegen_lengths *lengths = &client->lengths[window];
    *input_tokens = draw_length(&lengths->input, seed, STREAM_INPUT, index);
    *output_tokens = draw_length(&lengths->output, seed, STREAM_OUTPUT, index);
    return true;
}
