#include "replay/plan_transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/hash.h"
#include "formats/base/memory.h"
#include "formats/base/random.h"
#include "formats/base/units.h"
#include "replay/plan_streams.h"

/* Room for row numbers below that of the source in an index of draws. */
enum { SOURCE_SHIFT = 40 };

static uint64_t draw_index(uint32_t source, uint64_t row)
{
    return (uint64_t)source << SOURCE_SHIFT ^ row;
}

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* Draws for the rows [first, end), which share a tick: sorted, so that their order is
 * kept. */
static void spread_group(struct request_trace *trace, size_t first, size_t end,
                         uint64_t seed, uint32_t source)
{
    int64_t *offsets = memory_new(end - first, sizeof *offsets);
    for (size_t i = first; i < end; i++) {
        struct random_stream stream;
        random_stream_init(&stream, seed, STREAM_TICK,
                           draw_index(source, trace->rows[i].row));
        offsets[i - first] = (int64_t)(random_uniform(&stream) * (double)trace->tick_ns);
    }
    qsort(offsets, end - first, sizeof *offsets, compare_times);
    for (size_t i = first; i < end; i++) {
        if (trace->rows[i].time_ns <= INT64_MAX - offsets[i - first])
            trace->rows[i].time_ns += offsets[i - first];
    }
    free(offsets);
}

void plan_spread_ticks(struct request_trace *trace, uint64_t seed, uint32_t source)
{
    for (size_t first = 0, end; first < trace->count; first = end) {
        end = first + 1;
        while (end < trace->count &&
               trace->rows[end].time_ns == trace->rows[first].time_ns)
            end++;
        spread_group(trace, first, end, seed, source);
    }
}

static int compare_requests(const void *left, const void *right)
{
    const struct plan_request *a = left;
    const struct plan_request *b = right;
    if (a->due_ns != b->due_ns)
        return a->due_ns < b->due_ns ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return a->trace_row < b->trace_row ? -1 : a->trace_row > b->trace_row;
}

void plan_sort(struct plan *plan)
{
    qsort(plan->requests, plan->count, sizeof *plan->requests, compare_requests);
}

/* Requests are due in ascending order, so the window is one run of them. */
void plan_window(struct plan *plan, int64_t start_ns, int64_t duration_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++) {
        struct plan_request request = plan->requests[i];
        request.due_ns -= start_ns;
        if (request.due_ns < 0 || (duration_ns > 0 && request.due_ns >= duration_ns))
            continue;
        plan->requests[kept++] = request;
    }
    plan->count = kept;
}

static bool in_sample(const struct plan *plan, const struct plan_request *request,
                      double fraction)
{
    struct random_stream stream;
    if (request->session == SESSION_NONE) {
        random_stream_init(&stream, plan->seed, STREAM_SAMPLE_ROW,
                           draw_index(request->source, request->trace_row));
    } else {
        const char *name = plan_session_name(plan, request->session);
        random_stream_init(&stream, plan->seed, STREAM_SAMPLE_SESSION,
                           hash_fnv1a(HASH_FNV1A_START, name, strlen(name)));
    }
    return random_uniform(&stream) < fraction;
}

void plan_sample(struct plan *plan, double fraction)
{
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++) {
        if (in_sample(plan, &plan->requests[i], fraction))
            plan->requests[kept++] = plan->requests[i];
    }
    plan->count = kept;
}

void plan_limit(struct plan *plan, size_t limit)
{
    if (plan->count > limit)
        plan->count = limit;
}

void plan_clip(struct plan *plan, uint32_t max_input, uint32_t max_output)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct plan_request *request = &plan->requests[i];
        if (max_output > 0 && request->output_tokens > max_output) {
            request->output_tokens = max_output;
            plan->clipped_output++;
        }
        if (max_input == 0 || request->input_tokens <= max_input)
            continue;
        request->input_tokens = max_input;
        plan->clipped_input++;
        if (request->block_count > 0) {
            uint32_t needed = (max_input - 1) / request->block_tokens + 1;
            request->block_count = needed < request->block_count ? needed
                                                                 : request->block_count;
        }
    }
}

double plan_rate(const struct plan *plan)
{
    if (plan->count < 2)
        return 0;
    int64_t span_ns = plan->requests[plan->count - 1].due_ns - plan->requests[0].due_ns;
    return span_ns > 0 ? (double)(plan->count - 1) / ((double)span_ns / NS_PER_S) : 0;
}

