/* How fast `tokanalyze summary` is on one core, and how its memory grows: makes logs of
 * made-up requests, one of the same requests with four times the events, and summarises
 * both from a warm file. Prints a table.
 * Usage: bench_summary [DIRECTORY]   where the logs go meanwhile (200 MB); /tmp */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/summary.h"
#include "formats/base/clock.h"
#include "tests/bench/made_log.h"

enum { REQUESTS = 80 * 1000, EVENTS_FEW = 64, EVENTS_MANY = 256 };

static int write_log(const char *path, size_t events_per_request, struct fault *fault)
{
    struct made_log made = {
        .run_id = "", .workers = 1, .requests = REQUESTS, .events = events_per_request,
        .gap_ns = 10 * NS_PER_MS, .random_state = 1,
    };
    return made_log_write(&made, path, fault);
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
