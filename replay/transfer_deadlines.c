/* What ends or starts again without a word from the network: time limits, retries, and
 * the end of a run. */
#include "formats/base/clock.h"
#include "replay/transfers_state.h"

enum {
    /* How long an answer's connection may stay open after the answer said that it is
       over. */
    LINGER_NS = NS_PER_S,
    RETRY_FIRST_NS = 100 * NS_PER_MS,
    RETRY_DOUBLINGS_MAX = 7,
};

/* Ends a transfer for a reason of our own; an answer that was over or had failed by its
 * own words keeps its own, and one that was over ended then, not with its connection. */
static void transfer_give_up(struct transfer *transfer, enum outcome reason)
{
    read_end(transfer->owner);
    transfer_answer_finish(transfer, BODY_BROKEN);
    enum outcome own = transfer->answer.result.outcome;
    transfer->released_ns = transfers_now(transfer->owner);
    transfer_finish(transfer,
                    own == OUTCOME_OK || own == OUTCOME_STREAM_ERROR ? own : reason,
                    transfer->lingers ? transfer->over_ns : transfer->released_ns);
}

/* What our time limits say of a list's head: the moment it is due, INT64_MAX when nothing
 * is. */
static int64_t deadline_of(const struct transfer *head, int64_t since_ns,
                           int64_t limit_ns)
{
    return head == NULL || limit_ns == 0 ? INT64_MAX : since_ns + limit_ns;
}

static int64_t start_deadline(const struct transfers *transfers)
{
    const struct transfer *head = TAILQ_FIRST(&transfers->by_start);
    return deadline_of(head, head == NULL ? 0 : head->record.start_ns,
                       transfers->options.timeout_ns);
}

static int64_t idle_deadline(const struct transfers *transfers)
{
    const struct transfer *head = TAILQ_FIRST(&transfers->by_activity);
    return deadline_of(head, head == NULL ? 0 : head->active_ns,
                       transfers->options.idle_timeout_ns);
}

static int64_t linger_deadline(const struct transfers *transfers)
{
    const struct transfer *head = TAILQ_FIRST(&transfers->by_linger);
    return deadline_of(head, head == NULL ? 0 : head->over_ns, LINGER_NS);
}

static int64_t retry_deadline(const struct transfers *transfers)
{
    const struct transfer *head = TAILQ_FIRST(&transfers->by_retry);
    return head == NULL ? INT64_MAX : head->retry_at_ns;
}

static bool may_retry(const struct transfer *transfer, enum outcome outcome)
{
    if (transfer->record.attempts > transfer->owner->options.retries)
        return false;
    unsigned status = transfer->record.http_status;
    return outcome == OUTCOME_CONNECT ||
           (outcome == OUTCOME_HTTP_STATUS &&
            (status == 429 || status == 502 || status == 503 || status == 504));
}

/* Retry-After where the server gave one, else 100 ms, 200 ms, ... 12.8 s. */
static int64_t retry_pause_ns(const struct transfer *transfer)
{
    if (transfer->retry_after_ns > 0)
        return transfer->retry_after_ns;
    unsigned doublings = transfer->record.attempts - 1u;
    if (doublings > RETRY_DOUBLINGS_MAX)
        doublings = RETRY_DOUBLINGS_MAX;
    return (int64_t)RETRY_FIRST_NS << doublings;
}

bool transfer_retry(struct transfer *transfer, enum outcome outcome)
{
    struct transfers *transfers = transfer->owner;
    if (!may_retry(transfer, outcome))
        return false;
    transfer_detach(transfer);
    event_chain_drop(&transfer->events, &transfers->events);
    transfer->waits = true;
    transfer->retry_at_ns = transfers_now(transfers) + retry_pause_ns(transfer);
    struct transfer *later;
    TAILQ_FOREACH(later, &transfers->by_retry, by_retry)
    if (later->retry_at_ns > transfer->retry_at_ns)
        break;
    if (later != NULL)
        TAILQ_INSERT_BEFORE(later, transfer, by_retry);
    else
        TAILQ_INSERT_TAIL(&transfers->by_retry, transfer, by_retry);
    return true;
}

static void retry_first(struct transfers *transfers)
{
    struct transfer *transfer = TAILQ_FIRST(&transfers->by_retry);
    transfer_detach(transfer);
    transfer_launch(transfer);
}

void transfers_run_timers(struct transfers *transfers, int64_t now_ns)
{
    for (unsigned number = 0; number < transfers->options.lanes; number++)
        if (transfers->lanes[number].deadline_ns <= now_ns)
            lane_act(&transfers->lanes[number], CURL_SOCKET_TIMEOUT, 0);
}

void transfers_expire(struct transfers *transfers, int64_t now_ns)
{
    while (linger_deadline(transfers) <= now_ns)
        transfer_give_up(TAILQ_FIRST(&transfers->by_linger), OUTCOME_OK);
    while (retry_deadline(transfers) <= now_ns)
        retry_first(transfers);
    while (start_deadline(transfers) <= now_ns)
        transfer_give_up(TAILQ_FIRST(&transfers->by_start), OUTCOME_TIMEOUT);
    while (idle_deadline(transfers) <= now_ns)
        transfer_give_up(TAILQ_FIRST(&transfers->by_activity), OUTCOME_IDLE_TIMEOUT);
}

static int64_t earlier(int64_t a_ns, int64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

int64_t transfers_next_deadline(const struct transfers *transfers)
{
    int64_t next_ns =
        earlier(earlier(start_deadline(transfers), idle_deadline(transfers)),
                earlier(linger_deadline(transfers), retry_deadline(transfers)));
    for (unsigned number = 0; number < transfers->options.lanes; number++)
        next_ns = earlier(next_ns, transfers->lanes[number].deadline_ns);
    return next_ns;
}

void transfers_cancel(struct transfers *transfers)
{
    while (!TAILQ_EMPTY(&transfers->by_start))
        transfer_give_up(TAILQ_FIRST(&transfers->by_start), OUTCOME_CANCELLED);
}
