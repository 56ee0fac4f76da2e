#include "replay/serve_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/arrivals_writer.h"
#include "formats/base/buffer.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "formats/base/version.h"

struct serve_log {
    struct arrivals_writer *writer;
    int64_t t0_ns;
    struct clock_pair clocks; /* at the last clock record */
    struct loop_record loop;
    int64_t last_tick_ns;
    uint64_t waited_ns; /* for the disk, at the last loop record */
    struct end_record end;
};

int serve_log_open(struct serve_log **log, const char *path, uint32_t process,
                   uint32_t processes, struct fault *fault)
{
    struct serve_log *made = memory_new(1, sizeof(*made));
    made->clocks = clock_pair_read();
    made->t0_ns = made->last_tick_ns = made->clocks.monotonic_ns;
    struct arrivals_header header = {
        .producer = "tokreplay " TOKTRACE_VERSION,
        .source = LOG_SERVER,
        .worker = process,
        .workers = processes,
        .t0_monotonic_ns = made->t0_ns,
        .t0_realtime_ns = made->clocks.realtime_ns,
    };
    clock_boot_id(header.boot_id);
    int status = arrivals_writer_open(&made->writer, path, &header, fault);
    if (status != STATUS_OK) {
        free(made);
        return status;
    }
    *log = made;
    return STATUS_OK;
}

static void write_clock(struct serve_log *log)
{
    struct clock_pair now = clock_pair_read();
    int64_t step_ns = now.realtime_ns - log->clocks.realtime_ns -
                      (now.monotonic_ns - log->clocks.monotonic_ns);
    struct clock_record record = {
        .at_ns = now.monotonic_ns - log->t0_ns,
        .realtime_ns = now.realtime_ns,
        /* slewing stays far below a millisecond in a second */
        .step_ns = llabs(step_ns) > NS_PER_MS ? step_ns : 0,
    };
    arrivals_writer_clock(log->writer, &record);
    log->clocks = now;
}

static void write_loop(struct serve_log *log, int64_t now_ns)
{
    uint64_t waited_ns = arrivals_writer_waited_ns(log->writer);
    log->loop.to_ns = now_ns - log->t0_ns;
    log->loop.log_wait_ns = waited_ns - log->waited_ns;
    arrivals_writer_loop(log->writer, &log->loop);
    log->waited_ns = waited_ns;
    log->loop = (struct loop_record){ .from_ns = log->loop.to_ns };
}

int serve_log_tick(struct serve_log *log, int64_t now_monotonic_ns, int64_t idle_ns)
{
    int64_t busy_ns = now_monotonic_ns - log->last_tick_ns - idle_ns;
    uint64_t busy = busy_ns > 0 ? (uint64_t)busy_ns : 0;
    log->last_tick_ns = now_monotonic_ns;
    log->loop.iterations++;
    log->loop.busy_ns += busy;
    if (busy > log->loop.stall_ns)
        log->loop.stall_ns = busy;
    if (now_monotonic_ns - log->t0_ns - log->loop.from_ns >= NS_PER_S) {
        write_loop(log, now_monotonic_ns);
        write_clock(log);
    }
    arrivals_writer_tick(log->writer, now_monotonic_ns);
    return arrivals_writer_status(log->writer);
}

static void to_log_time(const struct serve_log *log, int64_t *time_ns)
{
    if (*time_ns != TIME_NONE)
        *time_ns -= log->t0_ns;
}

void serve_log_request(struct serve_log *log, struct arrival_request *request)
{
    int64_t *times[] = { &request->due_ns, &request->start_ns, &request->sent_ns,
                         &request->headers_ns, &request->end_ns };
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        to_log_time(log, times[i]);
    for (size_t i = 0; i < request->event_count; i++)
        to_log_time(log, &request->events[i].arrival_ns);
    arrivals_writer_request(log->writer, request);
    log->loop.events += request->event_count;
    log->end.events += request->event_count;
    log->end.requests++;
}

int serve_log_close(struct serve_log *log, struct fault *fault)
{
    int64_t now_ns = clock_monotonic_ns();
    write_loop(log, now_ns);
    write_clock(log);
    log->end.at_ns = now_ns - log->t0_ns;
    int status = arrivals_writer_close(log->writer, &log->end, fault);
    free(log);
    return status;
}

char *serve_log_path(const char *path, uint32_t process)
{
    const char *name = strrchr(path, '/');
    const char *dot = strrchr(name ? name : path, '.');
    size_t stem = dot && dot != name + 1 ? (size_t)(dot - path) : strlen(path);
    struct buffer text = BUFFER_INIT;
    buffer_printf(&text, "%.*s-%03u%s", (int)stem, path, process, path + stem);
    buffer_append_byte(&text, '\0');
    return text.data;
}
