/* Builds request bodies in a thread of its own, ahead of their due times, so that the
 * loop that stamps tokens never does. One loop asks, takes and gives back; one thread
 * builds. */
#ifndef TOKTRACE_BODY_QUEUE_H
#define TOKTRACE_BODY_QUEUE_H

#include <stddef.h>

#include "formats/base/buffer.h"
#include "formats/base/fault.h"
#include "replay/plan.h"
#include "replay/request_body.h"

struct body_queue; /* opaque */

/* Starts the thread. plan and options are borrowed for the queue's life. At most `count`
 * bodies may be asked for and not given back. Once those that wait to be taken have
 * `ahead_bytes` or more, none is built before one is taken, unless it is wanted. */
int body_queue_create(struct body_queue **queue, const struct plan *plan,
                      const struct body_options *options, size_t count,
                      size_t ahead_bytes, struct fault *fault);

/* Stops the thread and frees all; NULL is allowed. */
void body_queue_free(struct body_queue *queue);

/* Asks for the body of request `index` of the plan, which is not being built. */
void body_queue_ask(struct body_queue *queue, size_t index);

/* The body asked for, or NULL while it is not ready: then it is wanted. The caller gives
 * it back. */
struct buffer *body_queue_take(struct body_queue *queue, size_t index);

/* Of all bodies that are built and not taken. */
size_t body_queue_bytes(const struct body_queue *queue);

/* Gives a body back, for its memory to be used again. */
void body_queue_give_back(struct body_queue *queue, struct buffer *body);

#endif
