#include <math.h>

#include "analyze/queue_output.h"
#include "analyze/short_text.h"

/* Beyond these an assumption counts as failed. */
#define BATCH_NOTABLE 1.05
#define SCATTER_NOTABLE 1.5
#define PREDICTION_GOOD 0.25

/* Two ways to tell utilisation agree within a tenth, or two points. */
#define RHO_AGREES_SHARE 0.1
#define RHO_AGREES 0.02

static const struct queue_model_set *set_of(const struct queue *queue,
                                            const struct queue_worker *worker)
{
    return queue->supposed ? &worker->supposed : &worker->recorded;
}

/* What waits should have been: as seen, or, for a supposed service, as its arrivals
 * force. */
static double reference_s(const struct queue *queue, const struct queue_worker *worker)
{
    return queue->supposed ? worker->supposed.lindley.mean.value
                           : worker->observed.mean.value;
}

/* What is not as M/G/1 assumes, as the start of a clause. */
static void say_arrivals(struct buffer *text, const struct queue_worker *worker)
{
    double batch = worker->estimates.batches.size.value;
    double cv2 = worker->arrivals.squared_cv;
    if (batch > BATCH_NOTABLE)
        buffer_printf(text, "arrivals come in batches of %.3g", batch);
    else if (cv2 > SCATTER_NOTABLE)
        buffer_printf(text, "arrivals come in bursts (gaps have a squared coefficient of "
                            "variation of %.3g)", cv2);
    else if (cv2 < 1 / SCATTER_NOTABLE)
        buffer_printf(text, "arrivals are more even than a Poisson process (gaps have a "
                            "squared coefficient of variation of %.3g)", cv2);
    else
        buffer_append_text(text, "gaps between arrivals scatter as a Poisson process has "
                                 "them");
}

static void say_models(struct buffer *text, const struct queue *queue,
                       const struct queue_worker *worker)
{
    const struct queue_model_set *set = set_of(queue, worker);
    double seen_s = reference_s(queue, worker);
    double mg1_s = set->predictions.mean_s[MODEL_MG1];
    double batch_s = set->predictions.mean_s[MODEL_BATCH];
    bool good = fabs(mg1_s - seen_s) <= PREDICTION_GOOD * seen_s;
    say_arrivals(text, worker);
    buffer_printf(text, good ? ", and M/G/1 predicts %s of wait where "
                             : ", but M/G/1 predicts %s of wait where ",
                  duration_text(mg1_s).text);
    buffer_printf(text, queue->supposed ? "the recorded arrivals lead to %s"
                                        : "%s were observed",
                  duration_text(seen_s).text);
    if (worker->estimates.batches.size.value > BATCH_NOTABLE)
        buffer_printf(text, "; M^X/G/1 %s", duration_text(batch_s).text);
    if (!queue->supposed)
        buffer_printf(text, "; trace-driven %s",
                      duration_text(set->lindley.mean.value).text);
    double with_setup_s = set->lindley_setup.mean.value;
    if (isfinite(with_setup_s))
        buffer_printf(text, ", %s with a set-up of %s whenever the loop had slept",
                      duration_text(with_setup_s).text,
                      duration_text(set->inputs.setup_s).text);
}

void queue_sentence(struct buffer *text, const struct queue *queue,
                    const struct queue_worker *worker)
{
    if (worker->problem) {
        buffer_append_text(text, worker->problem);
        return;
    }
    if (!queue->served && !queue->supposed) {
        buffer_printf(text, "%s of arrivals; ",
                      rate_text(worker->estimates.rate_per_s.value).text);
        say_arrivals(text, worker);
        buffer_append_text(text, "; the log does not say when the client had them, so "
                                 "services and waits are unknown (--what-if-service)");
        return;
    }
    double rho = set_of(queue, worker)->predictions.rho;
    buffer_printf(text, "ρ = %.3g; ", rho);
    if (!queue->supposed && queue_worker_is_saturated(worker)) {
        buffer_printf(text, "the client, not the server, was saturated: events waited %s "
                            "on average, and no model has a steady state to compare with",
                      duration_text(worker->observed.mean.value).text);
        return;
    }
    if (!(rho < 1)) {
        buffer_printf(text, "such a client would be saturated: no model has a steady "
                            "state, the recorded arrivals lead to waits of %s",
                      duration_text(reference_s(queue, worker)).text);
        return;
    }
    say_models(text, queue, worker);
}

void queue_rho_sentence(struct buffer *text, const struct queue_worker *worker)
{
    double by_service = worker->estimates.rho.value;
    double by_loop = worker->busy_share;
    if (!isfinite(by_service) || !isfinite(by_loop))
        return;
    double apart = fabs(by_loop - by_service);
    if (apart <= fmax(RHO_AGREES, RHO_AGREES_SHARE * by_loop))
        buffer_append_text(text, "the two agree");
    else if (by_loop > by_service)
        buffer_printf(text, "the loop was busy for %.3g more: sending, timers, and what "
                            "it does with events after it has them, are no services",
                      by_loop - by_service);
    else
        buffer_printf(text, "services take %.3g more than the loop was busy: they hold "
                            "time in which the loop slept or did not run, or stamps of "
                            "arrivals that are late", by_service - by_loop);
}