int plan_period(const struct plan *plan, int64_t duration_ns, int64_t *period_ns,
                struct fault *fault)
{
    *period_ns = duration_ns;
    if (duration_ns > 0 || !plan->has_times)
        return STATUS_OK;
    if (plan->count < 2)
        return fault_set(fault, STATUS_USAGE,
                         "--repeat: one row has no period, expected --duration with it");
    int64_t span_ns = plan->requests[plan->count - 1].due_ns - plan->requests[0].due_ns;
    int64_t gap_ns = span_ns / (int64_t)(plan->count - 1);
    if (__builtin_add_overflow(span_ns, gap_ns, period_ns))
        return fault_set(fault, STATUS_LIMIT, "--repeat: times do not fit 63 bits of ns");
    return STATUS_OK;
}

static uint32_t session_of_copy(struct plan *plan, uint32_t session, size_t copy,
                                struct buffer *scratch)
{
    buffer_clear(scratch);
    buffer_append_text(scratch, plan_session_name(plan, session));
    buffer_append_byte(scratch, '#');
    buffer_append_int(scratch, (long long)copy);
    return name_table_add(&plan->sessions, scratch->data, scratch->len);
}

int plan_extend(struct plan *plan, size_t count, int64_t period_ns, struct fault *fault)
{
    size_t base = plan->count;
    struct buffer name = BUFFER_INIT;
    int rc = STATUS_OK;
    if (base == 0 || count <= base)
        return STATUS_OK;
    plan->requests = memory_resize(plan->requests, count, sizeof *plan->requests);
    plan->capacity = count;
    for (size_t i = base; i < count && rc == STATUS_OK; i++) {
        struct plan_request request = plan->requests[i % base];
        int64_t shift_ns;
        if (__builtin_mul_overflow((int64_t)(i / base), period_ns, &shift_ns)
            || __builtin_add_overflow(request.due_ns, shift_ns, &request.due_ns))
            rc = fault_set(fault, STATUS_LIMIT,
                           "--repeat: times do not fit 63 bits of ns");
        if (request.session != SESSION_NONE)
            request.session = session_of_copy(plan, request.session, i / base, &name);
        plan->requests[plan->count++] = request;
    }
    buffer_release(&name);
    return rc;
}

static bool scale_time(int64_t *time_ns, long double factor)
{
    long double scaled = (long double)*time_ns * factor;
    if (scaled >= 0x1p63L)
        return false;
    *time_ns = (int64_t)roundl(scaled);
    return true;
}

int plan_scale(struct plan *plan, long double factor, struct fault *fault)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct plan_request *request = &plan->requests[i];
        if (!scale_time(&request->due_ns, factor)
            || (request->think_ns > 0 && !scale_time(&request->think_ns, factor)))
            return fault_set(fault, STATUS_LIMIT,
                             "times slowed down this much do not fit 63 bits of ns");
    }
    return STATUS_OK;
}

int plan_set_think_time(struct plan *plan, const char *text, struct fault *fault)
{
    int64_t think_ns = 0;
    if (text == NULL || strcmp(text, "trace") == 0)
        return STATUS_OK;
    bool none = strcmp(text, "none") == 0;
    if (!none && (units_parse_duration(text, &think_ns, fault) < 0 || think_ns < 0))
        return fault_set(fault, STATUS_USAGE,
                         "--think-time: \"%s\", expected trace, none or a duration",
                         text);
    for (size_t i = 0; i < plan->count; i++) {
        struct plan_request *request = &plan->requests[i];
        if (request->session == SESSION_NONE || request->turn == 0)
            continue;
        if (!none || request->think_ns != THINK_NONE)
            request->think_ns = think_ns;
    }
    return STATUS_OK;
}

void plan_number_sessions(struct plan *plan)
{
    struct name_table sessions = { 0 };
    uint32_t *turns = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < plan->count; i++) {
        struct plan_request *request = &plan->requests[i];
        if (request->session == SESSION_NONE)
            continue;
        const char *name = plan_session_name(plan, request->session);
        size_t known = sessions.count;
        request->session = name_table_add(&sessions, name, strlen(name));
        if (sessions.count > known) {
            turns = memory_grow(turns, known, &capacity, sizeof *turns);
            turns[known] = 0;
        }
        request->turn = turns[request->session]++;
        if (request->turn == 0)
            request->think_ns = THINK_NONE;
    }
    free(turns);
    name_table_release(&plan->sessions);
    plan->sessions = sessions;
}
