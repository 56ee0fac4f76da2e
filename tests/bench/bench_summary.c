/* How fast `tokanalyze summary` is on one core, and how its memory grows: makes logs of
 * made-up requests, one of the same requests with four times the events, and summarises
 * both from a warm file. Prints a table.
 * Usage: bench_summary [DIRECTORY]   where the logs go meanwhile (200 MB); /tmp */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/summary.h"
#include "formats/arrivals_writer.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"

enum { REQUESTS = 80 * 1000, EVENTS_FEW = 64, EVENTS_MANY = 256 };

static uint64_t random_state = 1;

/* Uniform in (0, 1). */
static double uniform(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

/* Gaps of 20 ms +- 2; the client reads 30 us later or more. */
static void draw_events(struct arrival_event *events, size_t count, int64_t first_ns)
{
    int64_t at_ns = first_ns;
    for (size_t i = 0; i < count; i++) {
        events[i] = (struct arrival_event){
            .arrival_ns = at_ns,
            .app_ns = at_ns + 30000 + (int64_t)(-20000 * log(uniform())),
            .tokens = 1,
            .kind = EVENT_CONTENT,
        };
        at_ns += 18 * NS_PER_MS + (int64_t)(4 * NS_PER_MS * uniform());
    }
}

/* One every 10 ms; TTFT is 20 ms + 10 us per input token + an exponential wait. */
static void write_request(struct arrivals_writer *writer, uint64_t row,
                          struct arrival_event *events, size_t count)
{
    struct arrival_request request;
    arrival_request_init(&request);
    uint32_t input = 100 + (uint32_t)(2000 * uniform());
    request.row = row;
    request.outcome = OUTCOME_OK;
    request.due_ns = (int64_t)row * 10 * NS_PER_MS;
    request.sent_ns = request.due_ns + 60000 + (int64_t)(20000 * uniform());
    request.planned_input_tokens = request.usage_prompt_tokens = input;
    request.planned_output_tokens = request.usage_completion_tokens = (uint32_t)count;
    request.http_status = 200;
    double wait_ns = 20e6 + 10e3 * input - 3e6 * log(uniform());
    draw_events(events, count, request.sent_ns + (int64_t)wait_ns);
    request.end_ns = events[count - 1].app_ns;
    request.events = events;
    request.event_count = count;
    arrivals_writer_request(writer, &request);
}

static int write_log(const char *path, size_t events_per_request, struct fault *fault)
{
    struct arrivals_header header = { .producer = "bench", .planned_requests = REQUESTS };
    struct end_record end = {
        .requests = REQUESTS, .events = REQUESTS * events_per_request,
    };
    struct arrivals_writer *writer = NULL;
    int status = arrivals_writer_open(&writer, path, &header, fault);
    if (status < 0)
        return status;
    struct arrival_event *events = memory_new(events_per_request, sizeof *events);
    for (uint64_t row = 0; row < REQUESTS; row++)
        write_request(writer, row, events, events_per_request);
    free(events);
    return arrivals_writer_close(writer, &end, fault);
}

/* The work of the command but the printing. */
static int summarise(char *path, struct fault *fault)
{
    struct load load = { 0 };
    struct collection collection = { .window = WINDOW_ALL, .lag_epsilon_ns = 5000 };
    struct summary_request request = { .whole = true };
    struct summary summary = { 0 };
    struct progress progress;
    progress_init(&progress, false, false);
    int status = load_open(&load, &path, 1, fault);
    if (status == STATUS_OK)
        status = collection_read(&collection, &load, &progress, fault);
    if (status == STATUS_OK)
        summary_compute(&summary, &request, &load, &collection);
    summary_release(&summary);
    collection_release(&collection);
    load_release(&load);
    return status;
}

/* In a process of its own, so that its memory is its own. */
static int measure(char *path, size_t events_per_request)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct fault fault = { 0 };
        int64_t before_ns = clock_process_cpu_ns();
        if (summarise(path, &fault) < 0) {
            fprintf(stderr, "bench_summary: %s\n", fault.text);
            _exit(1);
        }
        double seconds = (double)(clock_process_cpu_ns() - before_ns) / NS_PER_S;
        double events = (double)REQUESTS * (double)events_per_request;
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf("%-10.1f %-10d %-8.2f %-16.1f %.1f\n", events / 1e6, REQUESTS, seconds,
               events / 1e6 / seconds, (double)usage.ru_maxrss / 1024);
        fflush(stdout);
        _exit(0);
    }
    int result = 1;
    return child > 0 && waitpid(child, &result, 0) == child ? result : 1;
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = { EVENTS_FEW, EVENTS_MANY };
    const char *directory = argc > 1 ? argv[1] : "/tmp";
    int failed = 0;
    printf("tokanalyze summary, one core, warm file\n");
    printf("%-10s %-10s %-8s %-16s %s\n", "M events", "requests", "CPU s", "M events/s",
           "peak MB");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && !failed; i++) {
        char path[4096];
        struct fault fault = { 0 };
        snprintf(path, sizeof path, "%s/bench-summary-%d.toklog", directory,
                 (int)getpid());
        failed = write_log(path, sizes[i], &fault) < 0;
        if (failed)
            fprintf(stderr, "bench_summary: %s\n", fault.text);
        else
            failed = measure(path, sizes[i]) != 0;
        unlink(path);
    }
    return failed ? 1 : 0;
}
