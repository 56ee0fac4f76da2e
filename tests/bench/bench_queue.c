/* How fast `tokanalyze queue` is on one core, and its memory: makes a log of 10 million
 * events of one simulated worker and analyses it from a warm file.
 * Usage: bench_queue [DIRECTORY]   where the log goes meanwhile (60 MB); /tmp */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <gsl/gsl_errno.h>

#include "analyze/queue.h"
#include "formats/arrivals_writer.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "tests/unit/queue_simulator.h"

enum { REQUESTS = 156250, EVENTS_EACH = 64, BLOCK = EVENTS_EACH * EVENTS_EACH };

/* 64 requests of 64 events each that run beside each other. */
static void write_block(struct arrivals_writer *writer, const struct queue_event *events,
                        uint64_t first_row)
{
    for (uint64_t stream = 0; stream < EVENTS_EACH; stream++) {
        struct arrival_event logged[EVENTS_EACH];
        struct arrival_request request;
        arrival_request_init(&request);
        for (size_t i = 0; i < EVENTS_EACH; i++) {
            const struct queue_event *event = &events[i * EVENTS_EACH + stream];
            bool slept = event->wake != QUEUE_AWAKE;
            logged[i] = (struct arrival_event){
                .arrival_ns = event->arrival_ns,
                .app_ns = event->app_ns,
                .wake_ns = slept ? event->wake : 0,
                .tokens = 1,
                .kind = EVENT_CONTENT,
                .flags = slept ? EVENT_FLAG_AFTER_WAKE : 0,
            };
        }
        request.row = first_row + stream;
        request.outcome = OUTCOME_OK;
        request.sent_ns = logged[0].arrival_ns;
        request.end_ns = logged[EVENTS_EACH - 1].app_ns;
        request.events = logged;
        request.event_count = EVENTS_EACH;
        arrivals_writer_request(writer, &request);
    }
}

static int write_log(const char *path, struct fault *fault)
{
    const struct simulation given = { .law = SERVICE_EXP, .service_s = 20e-6, .rho = 0.7,
                                      .setup_s = 50e-6, .seed = 1 };
    struct arrivals_header header = { .producer = "bench", .workers = 1 };
    struct end_record end = { .interrupted = false };
    struct arrivals_writer *writer = NULL;
    int status = arrivals_writer_open(&writer, path, &header, fault);
    if (status < 0)
        return status;
    size_t count = (size_t)REQUESTS * EVENTS_EACH;
    struct queue_event *events = memory_new(count, sizeof *events);
    simulate_queue(&given, events, count);
    for (size_t at = 0; at + BLOCK <= count; at += BLOCK)
        write_block(writer, events + at, at / EVENTS_EACH);
    free(events);
    return arrivals_writer_close(writer, &end, fault);
}

/* The work of the command but the printing. */
static int analyse(char *path, size_t *count, struct fault *fault)
{
    struct load load = { 0 };
    struct queue_data data = { 0 };
    struct queue queue = { 0 };
    struct progress progress;
    struct queue_settings settings = {
        .batch_gap_ns = BATCH_GAP_AUTO, .service_ns = -1, .budget_ns = -1,
        .workers = { 1, 2, 4, 8, 16 }, .workers_count = 5,
    };
    progress_init(&progress, false, false);
    int status = load_open(&load, &path, 1, fault);
    if (status == STATUS_OK)
        status = queue_load(&data, &load, &progress, fault);
    if (status == STATUS_OK)
        status = queue_compute(&queue, &data, &settings, fault);
    *count = data.count;
    queue_release(&queue);
    queue_data_release(&data);
    load_release(&load);
    return status;
}

int main(int argc, char **argv)
{
    char path[4096];
    struct fault fault = { 0 };
    size_t count = 0;
    bool given = argc > 2;
    gsl_set_error_handler_off();
    /* The log comes from a process before this one, so that its memory does not count. */
    if (given) {
        int64_t before_ns = clock_process_cpu_ns();
        if (analyse(argv[2], &count, &fault) < 0) {
            fprintf(stderr, "bench_queue: %s\n", fault.text);
            return 1;
        }
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf("tokanalyze queue: %.1f M events in %.2f s CPU, peak %.0f MB\n",
               (double)count / 1e6,
               (double)(clock_process_cpu_ns() - before_ns) / NS_PER_S,
               (double)usage.ru_maxrss / 1024);
        return 0;
    }
    snprintf(path, sizeof path, "%s/bench-queue-%d.toklog", argc > 1 ? argv[1] : "/tmp",
             (int)getpid());
    if (write_log(path, &fault) < 0) {
        fprintf(stderr, "bench_queue: %s\n", fault.text);
        return 1;
    }
    char command[3 * sizeof path];
    snprintf(command, sizeof command, "'%s' - '%s'", argv[0], path);
    int failed = system(command);
    unlink(path);
    return failed ? 1 : 0;
}
