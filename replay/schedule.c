#include "replay/schedule.h"

#include <stdlib.h>

#include "formats/base/memory.h"

#define NO_POSITION UINT32_MAX

/* A position of the share that became due by the end of another request. */
struct released {
    int64_t due_ns;
    uint32_t position;
};

struct schedule {
    const struct plan *plan;
    struct schedule_options options;
    uint32_t *share; /* owned; indices of the plan, by due time */
    /* owned; position of the session's next waiting turn, or NO_POSITION */
    uint32_t *next_turn;
    bool *taken; /* owned; by position */
    size_t count;
    size_t fixed;          /* next position whose due time is the plan's own */
    size_t asked;          /* next position, among those, whose body was not asked for */
    size_t asked_ahead;    /* bodies asked for and not taken, of those */
    size_t left;           /* positions neither taken nor given up */
    size_t unsent;         /* cursor of schedule_next_unsent */
    struct released *heap; /* owned; binary, earliest first */
    size_t heap_count;
    size_t heap_capacity;
    /* owned ring; positions whose predecessor was taken: bodies to build */
    uint32_t *turns;
    size_t turns_begin;
    size_t turns_end;
    int64_t *free_slots; /* owned ring; when each free slot became free */
    uint64_t free_begin;
    uint64_t free_count;
};

uint64_t schedule_slots(uint64_t concurrency, uint32_t worker, uint32_t workers)
{
    return concurrency / workers + (worker < concurrency % workers);
}

static const struct plan_request *schedule_at(const struct schedule *schedule,
                                              size_t position)
{
    return &schedule->plan->requests[schedule->share[position]];
}

static bool waits_at(const struct schedule *schedule, size_t position)
{
    return plan_request_waits(schedule_at(schedule, position));
}

static void schedule_link_turns(struct schedule *schedule)
{
    uint32_t *last = NULL;
    size_t capacity = 0;
    for (size_t position = 0; position < schedule->count; position++) {
        schedule->next_turn[position] = NO_POSITION;
        uint32_t session = schedule_at(schedule, position)->session;
        if (session == SESSION_NONE)
            continue;
        if (session >= capacity) {
            size_t grown = (size_t)session * 2 + 16;
            last = memory_resize(last, grown, sizeof *last);
            for (; capacity < grown; capacity++)
                last[capacity] = NO_POSITION;
        }
        if (last[session] != NO_POSITION && waits_at(schedule, position))
            schedule->next_turn[last[session]] = (uint32_t)position;
        last[session] = (uint32_t)position;
    }
    free(last);
}

static void schedule_skip_waiting(const struct schedule *schedule, size_t *position)
{
    while (*position < schedule->count && waits_at(schedule, *position))
        ++*position;
}

struct schedule *schedule_create(const struct plan *plan,
                                 const struct schedule_options *options)
{
    struct schedule *schedule = memory_new(1, sizeof *schedule);
    schedule->plan = plan;
    schedule->options = *options;
    schedule->share = memory_new(plan->count + 1, sizeof *schedule->share);
    for (size_t index = 0; index < plan->count; index++)
        if (plan_worker_of(plan, index, options->workers) == options->worker)
            schedule->share[schedule->count++] = (uint32_t)index;
    schedule->left = schedule->count;
    schedule->next_turn = memory_new(schedule->count + 1, sizeof *schedule->next_turn);
    schedule->taken = memory_new(schedule->count + 1, sizeof *schedule->taken);
    schedule->turns = memory_new(schedule->count + 1, sizeof *schedule->turns);
    schedule_link_turns(schedule);
    schedule_skip_waiting(schedule, &schedule->fixed);
    schedule_skip_waiting(schedule, &schedule->asked);
    schedule->free_slots = memory_new(options->slots + 1, sizeof *schedule->free_slots);
    schedule->free_count = options->slots;
    return schedule;
}

void schedule_free(struct schedule *schedule)
{
    if (schedule == NULL)
        return;
    free(schedule->share);
    free(schedule->next_turn);
    free(schedule->taken);
    free(schedule->heap);
    free(schedule->turns);
    free(schedule->free_slots);
    free(schedule);
}

size_t schedule_count(const struct schedule *schedule)
{
    return schedule->count;
}

static bool earlier(const struct released *a, const struct released *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->position < b->position;
}

