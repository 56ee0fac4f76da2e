#include "replay/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <curl/curl.h>
#include <sched.h>

#include "formats/base/clock.h"
#include "formats/base/version.h"
#include "replay/capture_process.h"
#include "replay/live_view.h"
#include "replay/supervisor.h"

enum {
    /* from "all ready" to T0: logs are opened meanwhile */
    START_LEAD_NS = 100 * NS_PER_MS,
    WATCH_MS = 250,
    OPEN_PER_LANE = 128,
    LANES_MIN = 4,
    LANES_MAX = 64,
};

struct run {
    const struct run_setup *setup;
    struct run_result *result;
    struct run_manifest manifest;
    struct supervisor supervisor;
    struct capture_process capture;
};

static unsigned lanes_for(uint64_t open_expected)
{
    uint64_t lanes = open_expected / OPEN_PER_LANE;
    if (lanes < LANES_MIN)
        return LANES_MIN;
    return lanes > LANES_MAX ? LANES_MAX : (unsigned)lanes;
}

/* Time and 32 random bits: "20261130T030102-1a2b3c4d". */
static void make_run_id(char id[RUN_ID_MAX], int64_t realtime_ns)
{
    char text[CLOCK_TEXT_MAX];
    clock_format_utc(text, realtime_ns);
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        random = (uint32_t)getpid();
    snprintf(id, RUN_ID_MAX, "%.4s%.2s%.2sT%.2s%.2s%.2s-%08x", text, text + 5, text + 8,
             text + 11, text + 14, text + 17, random);
}

static void manifest_set_plan(struct run_manifest *manifest,
                              const struct run_setup *setup)
{
    const struct plan *plan = setup->plan;
    run_manifest_set(&manifest->plan.hash, plan->hash);
    manifest->plan.requests = plan->count;
    manifest->seed = plan->seed;
    if (plan->count > 0) {
        manifest->plan.first_due_ns = plan->requests[0].due_ns;
        manifest->plan.last_due_ns = plan->requests[plan->count - 1].due_ns;
    }
    run_manifest_set_workers(manifest, setup->workers);
    for (size_t index = 0; index < plan->count; index++) {
        manifest->plan.input_tokens += plan->requests[index].input_tokens;
        manifest->plan.output_tokens += plan->requests[index].output_tokens;
        manifest->workers[plan_worker_of(plan, index, setup->workers)].planned_requests++;
    }
}

static void manifest_fill(struct run_manifest *manifest, const struct run_setup *setup)
{
    run_manifest_init(manifest);
    manifest->started_realtime_ns = clock_realtime_ns();
    char id[RUN_ID_MAX];
    make_run_id(id, manifest->started_realtime_ns);
    run_manifest_set(&manifest->id, id);
    char boot_id[BOOT_ID_MAX];
    clock_boot_id(boot_id);
    run_manifest_set(&manifest->boot_id, boot_id);
    char *url = target_public_url(setup->target);
    run_manifest_set(&manifest->url, url);
    free(url);
    run_manifest_set(&manifest->api,
                     setup->body->api == API_CHAT ? "chat" : "completions");
    run_manifest_set(&manifest->model, setup->body->model);
    run_texts_append(&manifest->producers, "tokreplay " TOKTRACE_VERSION);
    run_texts_append(&manifest->producers, curl_version());
    for (size_t word = 0; word < setup->command->count; word++)
        run_texts_append(&manifest->command, setup->command->items[word]);
    run_manifest_set(&manifest->emulated_client, setup->cost_text);
    for (size_t note = 0; note < setup->notes->count; note++)
        run_texts_append(&manifest->notes, setup->notes->items[note]);
    manifest->open_loop = setup->concurrency == 0;
    manifest->concurrency = setup->concurrency;
    manifest_set_plan(manifest, setup);
}

/* The CPU for a worker: the n-th of those that this process may use. */
static int cpu_for(const struct run_setup *setup, uint32_t number)
{
    cpu_set_t allowed;
    if (!setup->pin || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    int left = (int)(number % (uint32_t)CPU_COUNT(&allowed));
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, &allowed) && left-- == 0)
            return cpu;
    return -1;
}

static int run_fork_worker(struct run *run, uint32_t number, struct fault *fault)
{
    const struct run_setup *setup = run->setup;
    char *log_path = run_directory_worker_log(setup->directory, number);
    struct worker_setup worker = {
        .number = number,
        .workers = setup->workers,
        .plan = setup->plan,
        .target = setup->target,
        .body = setup->body,
        .log_path = log_path,
        .run_id = run->manifest.id,
        .boot_id = run->manifest.boot_id,
        .cpu = cpu_for(setup, number),
        .lanes = lanes_for(setup->open_expected),
        .slots = schedule_slots(setup->concurrency, number, setup->workers),
        .failed_turn = setup->failed_turn,
        .cost = setup->cost,
        .timeout_ns = setup->timeout_ns,
        .idle_timeout_ns = setup->idle_timeout_ns,
        .grace_ns = setup->grace_ns,
        .send_until_ns = setup->send_until_ns > 0 ? setup->send_until_ns : INT64_MAX,
        .cut_at_ns = setup->cut_at_ns > 0 ? setup->cut_at_ns : INT64_MAX,
        .retries = setup->retries,
    };
    worker.cost.stream = number;
    int status = supervisor_fork(&run->supervisor, &worker, fault);
    free(log_path);
    if (status == STATUS_OK)
        run->manifest.workers[number].pid = run->supervisor.processes[number].pid;
    return status;
}

