#include "replay/body_queue.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/memory.h"
#include "replay/spsc_ring.h"

struct body_queue {
    const struct plan *plan;
    const struct body_options *options;
    struct spsc_ring asked;          /* loop to thread: index + 1, as a pointer */
    struct spsc_ring returned;       /* loop to thread: buffers to use again */
    _Atomic(struct buffer *) *ready; /* by index of the plan */
    size_t ahead_bytes;
    atomic_size_t bytes;  /* of the bodies in ready */
    atomic_size_t wanted; /* index + 1 of a body that is due and was not there; 0: none */
    sem_t work;           /* something is asked for */
    sem_t room;           /* something was taken, or is wanted */
    atomic_bool stop;
    pthread_t thread;
};

static struct buffer *body_queue_empty_buffer(struct body_queue *queue)
{
    struct buffer *body = spsc_ring_pop(&queue->returned);
    if (body == NULL)
        return memory_new(1, sizeof *body);
    buffer_clear(body);
    return body;
}

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0 && errno == EINTR)
        continue;
}

/* The body that is wanted may have been asked for after any number of others, of turns
 * whose time has not come: then all up to it are built, whatever their size. */
static bool body_queue_may_build(struct body_queue *queue)
{
    size_t wanted = atomic_load(&queue->wanted);
    return atomic_load(&queue->bytes) < queue->ahead_bytes || atomic_load(&queue->stop) ||
           (wanted != 0 && atomic_load(&queue->ready[wanted - 1]) == NULL);
}

static void *body_queue_thread(void *argument)
{
    struct body_queue *queue = argument;
    for (;;) {
        wait_for(&queue->work);
        while (!body_queue_may_build(queue))
            wait_for(&queue->room);
        if (atomic_load_explicit(&queue->stop, memory_order_acquire))
            return NULL;
        size_t index = (size_t)(uintptr_t)spsc_ring_pop(&queue->asked) - 1;
        struct buffer *body = body_queue_empty_buffer(queue);
        request_body_append(body, queue->plan, index, queue->options);
        atomic_fetch_add(&queue->bytes, body->len);
        atomic_store_explicit(&queue->ready[index], body, memory_order_release);
    }
}

int body_queue_create(struct body_queue **queue, const struct plan *plan,
                      const struct body_options *options, size_t count,
                      size_t ahead_bytes, struct fault *fault)
{
    struct body_queue *new_queue = memory_new(1, sizeof *new_queue);
    new_queue->plan = plan;
    new_queue->options = options;
    new_queue->ahead_bytes = ahead_bytes;
    new_queue->ready = memory_new(plan->count + 1, sizeof *new_queue->ready);
    spsc_ring_init(&new_queue->asked, count);
    spsc_ring_init(&new_queue->returned, count);
    sem_init(&new_queue->work, 0, 0);
    sem_init(&new_queue->room, 0, 0);
    /* The thread takes no signals: they are the loop's. */
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int error = pthread_create(&new_queue->thread, NULL, body_queue_thread, new_queue);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        spsc_ring_release(&new_queue->asked);
        spsc_ring_release(&new_queue->returned);
        free(new_queue->ready);
        free(new_queue);
        return fault_set(fault, STATUS_IO,
                         "cannot start the thread that builds requests: %s",
                         strerror(error));
    }
    *queue = new_queue;
    return STATUS_OK;
}

static void body_free(struct buffer *body)
{
    if (body != NULL)
        buffer_release(body);
    free(body);
}

void body_queue_free(struct body_queue *queue)
{
    if (queue == NULL)
        return;
    atomic_store(&queue->stop, true);
    sem_post(&queue->work);
    sem_post(&queue->room);
    pthread_join(queue->thread, NULL);
    for (struct buffer *body; (body = spsc_ring_pop(&queue->returned)) != NULL;)
        body_free(body);
    for (size_t index = 0; index < queue->plan->count; index++)
        body_free(atomic_load_explicit(&queue->ready[index], memory_order_relaxed));
    spsc_ring_release(&queue->asked);
    spsc_ring_release(&queue->returned);
    sem_destroy(&queue->work);
    sem_destroy(&queue->room);
    free(queue->ready);
    free(queue);
}

void body_queue_ask(struct body_queue *queue, size_t index)
{
    bool pushed = spsc_ring_push(&queue->asked, (void *)(uintptr_t)(index + 1));
    assert(pushed);
    (void)pushed;
    sem_post(&queue->work);
}

struct buffer *body_queue_take(struct body_queue *queue, size_t index)
{
    if (atomic_load_explicit(&queue->ready[index], memory_order_acquire) == NULL) {
        if (atomic_exchange(&queue->wanted, index + 1) != index + 1)
            sem_post(&queue->room);
        return NULL;
    }
    atomic_store(&queue->wanted, 0);
    struct buffer *body = atomic_exchange(&queue->ready[index], NULL);
    atomic_fetch_sub(&queue->bytes, body->len);
    sem_post(&queue->room);
    return body;
}

size_t body_queue_bytes(const struct body_queue *queue)
{
    return atomic_load_explicit(&queue->bytes, memory_order_relaxed);
}

void body_queue_give_back(struct body_queue *queue, struct buffer *body)
{
    if (!spsc_ring_push(&queue->returned, body))
        body_free(body);
}
