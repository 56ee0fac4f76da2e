#include "analyze/sample.h"

#include <stdlib.h>

#include "formats/base/memory.h"

/* What was seen of one choice by one clock. */
struct clock_track {
    int64_t first_ns;
    int64_t previous_ns; /* of the token event before; TIME_NONE when unknown */
    int64_t carried_ns;  /* gaps that brought no token yet */
};

struct choice_track {
    uint64_t generation;
    struct clock_track arrival;
    struct clock_track app;
};

static void release_clock(struct clock_gaps *gaps)
{
    free(gaps->gap_ns);
    free(gaps->multi);
}

void token_gaps_release(struct token_gaps *gaps)
{
    release_clock(&gaps->arrival);
    release_clock(&gaps->app);
    free(gaps->lag_ns);
    free(gaps->tracks);
    free(gaps->used);
    *gaps = (struct token_gaps){ 0 };
}

static void grow_clock(struct clock_gaps *gaps, size_t capacity)
{
    gaps->gap_ns = memory_resize(gaps->gap_ns, capacity, sizeof *gaps->gap_ns);
    gaps->multi = memory_resize(gaps->multi, capacity, sizeof *gaps->multi);
}

static void start_gaps(struct token_gaps *gaps, size_t events)
{
    if (events > gaps->capacity) {
        grow_clock(&gaps->arrival, events);
        grow_clock(&gaps->app, events);
        gaps->lag_ns = memory_resize(gaps->lag_ns, events, sizeof *gaps->lag_ns);
        gaps->capacity = events;
    }
    gaps->arrival.count = gaps->arrival.multi_count = 0;
    gaps->app.count = gaps->app.multi_count = 0;
    gaps->lag_count = 0;
    gaps->shared_reads = 0;
    gaps->unknown_times = 0;
    gaps->used_count = 0;
    gaps->generation++;
}

static void grow_tracks(struct token_gaps *gaps, size_t count)
{
    gaps->tracks = memory_resize(gaps->tracks, count, sizeof *gaps->tracks);
    gaps->used = memory_resize(gaps->used, count, sizeof *gaps->used);
    for (size_t i = gaps->track_count; i < count; i++)
        gaps->tracks[i].generation = 0;
    gaps->track_count = count;
}

static void track_multi(struct clock_track *track, struct clock_gaps *gaps,
                        int64_t gap_ns, uint32_t tokens)
{
    track->carried_ns += gap_ns;
    gaps->multi[gaps->multi_count++] = (struct multi_gap){
        .gap_ns = gap_ns, .spread_ns = track->carried_ns, .tokens = tokens,
    };
    if (tokens > 0)
        track->carried_ns = 0;
}

static inline void track_event(struct clock_track *track, struct clock_gaps *gaps,
                               int64_t at_ns, uint32_t tokens)
{
    if (at_ns == TIME_NONE) {
        track->carried_ns = 0; /* what the next gap brings is not known to follow */
    } else if (track->previous_ns != TIME_NONE) {
        int64_t gap_ns = at_ns - track->previous_ns;
        if (tokens == 1 && track->carried_ns == 0)
            gaps->gap_ns[gaps->count++] = gap_ns;
        else
            track_multi(track, gaps, gap_ns, tokens);
    }
    track->previous_ns = at_ns;
}

static void start_clock(struct clock_track *track, int64_t at_ns)
{
    *track = (struct clock_track){ .first_ns = at_ns, .previous_ns = at_ns };
}

static void track_token_event(const struct arrival_event *event,
                              struct request_sample *sample, struct token_gaps *gaps)
{
    if (event->choice >= gaps->track_count)
        grow_tracks(gaps, (size_t)event->choice + 1);
    struct choice_track *track = &gaps->tracks[event->choice];
    if (track->generation != gaps->generation) {
        track->generation = gaps->generation;
        start_clock(&track->arrival, event->arrival_ns);
        start_clock(&track->app, event->app_ns);
        gaps->used[gaps->used_count++] = event->choice;
        sample->first_event_tokens += event->tokens;
    } else {
        track_event(&track->arrival, &gaps->arrival, event->arrival_ns, event->tokens);
        track_event(&track->app, &gaps->app, event->app_ns, event->tokens);
    }
    gaps->shared_reads += (event->flags & EVENT_FLAG_SHARED_READ) != 0;
    if (event->arrival_ns == TIME_NONE)
        gaps->unknown_times++;
    else if (event->app_ns != TIME_NONE)
        gaps->lag_ns[gaps->lag_count++] = event->app_ns - event->arrival_ns;
}

