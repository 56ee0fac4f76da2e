/* Loads published as ServeGen clients: a directory of chunk-N-trace.csv (windows of
 * 600 s with a rate and a law of gaps) and, for some clients, chunk-N-dataset.json
 * (histograms of lengths). */
#ifndef TOKTRACE_SERVEGEN_H
#define TOKTRACE_SERVEGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/fault.h"

enum servegen_law { SERVEGEN_IDLE, SERVEGEN_GAMMA, SERVEGEN_WEIBULL };

struct servegen_window {
    double start_s;
    double rate_per_s; /* as measured; the scale of the published fit is not used */
    enum servegen_law law;
    double shape;
};

/* Lengths with their cumulated weights. */
struct servegen_histogram {
    uint32_t *lengths;  /* owned */
    double *cumulated;  /* owned */
    size_t count;
    size_t capacity;
    size_t weight_capacity;
};

struct servegen_lengths {
    double start_s;
    struct servegen_histogram input;
    struct servegen_histogram output;
};

struct servegen_client {
    uint32_t number; /* N of its files */
    struct servegen_window *windows; /* owned, ascending */
    size_t window_count;
    size_t window_capacity;
    struct servegen_lengths *lengths; /* owned, ascending; none: no dataset of its own */
    size_t lengths_count;
    size_t lengths_capacity;
};

struct servegen {
    struct servegen_client *clients; /* owned, by number */
    size_t count;
    size_t capacity;
};

/* Reads a directory. `servegen` from {0}; release in any case. */
int servegen_load(struct servegen *servegen, const char *directory, struct fault *fault);
void servegen_release(struct servegen *servegen);

/* End of a client's window: the start of the next, or 600 s on. */
double servegen_window_end(const struct servegen_client *client, size_t window);

/* Mean rate of all clients together over [start_s, end_s). */
double servegen_rate(const struct servegen *servegen, double start_s, double end_s);

/* Where the last window of all ends. */
double servegen_end(const struct servegen *servegen);

/* One drawn request. */
struct servegen_arrival {
    int64_t time_ns;       /* from start */
    uint32_t client;       /* index into clients */
    uint32_t number;       /* within the client */
};

/* Draws the arrivals of [start_ns, start_ns + duration_ns), ascending, all rates
 * multiplied by `factor`. Each client is a stationary renewal process whose speed
 * follows its rate; its gaps have the mean of the rate and the law and shape of the
 * window. Caller frees. */
int servegen_draw(const struct servegen *servegen, int64_t start_ns, int64_t duration_ns,
                  double factor, uint64_t seed, struct servegen_arrival **arrivals,
                  size_t *count, struct fault *fault);

/* Lengths of a drawn request, from the histograms that hold at its time; a client
 * without any uses those of a client that has them. False when none has. */
bool servegen_draw_lengths(const struct servegen *servegen,
                           const struct servegen_arrival *arrival, int64_t start_ns,
                           uint64_t seed, uint32_t *input_tokens,
                           uint32_t *output_tokens);

#endif