static int run_start(struct run *run, struct fault *fault)
{
    int status = supervisor_init(&run->supervisor, run->setup->workers, fault);
    for (uint32_t number = 0; status == STATUS_OK && number < run->setup->workers;
         number++)
        status = run_fork_worker(run, number, fault);
    if (status == STATUS_OK)
        status = supervisor_await_ready(&run->supervisor, fault);
    if (status != STATUS_OK)
        return status;
    struct clock_pair now = clock_pair_read();
    run->manifest.t0_monotonic_ns = now.monotonic_ns + START_LEAD_NS;
    run->manifest.t0_realtime_ns = now.realtime_ns + START_LEAD_NS;
    status = run_manifest_write(&run->manifest, run->setup->directory, fault);
    if (status == STATUS_OK)
        supervisor_start(&run->supervisor, run->manifest.t0_monotonic_ns);
    return status;
}

static void run_watch(struct run *run)
{
    const struct run_setup *setup = run->setup;
    struct live_view view;
    live_view_init(&view, setup->plan->count, run->manifest.plan.last_due_ns,
                   setup->progress, setup->verbose);
    view.label = setup->label;
    while (supervisor_watch(&run->supervisor, WATCH_MS))
        live_view_update(&view, run->supervisor.control, setup->workers,
                         clock_monotonic_ns() - run->manifest.t0_monotonic_ns);
    live_view_end(&view);
}

/* Takes over what a worker left behind; names the first that failed. */
static void run_note_worker(struct run *run, uint32_t number, struct fault *fault)
{
    const struct worker_process *process = &run->supervisor.processes[number];
    const struct worker_counters *counters = &run->supervisor.control->workers[number];
    struct run_worker *noted = &run->manifest.workers[number];
    noted->exit_code = process->exit_code;
    noted->signal = process->signal;
    noted->requests = atomic_load(&counters->finished) +
                      atomic_load(&counters->outcomes[OUTCOME_NOT_SENT]);
    if (!process->failed)
        return;
    struct fault text = { "" };
    if (process->signal != 0)
        fault_set(
            &text, STATUS_IO,
            "worker %u was ended by signal %d (%s): %llu of its %llu requests are logged",
            number, process->signal, strsignal(process->signal),
            (unsigned long long)noted->requests,
            (unsigned long long)noted->planned_requests);
    else
        text = counters->fault;
    run_manifest_set(&noted->error, text.text);
    if (run->result->lost_workers++ == 0)
        *fault = text;
}

static int run_finish(struct run *run, struct fault *fault)
{
    struct run_result *result = run->result;
    struct fault worker_fault = { "" };
    for (uint32_t number = 0; number < run->setup->workers; number++)
        run_note_worker(run, number, &worker_fault);
    struct run_totals totals =
        run_totals_read(run->supervisor.control, run->setup->workers);
    memcpy(result->outcomes, totals.outcomes, sizeof result->outcomes);
    memcpy(run->manifest.outcomes, totals.outcomes, sizeof run->manifest.outcomes);
    result->planned = run->setup->plan->count;
    result->sent = totals.sent;
    result->signal = run->supervisor.signal;
    run->manifest.interrupted = result->signal != 0;
    run->manifest.ended_realtime_ns = clock_realtime_ns();
    int status = run_manifest_write(&run->manifest, run->setup->directory, fault);
    if (result->lost_workers == 0)
        return status;
    *fault = worker_fault;
    return STATUS_IO;
}

int run_execute(const struct run_setup *setup, struct run_result *result,
                struct fault *fault)
{
    *result = (struct run_result){ 0 };
    struct run run = { .setup = setup,
                       .result = result,
                       .supervisor = { .signal_fd = -1 } };
    int status = run_directory_create(setup->directory, setup->force, fault);
    if (status != STATUS_OK)
        return status;
    manifest_fill(&run.manifest, setup);
    if (setup->capture_interface != NULL)
        status =
            capture_process_start(&run.capture, setup->capture_interface,
                                  target_port(setup->target), setup->directory, fault);
    if (status == STATUS_OK)
        status = run_start(&run, fault);
    if (status == STATUS_OK) {
        run_watch(&run);
        status = run_finish(&run, fault);
        supervisor_release(&run.supervisor);
        int captured = capture_process_finish(&run.capture, target_port(setup->target),
                                              setup->directory, fault);
        status = status == STATUS_OK ? captured : status;
    } else {
        result->signal = run.supervisor.signal;
        supervisor_release(&run.supervisor);
        capture_process_abandon(&run.capture, setup->directory);
        /* Before T0 nothing was sent: nothing half-written stays. */
        run_directory_remove(setup->directory);
    }
    run_manifest_release(&run.manifest);
    return status;
}