/* Times lie within +-RUN_TIME_MAX_NS, so that differences fit, but not any number of
 * them. */
static void add_choice(struct token_times *times, const struct clock_track *track)
{
    if (track->first_ns == TIME_NONE || track->previous_ns == TIME_NONE ||
        times->last_ns == TIME_NONE || times->span_ns == TIME_NONE ||
        __builtin_add_overflow(times->span_ns, track->previous_ns - track->first_ns,
                               &times->span_ns) ||
        __builtin_add_overflow(times->early_ns, times->last_ns - track->previous_ns,
                               &times->early_ns)) {
        times->span_ns = TIME_NONE;
        times->early_ns = TIME_NONE;
    }
}

static const struct token_times no_times = {
    .first_ns = TIME_NONE, .first_content_ns = TIME_NONE, .last_ns = TIME_NONE,
    .span_ns = TIME_NONE, .early_ns = TIME_NONE,
};

static void sum_choices(struct request_sample *sample, const struct token_gaps *gaps)
{
    if (gaps->used_count == 0)
        return;
    sample->arrival.span_ns = sample->arrival.early_ns = 0;
    sample->app.span_ns = sample->app.early_ns = 0;
    for (size_t i = 0; i < gaps->used_count; i++) {
        const struct choice_track *track = &gaps->tracks[gaps->used[i]];
        add_choice(&sample->arrival, &track->arrival);
        add_choice(&sample->app, &track->app);
    }
    sample->choices = (uint16_t)gaps->used_count;
}

static void walk_events(const struct arrival_request *request,
                        struct request_sample *sample, struct token_gaps *gaps)
{
    const struct arrival_event *first = NULL;
    const struct arrival_event *content = NULL;
    const struct arrival_event *last = NULL;
    uint64_t tokens = 0;
    for (size_t i = 0; i < request->event_count; i++) {
        const struct arrival_event *event = &request->events[i];
        if (!event_kind_is_token(event->kind))
            continue;
        first = first ? first : event;
        last = event;
        if (!content && event->kind == EVENT_CONTENT)
            content = event;
        tokens += event->tokens;
        sample->output_events++;
        track_token_event(event, sample, gaps);
    }
    sample->output_tokens = tokens < COUNT_NONE ? (uint32_t)tokens : COUNT_NONE - 1;
    if (first) {
        sample->arrival.first_ns = first->arrival_ns;
        sample->arrival.last_ns = last->arrival_ns;
        sample->app.first_ns = first->app_ns;
        sample->app.last_ns = last->app_ns;
    }
    if (content) {
        sample->arrival.first_content_ns = content->arrival_ns;
        sample->app.first_content_ns = content->app_ns;
    }
    sum_choices(sample, gaps);
}

/* The server's count of output tokens is N where there is one; what the events say is
 * checked on it. */
static void apply_usage(const struct arrival_request *request,
                        struct request_sample *sample)
{
    sample->mismatch = (request->flags & REQUEST_TOKEN_MISMATCH) != 0;
    if (request->usage_completion_tokens != COUNT_NONE) {
        if (sample->output_tokens != request->usage_completion_tokens)
            sample->mismatch = true;
        sample->output_tokens = request->usage_completion_tokens;
        sample->counted_by_usage = true;
    }
    sample->input_tokens = request->usage_prompt_tokens != COUNT_NONE
                               ? request->usage_prompt_tokens
                               : request->planned_input_tokens;
    if (request->usage_cached_tokens != COUNT_NONE)
        sample->cached_tokens = request->usage_cached_tokens;
}

void sample_from_request(const struct arrival_request *request,
                         struct request_sample *sample, struct token_gaps *gaps)
{
    *sample = (struct request_sample){
        .row = request->row,
        .due_ns = request->due_ns,
        .connect_start_ns = request->connect_start_ns,
        .connect_end_ns = request->connect_end_ns,
        .sent_ns = request->sent_ns,
        .end_ns = request->end_ns,
        .planned_output_tokens = request->planned_output_tokens,
        .http_status = request->http_status,
        .outcome = request->outcome,
        .streamed = (request->flags & REQUEST_STREAMED) != 0,
        .arrival = no_times,
        .app = no_times,
    };
    start_gaps(gaps, request->event_count);
    walk_events(request, sample, gaps);
    apply_usage(request, sample);
}
