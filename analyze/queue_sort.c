#include "analyze/queue_sort.h"

#include <stdbool.h>

/* An American flag sort (McIlroy, Bostic and McIlroy 1993): radix from the top byte down,
 * permuted in place, and insertion where few are left. */

enum { DIGIT_VALUES = 256, DIGIT_BITS = 8, FEW = 32, WORDS = 2, TOP_SHIFT = 56 };

/* Position of a digit: which of the two times, and how far it is shifted. */
struct digit {
    unsigned word;
    unsigned shift;
};

struct order {
    bool by_app;
};

static int64_t time_of(const struct queue_event *event, struct order order, unsigned word)
{
    return order.by_app == (word == 0) ? event->app_ns : event->arrival_ns;
}

static unsigned digit_of(const struct queue_event *event, struct order order,
                         struct digit digit)
{
    uint64_t key = (uint64_t)time_of(event, order, digit.word) ^ (UINT64_C(1) << 63);
    return (unsigned)(key >> digit.shift) & (DIGIT_VALUES - 1);
}

static bool comes_before(const struct queue_event *left, const struct queue_event *right,
                         struct order order)
{
    int64_t first_left = time_of(left, order, 0);
    int64_t first_right = time_of(right, order, 0);
    if (first_left != first_right)
        return first_left < first_right;
    return time_of(left, order, 1) < time_of(right, order, 1);
}

static void sort_few(struct queue_event *events, size_t count, struct order order)
{
    for (size_t i = 1; i < count; i++) {
        struct queue_event event = events[i];
        size_t at = i;
        for (; at > 0 && comes_before(&event, &events[at - 1], order); at--)
            events[at] = events[at - 1];
        events[at] = event;
    }
}

/* Swaps events until each lies in the bucket of its digit; ends[v] is where bucket v
 * ends. */
static void permute(struct queue_event *events, const size_t *ends, struct order order,
                    struct digit digit)
{
    size_t next[DIGIT_VALUES];
    for (size_t value = 0; value < DIGIT_VALUES; value++)
        next[value] = value == 0 ? 0 : ends[value - 1];
    for (size_t value = 0; value < DIGIT_VALUES; value++) {
        while (next[value] < ends[value]) {
            struct queue_event event = events[next[value]];
            unsigned home = digit_of(&event, order, digit);
            while (home != value) {
                struct queue_event other = events[next[home]];
                events[next[home]++] = event;
                event = other;
                home = digit_of(&event, order, digit);
            }
            events[next[value]++] = event;
        }
    }
}

static bool step_down(struct digit *digit)
{
    if (digit->shift > 0) {
        digit->shift -= DIGIT_BITS;
        return true;
    }
    digit->word++;
    digit->shift = TOP_SHIFT;
    return digit->word < WORDS;
}

/* The first digit from `digit` down in which events differ, with its counts; false: none
 * does. */
static bool find_difference(const struct queue_event *events, size_t count,
                            struct order order, struct digit *digit, size_t *counts)
{
    do {
        for (size_t value = 0; value < DIGIT_VALUES; value++)
            counts[value] = 0;
        for (size_t i = 0; i < count; i++)
            counts[digit_of(&events[i], order, *digit)]++;
        if (counts[digit_of(&events[0], order, *digit)] < count)
            return true;
    } while (step_down(digit));
    return false;
}

static void sort_from(struct queue_event *events, size_t count, struct order order,
                      struct digit digit)
{
    size_t ends[DIGIT_VALUES];
    if (count <= FEW) {
        sort_few(events, count, order);
        return;
    }
    if (!find_difference(events, count, order, &digit, ends))
        return;
    for (size_t value = 1; value < DIGIT_VALUES; value++)
        ends[value] += ends[value - 1];
    permute(events, ends, order, digit);
    if (!step_down(&digit))
        return;
    for (size_t value = 0; value < DIGIT_VALUES; value++) {
        size_t start = value == 0 ? 0 : ends[value - 1];
        sort_from(events + start, ends[value] - start, order, digit);
    }
}

static void sort_events(struct queue_event *events, size_t count, struct order order)
{
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; i++)
        sorted = !comes_before(&events[i], &events[i - 1], order);
    if (!sorted)
        sort_from(events, count, order, (struct digit){ 0, TOP_SHIFT });
}

void queue_sort_by_app(struct queue_event *events, size_t count)
{
    sort_events(events, count, (struct order){ .by_app = true });
}

void queue_sort_by_arrival(struct queue_event *events, size_t count)
{
    sort_events(events, count, (struct order){ .by_app = false });
}
