#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "replay/event_pool.h"

static void append_numbered(struct event_chain *chain, struct event_pool *pool,
                            size_t count)
{
    for (size_t at = 0; at < count; at++)
        event_chain_append(chain, pool)->arrival_ns = (int64_t)at;
}

static void assert_taken_in_order(struct event_chain *chain, struct event_pool *pool)
{
    size_t count = chain->count;
    struct arrival_event *events = calloc(count + 1, sizeof *events);
    event_chain_take(chain, pool, events);
    for (size_t at = 0; at < count; at++)
        assert_int_equal(events[at].arrival_ns, at);
    assert_int_equal(chain->count, 0);
    assert_null(chain->first);
    free(events);
}

static void test_counts_around_a_block(void **state)
{
    (void)state;
    struct event_pool pool;
    event_pool_init(&pool, 0);
    static const size_t counts[] = { 0,
                                     1,
                                     EVENT_BLOCK_EVENTS - 1,
                                     EVENT_BLOCK_EVENTS,
                                     EVENT_BLOCK_EVENTS + 1,
                                     3 * EVENT_BLOCK_EVENTS };
    for (size_t which = 0; which < sizeof counts / sizeof counts[0]; which++) {
        struct event_chain chain = { 0 };
        append_numbered(&chain, &pool, counts[which]);
        assert_int_equal(chain.count, counts[which]);
        assert_taken_in_order(&chain, &pool);
    }
    event_pool_release(&pool);
}

static void test_blocks_are_used_again(void **state)
{
    (void)state;
    struct event_pool pool;
    event_pool_init(&pool, 0);
    for (int round = 0; round < 100; round++) {
        struct event_chain chain = { 0 };
        append_numbered(&chain, &pool, 1000 * EVENT_BLOCK_EVENTS);
        assert_taken_in_order(&chain, &pool);
    }
    assert_int_equal(pool.slab_count, 1);
    event_pool_release(&pool);
}

static void test_more_than_was_reserved(void **state)
{
    (void)state;
    struct event_pool pool;
    event_pool_init(&pool, 10);
    struct event_chain one = { 0 };
    struct event_chain other = { 0 };
    for (size_t at = 0; at < 100000; at++) {
        event_chain_append(&one, &pool)->arrival_ns = (int64_t)at;
        event_chain_append(&other, &pool)->arrival_ns = (int64_t)at;
    }
    assert_taken_in_order(&one, &pool);
    assert_taken_in_order(&other, &pool);
    event_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_around_a_block),
        cmocka_unit_test(test_blocks_are_used_again),
        cmocka_unit_test(test_more_than_was_reserved),
    };
    return cmocka_run_group_tests_name("event_pool", tests, NULL, NULL);
}
