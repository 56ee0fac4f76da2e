/* Timers of many streams: a 4-ary heap of absolute times. Setting, moving and removing
 * cost O(log n) and allocate only while the heap grows. */
#ifndef TOKTRACE_TIMER_HEAP_H
#define TOKTRACE_TIMER_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* Lives inside what it belongs to; zeroed: not set. */
struct timer {
    size_t slot; /* place in the heap, from 1; 0: not set */
};

struct timer_entry {
    int64_t due_ns; /* here and not in the timer: comparing must not touch the owners'
                       memory */
    struct timer *timer;
};

struct timer_heap {
    struct timer_entry *entries; /* owned */
    size_t count;
    size_t capacity;
};

void timer_heap_release(struct timer_heap *heap);

/* Sets the timer, or moves it when it is set. */
void timer_heap_set(struct timer_heap *heap, struct timer *timer, int64_t due_ns);

/* Does nothing when it is not set. */
void timer_heap_remove(struct timer_heap *heap, struct timer *timer);

/* The entry due first, still set; NULL when there is none. Borrowed until the next
 * change. */
const struct timer_entry *timer_heap_first(const struct timer_heap *heap);

#endif
