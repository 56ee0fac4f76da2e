#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "formats/base/clock.h"
#include "formats/base/memory.h"
#include "replay/body_queue.h"

enum { COUNT = 40, TOKENS = 2000, BODIES_OF_ROOM = 4, PATIENCE_MS = 20000 };

static const struct body_options OPTIONS = BODY_OPTIONS_INIT;

struct fixture {
    struct plan plan;
    struct body_queue *queue;
    size_t ahead_bytes;
    size_t body_max; /* bytes of the longest body */
};

static int setup(void **state)
{
    struct fixture *fixture = memory_new(1, sizeof *fixture);
    struct plan *plan = &fixture->plan;
    plan->count = COUNT;
    plan->requests = memory_new(COUNT, sizeof *plan->requests);
    for (size_t index = 0; index < COUNT; index++)
        plan->requests[index] = (struct plan_request){
            .think_ns = THINK_NONE,
            .input_tokens = TOKENS,
            .output_tokens = 1,
            .session = SESSION_NONE,
            .text = TEXT_NONE,
        };
    for (size_t index = 0; index < COUNT; index++) {
        struct buffer body = BUFFER_INIT;
        request_body_append(&body, plan, index, &OPTIONS);
        if (body.len > fixture->body_max)
            fixture->body_max = body.len;
        buffer_release(&body);
    }
    fixture->ahead_bytes = BODIES_OF_ROOM * fixture->body_max;
    struct fault fault = { "" };
    *state = fixture;
    return body_queue_create(&fixture->queue, plan, &OPTIONS, COUNT, fixture->ahead_bytes,
                             &fault);
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    body_queue_free(fixture->queue);
    free(fixture->plan.requests);
    free(fixture);
    return 0;
}

static void pause_ms(int64_t ms)
{
    struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * NS_PER_MS };
    nanosleep(&time, NULL);
}

static void ask_all(struct body_queue *queue)
{
    for (size_t index = 0; index < COUNT; index++)
        body_queue_ask(queue, index);
}

/* Takes a body as soon as it is built, checks it, and gives it back. */
static void take(const struct fixture *fixture, size_t index)
{
    struct buffer *body = NULL;
    for (int ms = 0; body == NULL && ms < PATIENCE_MS; ms++) {
        body = body_queue_take(fixture->queue, index);
        if (body == NULL)
            pause_ms(1);
    }
    assert_non_null(body);
    struct buffer expected = BUFFER_INIT;
    request_body_append(&expected, &fixture->plan, index, &OPTIONS);
    assert_int_equal(body->len, expected.len);
    assert_memory_equal(body->data, expected.data, expected.len);
    buffer_release(&expected);
    body_queue_give_back(fixture->queue, body);
}

static void await_full(const struct fixture *fixture)
{
    for (int ms = 0; body_queue_bytes(fixture->queue) < fixture->ahead_bytes; ms++) {
        assert_true(ms < PATIENCE_MS);
        pause_ms(1);
    }
    pause_ms(20); /* for one that would not stop */
    assert_in_range(body_queue_bytes(fixture->queue), fixture->ahead_bytes,
                    fixture->ahead_bytes + fixture->body_max);
}

/* All bodies come, in the order asked for, and never many at a time. */
static void test_bytes_ahead_are_bounded(void **state)
{
    const struct fixture *fixture = *state;
    ask_all(fixture->queue);
    await_full(fixture);
    for (size_t index = 0; index < COUNT; index++) {
        assert_true(body_queue_bytes(fixture->queue) <=
                    fixture->ahead_bytes + fixture->body_max);
        take(fixture, index);
    }
    assert_int_equal(body_queue_bytes(fixture->queue), 0);
}

/* What is due comes even if those before it, which are not, fill the room. */
static void test_the_last_is_wanted_first(void **state)
{
    const struct fixture *fixture = *state;
    ask_all(fixture->queue);
    await_full(fixture);
    for (size_t index = COUNT; index-- > 0;)
        take(fixture, index);
    assert_int_equal(body_queue_bytes(fixture->queue), 0);
}

/* The thread ends when it waits for room. */
static void test_the_end_with_bodies_left(void **state)
{
    const struct fixture *fixture = *state;
    ask_all(fixture->queue);
    await_full(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bytes_ahead_are_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_last_is_wanted_first, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_end_with_bodies_left, setup, teardown),
    };
    return cmocka_run_group_tests_name("body_queue", tests, NULL, NULL);
}
