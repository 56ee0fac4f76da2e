/* How `tokanalyze report` and `export --sqlite` do with a run of a million requests of
 * twenty tokens by four workers: makes such a run, runs each command on it from a warm
 * file, and prints time, memory and the size of what they wrote.
 * Usage: bench_report [DIRECTORY [REQUESTS]]   for files meanwhile (1.3 GB); /tmp */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/run_directory.h"
#include "tests/bench/made_log.h"

enum { REQUESTS = 1000 * 1000, EVENTS = 20, WORKERS = 4 };

static int write_manifest(const char *directory, uint64_t requests, struct fault *fault)
{
    struct run_manifest manifest;
    run_manifest_init(&manifest);
    run_manifest_set(&manifest.id, "bench");
    run_manifest_set(&manifest.url, "http://127.0.0.1:8000");
    run_manifest_set(&manifest.model, "made-up");
    run_manifest_set(&manifest.plan.hash, "none");
    manifest.plan.requests = requests;
    manifest.outcomes[OUTCOME_OK] = requests;
    run_manifest_set_workers(&manifest, WORKERS);
    for (size_t i = 0; i < WORKERS; i++)
        manifest.workers[i].planned_requests = requests / WORKERS;
    int status = run_manifest_write(&manifest, directory, fault);
    run_manifest_release(&manifest);
    return status;
}

static int write_run(const char *directory, uint64_t requests, struct fault *fault)
{
    int status = run_directory_create(directory, false, fault);
    if (status == STATUS_OK)
        status = write_manifest(directory, requests, fault);
    for (uint32_t worker = 0; worker < WORKERS && status == STATUS_OK; worker++) {
        struct made_log made = {
            .run_id = "bench", .worker = worker, .workers = WORKERS,
            .requests = requests / WORKERS, .events = EVENTS,
            .gap_ns = WORKERS * NS_PER_MS, .random_state = worker + 1,
        };
        char *path = run_directory_worker_log(directory, worker);
        status = made_log_write(&made, path, fault);
        free(path);
    }
    return status;
}

/* Prints a line; 0 when the command exits with 0. */
static int measure(char *const *command, const char *output)
{
    struct rusage usage = { 0 };
    struct stat file = { 0 };
    int result = 1;
    int64_t started_ns = clock_monotonic_ns();
    pid_t child = fork();
    if (child == 0) {
        execvp(command[0], command);
        perror(command[0]);
        _exit(1);
    }
    if (child < 0 || wait4(child, &result, 0, &usage) != child || result != 0)
        return 1;
    double wall_s = (double)(clock_monotonic_ns() - started_ns) / NS_PER_S;
    double cpu_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6 +
                   (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
    stat(output, &file);
    printf("%-10s %-8.1f %-8.1f %-10.0f %.2f\n", command[1], wall_s, cpu_s,
           (double)usage.ru_maxrss / 1024, (double)file.st_size / 1e6);
    fflush(stdout);
    unlink(output);
    return 0;
}

int main(int argc, char **argv)
{
    const char *parent = argc > 1 ? argv[1] : "/tmp";
    uint64_t requests = argc > 2 ? strtoull(argv[2], NULL, 10) : REQUESTS;
    char directory[4096];
    char page[4096];
    char database[4096];
    struct fault fault = { 0 };
    snprintf(directory, sizeof directory, "%s/bench-report-%d", parent, (int)getpid());
    snprintf(page, sizeof page, "%s/bench-report-%d.html", parent, (int)getpid());
    snprintf(database, sizeof database, "%s/bench-report-%d.db", parent, (int)getpid());
    printf("%llu requests of %d tokens, %d workers, warm files\n",
           (unsigned long long)requests, EVENTS, WORKERS);
    printf("%-10s %-8s %-8s %-10s %s\n", "command", "wall s", "CPU s", "peak MB",
           "output MB");
    int failed = write_run(directory, requests, &fault) < 0;
    if (failed)
        fprintf(stderr, "bench_report: %s\n", fault.text);
    char *report[] = { "tokanalyze", "report", directory, "-o", page, NULL };
    char *export[] = { "tokanalyze", "export", directory, "--sqlite", database, NULL };
    failed = failed || measure(report, page) != 0 || measure(export, database) != 0;
    run_directory_remove(directory);
    return failed ? 1 : 0;
}
