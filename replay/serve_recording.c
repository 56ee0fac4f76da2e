#include "replay/serve_recording.h"

#include <stdlib.h>

#include "formats/arrivals_reader.h"
#include "formats/base/memory.h"

void serve_recording_release(struct serve_recording *recording)
{
    free(recording->requests);
    free(recording->events);
    *recording = (struct serve_recording){ 0 };
}

static void add_event(struct serve_recording *recording, struct recorded_request *request,
                      const struct arrival_event *event)
{
    int64_t at_ns = event->arrival_ns != TIME_NONE ? event->arrival_ns : event->app_ns;
    if (!event_kind_is_token(event->kind) || event->choice || at_ns == TIME_NONE)
        return;
    recording->events = memory_grow(recording->events, recording->event_count,
                                    &recording->event_capacity,
                                    sizeof(*recording->events));
    recording->events[recording->event_count++] = (struct recorded_event){
        .after_ns = at_ns > request->sent_ns ? at_ns - request->sent_ns : 0,
        .tokens = event->tokens ? event->tokens : 1,
    };
    request->event_count++;
    request->tokens += event->tokens ? event->tokens : 1;
}

static void add_request(struct serve_recording *recording,
                        const struct arrival_request *record)
{
    struct recorded_request request = { .sent_ns = record->sent_ns,
                                        .first_event = recording->event_count };
    for (size_t i = 0; record->sent_ns != TIME_NONE && i < record->event_count; i++)
        add_event(recording, &request, &record->events[i]);
    if (!request.event_count) {
        recording->left_out++;
        return;
    }
    recording->requests = memory_grow(recording->requests, recording->request_count,
                                      &recording->request_capacity,
                                      sizeof(*recording->requests));
    recording->requests[recording->request_count++] = request;
}

static int by_sent(const void *left, const void *right)
{
    const struct recorded_request *a = left, *b = right;
    if (a->sent_ns != b->sent_ns)
        return a->sent_ns < b->sent_ns ? -1 : 1;
    return (a->first_event > b->first_event) - (a->first_event < b->first_event);
}

int serve_recording_load(struct serve_recording *recording, const char *path,
                         struct fault *fault)
{
    struct arrivals_reader *reader = NULL;
    struct arrivals_record record;
    int got = arrivals_reader_open(&reader, path, fault);
    if (got != STATUS_OK)
        return got;
    while ((got = arrivals_reader_next(reader, &record, fault)) > 0) {
        if (record.type == RECORD_REQUEST)
            add_request(recording, &record.request);
    }
    arrivals_reader_close(reader);
    if (got == 0 && !recording->request_count)
        got = fault_set(fault, STATUS_BAD_INPUT, "%s: no request in it has a token",
                        path);
    if (got == 0)
        qsort(recording->requests, recording->request_count, sizeof(*recording->requests),
              by_sent);
    return got;
}

const struct recorded_request *serve_recording_at(const struct serve_recording *recording,
                                                  uint64_t number)
{
    return &recording->requests[number % recording->request_count];
}