static void heap_push(struct schedule *schedule, struct released item)
{
    schedule->heap = memory_grow(schedule->heap, schedule->heap_count,
                                 &schedule->heap_capacity, sizeof *schedule->heap);
    size_t at = schedule->heap_count++;
    while (at > 0 && earlier(&item, &schedule->heap[(at - 1) / 2])) {
        schedule->heap[at] = schedule->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    schedule->heap[at] = item;
}

static void heap_pop(struct schedule *schedule)
{
    struct released *heap = schedule->heap;
    size_t count = --schedule->heap_count;
    struct released item = heap[count];
    size_t at = 0;
    for (size_t child; (child = at * 2 + 1) < count; at = child) {
        if (child + 1 < count && earlier(&heap[child + 1], &heap[child]))
            child++;
        if (!earlier(&heap[child], &item))
            break;
        heap[at] = heap[child];
    }
    if (count > 0)
        heap[at] = item;
}

/* True when the released head goes before the plan's own next. In a closed loop the
 * plan's times say only the order: a turn that was ready when the slot became free goes
 * first, since its session is under way. */
static bool heap_is_first(const struct schedule *schedule, const struct released *fixed)
{
    const struct released *head = &schedule->heap[0];
    if (schedule->options.slots == 0)
        return earlier(head, fixed);
    return schedule->free_count > 0 &&
           head->due_ns <= schedule->free_slots[schedule->free_begin];
}

/* What is taken next, from the plan's own order or from what answers released. */
static bool schedule_head(const struct schedule *schedule, struct released *head,
                          bool *is_heap)
{
    bool have_fixed = schedule->fixed < schedule->count;
    bool have_heap = schedule->heap_count > 0;
    struct released fixed = { 0 };
    if (have_fixed)
        fixed = (struct released){ schedule_at(schedule, schedule->fixed)->due_ns,
                                   (uint32_t)schedule->fixed };
    *is_heap = have_heap && (!have_fixed || heap_is_first(schedule, &fixed));
    *head = *is_heap ? schedule->heap[0] : fixed;
    return have_fixed || have_heap;
}

bool schedule_next(const struct schedule *schedule, size_t *index, int64_t *due_ns)
{
    struct released head;
    bool is_heap;
    if (!schedule_head(schedule, &head, &is_heap))
        return false;
    *index = schedule->share[head.position];
    *due_ns = head.due_ns;
    if (schedule->options.slots == 0)
        return true;
    if (schedule->free_count == 0)
        return false;
    int64_t free_ns = schedule->free_slots[schedule->free_begin];
    *due_ns = is_heap && head.due_ns > free_ns ? head.due_ns : free_ns;
    return true;
}

void schedule_take(struct schedule *schedule)
{
    struct released head;
    bool is_heap;
    if (!schedule_head(schedule, &head, &is_heap))
        return;
    if (is_heap) {
        heap_pop(schedule);
    } else {
        schedule->fixed++;
        schedule_skip_waiting(schedule, &schedule->fixed);
        if (schedule->asked_ahead > 0)
            schedule->asked_ahead--;
    }
    schedule->taken[head.position] = true;
    schedule->left--;
    uint32_t next = schedule->next_turn[head.position];
    if (next != NO_POSITION)
        schedule->turns[schedule->turns_end++] = next;
    if (schedule->options.slots > 0) {
        schedule->free_begin = (schedule->free_begin + 1) % schedule->options.slots;
        schedule->free_count--;
    }
}

static uint32_t schedule_position_of(const struct schedule *schedule, size_t index)
{
    size_t low = 0;
    size_t high = schedule->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (schedule->share[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

void schedule_finished(struct schedule *schedule, size_t index, int64_t end_ns,
                       bool failed)
{
    if (schedule->options.slots > 0) {
        uint64_t at =
            (schedule->free_begin + schedule->free_count++) % schedule->options.slots;
        schedule->free_slots[at] = end_ns;
    }
    uint32_t next = schedule->next_turn[schedule_position_of(schedule, index)];
    if (next == NO_POSITION)
        return;
    if (failed && schedule->options.failed_turn == FAILED_TURN_STOP) {
        for (; next != NO_POSITION; next = schedule->next_turn[next])
            schedule->left--;
        return;
    }
    const struct plan_request *turn = schedule_at(schedule, next);
    int64_t due_ns = end_ns + turn->think_ns;
    if (schedule->options.slots == 0 && turn->due_ns > due_ns)
        due_ns = turn->due_ns;
    heap_push(schedule, (struct released){ due_ns, next });
}

bool schedule_is_over(const struct schedule *schedule)
{
    return schedule->left == 0;
}

bool schedule_next_body(struct schedule *schedule, size_t ahead, size_t *index)
{
    if (schedule->turns_begin < schedule->turns_end) {
        *index = schedule->share[schedule->turns[schedule->turns_begin++]];
        return true;
    }
    if (schedule->asked == schedule->count || schedule->asked_ahead >= ahead)
        return false;
    *index = schedule->share[schedule->asked++];
    schedule->asked_ahead++;
    schedule_skip_waiting(schedule, &schedule->asked);
    return true;
}

bool schedule_next_unsent(struct schedule *schedule, size_t *index)
{
    while (schedule->unsent < schedule->count) {
        size_t position = schedule->unsent++;
        if (schedule->taken[position])
            continue;
        *index = schedule->share[position];
        return true;
    }
    return false;
}
