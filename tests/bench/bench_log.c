/* How small arrival logs are and how fast they are written and read: prints a table.
 * Events are drawn as a busy client sees them: 2 ms between tokens with +-100 us of
 * jitter, a lognormal 30 us from arrival to app, every second event the first after a
 * wake-up of 2 to 10 us.
 * Usage: bench_log [FILE]   the log is kept when a FILE is named */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "formats/arrivals_reader.h"
#include "formats/arrivals_writer.h"
#include "formats/base/clock.h"
#include "formats/base/memory.h"

enum { REQUESTS = 100 * 1000, EVENTS_PER_REQUEST = 64, TEMPLATES = 10 * 1000 };

static uint64_t random_state = 88172645463325252u;

static double uniform(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979324 * uniform());
}

static void draw_events(struct arrival_request *request)
{
    int64_t first_ns = request->sent_ns + 20 * NS_PER_MS;
    for (size_t i = 0; i < request->event_count; i++) {
        struct arrival_event *event = &request->events[i];
        *event = (struct arrival_event){ .kind = EVENT_CONTENT, .tokens = 1 };
        event->arrival_ns = first_ns + (int64_t)i * 2 * NS_PER_MS
                            + (int64_t)((uniform() - 0.5) * 200 * NS_PER_US);
        event->app_ns = event->arrival_ns + (int64_t)(30e3 * exp(0.5 * normal()));
        if (uniform() < 0.5) {
            event->flags = EVENT_FLAG_AFTER_WAKE;
            event->wake_ns = 2000 + (uint32_t)(uniform() * 8000);
        }
    }
    request->events[0].kind = EVENT_ROLE;
    request->events[0].tokens = 0;
    request->events[request->event_count - 1].kind = EVENT_DONE;
    request->events[request->event_count - 1].tokens = 0;
}

static void draw_request(struct arrival_request *request, uint64_t row)
{
    arrival_request_init(request);
    request->row = row;
    request->due_ns = (int64_t)row * 500 * NS_PER_US;
    request->start_ns = request->due_ns + (int64_t)(uniform() * 100e3);
    request->sent_ns = request->start_ns + (int64_t)(uniform() * 50e3);
    request->headers_ns = request->sent_ns + 19 * NS_PER_MS + (int64_t)(uniform() * 1e6);
    request->end_ns = request->sent_ns + 150 * NS_PER_MS + (int64_t)(uniform() * 1e6);
    request->planned_input_tokens = (uint32_t)(uniform() * 4000);
    request->planned_output_tokens = EVENTS_PER_REQUEST - 2;
    request->bytes_sent = 20000 + (uint64_t)(uniform() * 1000);
    request->bytes_received = 14000;
    request->connection_request = (uint32_t)row / 300;
    request->local_port = (uint16_t)(32768 + row % 300);
    request->remote_port = 8000;
    request->http_status = 200;
    request->outcome = OUTCOME_OK;
    request->flags = REQUEST_STREAMED | REQUEST_REUSED_CONNECTION | REQUEST_DONE_SEEN;
    request->event_count = EVENTS_PER_REQUEST;
    request->events = memory_new(EVENTS_PER_REQUEST, sizeof *request->events);
    draw_events(request);
}

static int64_t thread_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int write_log(const char *path, struct fault *fault)
{
    static struct arrival_request templates[TEMPLATES];
    for (uint64_t i = 0; i < TEMPLATES; i++)
        draw_request(&templates[i], i);
    struct arrivals_header header = { .producer = "bench", .workers = 1 };
    struct arrivals_writer *writer;
    int status = arrivals_writer_open(&writer, path, &header, fault);
    if (status)
        return status;
    int64_t from_ns = thread_cpu_ns();
    int64_t cpu_from_ns = clock_process_cpu_ns();
    for (size_t i = 0; i < REQUESTS; i++)
        arrivals_writer_request(writer, &templates[i % TEMPLATES]);
    int64_t took_ns = thread_cpu_ns() - from_ns;
    uint64_t waited_ns = arrivals_writer_waited_ns(writer);
    status = arrivals_writer_close(writer, &(struct end_record){ 0 }, fault);
    double events = (double)REQUESTS * EVENTS_PER_REQUEST;
    printf("encode in the caller   %6.1f ns CPU/event (and waited %.0f ms)\n",
           (double)took_ns / events, (double)waited_ns / 1e6);
    printf("encode and compress    %6.1f ns CPU/event\n",
           (double)(clock_process_cpu_ns() - cpu_from_ns) / events);
    for (size_t i = 0; i < TEMPLATES; i++)
        free(templates[i].events);
    return status;
}

static int read_log(const char *path, struct fault *fault)
{
    struct arrivals_reader *reader;
    struct arrivals_record record;
    uint64_t events = 0;
    uint64_t sum = 0; /* the same for the same log */
    int64_t from_ns = clock_process_cpu_ns();
    int found = arrivals_reader_open(&reader, path, fault);
    if (found)
        return found;
    while ((found = arrivals_reader_next(reader, &record, fault)) > 0) {
        if (record.type != RECORD_REQUEST)
            continue;
        events += record.request.event_count;
        sum += (uint64_t)record.request.events[record.request.event_count - 1].app_ns;
    }
    arrivals_reader_close(reader);
    double took_s = (double)(clock_process_cpu_ns() - from_ns) / 1e9;
    printf("decode                 %6.1f million events/s CPU (sum %llx)\n",
           (double)events / took_s / 1e6, (unsigned long long)sum);
    return found;
}

int main(int argc, char **argv)
{
    char temporary[] = "/tmp/bench_log.XXXXXX";
    const char *path = argc > 1 ? argv[1] : temporary;
    struct fault fault = { 0 };
    struct stat info = { 0 };
    if (argc == 1) {
        close(mkstemp(temporary));
        unlink(temporary);
    }
    int status = write_log(path, &fault);
    if (!status && stat(path, &info) == 0)
        printf("size                   %6.2f bytes/event\n",
               (double)info.st_size / ((double)REQUESTS * EVENTS_PER_REQUEST));
    for (int i = 0; i < 3 && !status; i++)
        status = read_log(path, &fault);
    if (argc == 1)
        unlink(path);
    if (status)
        fprintf(stderr, "bench_log: %s\n", fault.text);
    return status ? 1 : 0;
}
