/* The analysis of a client as a queue, as people and as programs read it. */
#ifndef TOKTRACE_QUEUE_OUTPUT_H
#define TOKTRACE_QUEUE_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>

#include "analyze/queue.h"
#include "analyze/sheet.h"
#include "formats/base/buffer.h"

/* Appends what a worker's queue was like in one sentence: utilisation, which assumption
 * failed, what the models say beside what was seen. No newline. */
void queue_sentence(struct buffer *text, const struct queue *queue,
                    const struct queue_worker *worker);

/* Appends why lambda E[S] and the loop's busy share differ, or that they agree; nothing
 * where one is unknown. No newline. */
void queue_rho_sentence(struct buffer *text, const struct queue_worker *worker);

struct queue_text_options {
    bool by_worker; /* all that is known of each worker, even if there are several */
};

void queue_show(struct sheet *sheet, const struct queue *queue,
                const struct queue_text_options *options);

/* Sections of the above. */
void queue_show_worker(struct sheet *sheet, const struct queue *queue,
                       const struct queue_worker *worker);
void queue_show_assumptions(struct sheet *sheet, const struct queue *queue,
                            const struct queue_worker *worker);

/* The document of schema tokanalyze.queue/1; new reference. */
json_t *queue_json(const struct queue *queue);

/* One worker of it; new reference. */
json_t *queue_worker_json(const struct queue *queue, const struct queue_worker *worker);

/* "p50", "p90", "p99" and the mean; new reference. */
json_t *wait_figures_json(const struct wait_figures *figures);

#endif
