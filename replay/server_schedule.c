/* When the tokens of a reply are ready: by the law, from the engine, or as they were
 * recorded. */
#include "formats/base/memory.h"
#include "replay/server.h"

static void set_engine_timer(struct server *server)
{
    if (server->engine.step_end_ns == ENGINE_IDLE_NS)
        timer_heap_remove(&server->timers, &server->engine_timer);
    else
        timer_heap_set(&server->timers, &server->engine_timer,
                       server->engine.step_end_ns);
}

static bool is_whole(const struct server_reply *reply, const struct server_choice *choice)
{
    return choice->sent + choice->ready == reply->max_tokens;
}

static void next_by_law(const struct server *server, struct server_reply *reply,
                        uint32_t index)
{
    const struct serve_law *law = &server->config.law;
    struct server_choice *choice = &reply->choices[index];
    uint32_t left = reply->max_tokens - choice->sent;
    uint32_t most = reply->stream ? server->config.tokens_per_event : reply->max_tokens;
    choice->ready = left < most ? left : most;
    for (uint32_t i = 0; i < choice->ready; i++) {
        uint32_t token = choice->sent + i;
        if (token)
            choice->due_ns += serve_law_gap(law, reply->number, index, token);
    }
}

/* One recorded event; for a whole answer, all of them. */
static void next_as_recorded(const struct server *server, struct connection *connection,
                             uint32_t index)
{
    const struct serve_recording *recording = server->config.recording;
    struct server_reply *reply = &connection->reply;
    struct server_choice *choice = &reply->choices[index];
    choice->ready = 0;
    do {
        const struct recorded_event *event =
            &recording->events[reply->recorded->first_event + choice->recorded_events++];
        uint32_t left = reply->max_tokens - choice->sent - choice->ready;
        choice->ready += event->tokens < left ? event->tokens : left;
        choice->due_ns = connection->received_ns + event->after_ns;
    } while (!reply->stream && !is_whole(reply, choice));
}

void reply_schedule_next(struct server *server, struct connection *connection,
                         uint32_t index)
{
    struct server_choice *choice = &connection->reply.choices[index];
    if (server->config.recording) {
        next_as_recorded(server, connection, index);
    } else if (server->config.use_engine) {
        choice->ready = 0;
        choice->due_ns = SERVER_NEVER_NS;
    } else {
        next_by_law(server, &connection->reply, index);
    }
}

/* The first event of a choice. */
static void begin(struct server *server, struct connection *connection, uint32_t index)
{
    struct server_reply *reply = &connection->reply;
    struct server_choice *choice = &reply->choices[index];
    if (server->config.use_engine)
        engine_submit(&server->engine, &choice->sequence, connection->received_ns,
                      choice->uncached_tokens, reply->max_tokens);
    else
        choice->due_ns = serve_law_first(&server->config.law, connection->received_ns,
                                         choice->uncached_tokens);
    reply_schedule_next(server, connection, index);
}

/* A recorded answer has the tokens that it had, unless fewer are asked for. */
static void take_record(struct server *server, struct server_reply *reply)
{
    reply->recorded = serve_recording_at(server->config.recording, reply->number);
    reply->stopped = reply->recorded->tokens < reply->max_tokens;
    if (reply->stopped)
        reply->max_tokens = reply->recorded->tokens;
}

/* Tokens of the only prompt that are in the cache. Its last token is always computed. */
static uint32_t cached_tokens(struct server *server, const struct serve_request *request)
{
    if (!server->cache || request->prompts != 1 || !request->prompt_tokens[0])
        return 0;
    size_t found = serve_cache_use(server->cache, &server->blocks);
    size_t most = (request->prompt_tokens[0] - 1) / SERVE_BLOCK_TOKENS;
    return (uint32_t)(found < most ? found : most) * SERVE_BLOCK_TOKENS;
}

void reply_schedule_begin(struct server *server, struct connection *connection,
                          const struct serve_request *request)
{
    struct server_reply *reply = &connection->reply;
    uint32_t count = request->prompts * request->n;
    if (count > reply->choice_capacity) {
        reply->choices = memory_resize(reply->choices, count, sizeof(*reply->choices));
        reply->choice_capacity = count;
    }
    reply->choice_count = reply->choices_open = count;
    if (server->config.recording)
        take_record(server, reply);
    for (uint32_t i = 0; i < request->prompts; i++)
        reply->usage.prompt_tokens += request->prompt_tokens[i];
    uint32_t cached = cached_tokens(server, request);
    reply->usage.cached_tokens = cached;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t tokens = request->prompt_tokens[i / request->n];
        reply->choices[i] = (struct server_choice){
            .connection = connection,
            .prompt_tokens = tokens,
            .uncached_tokens = tokens - cached,
        };
    }
    for (uint32_t i = 0; i < count; i++)
        begin(server, connection, i);
    if (server->config.use_engine)
        set_engine_timer(server);
}

void reply_schedule_end(struct server *server, struct server_reply *reply)
{
    if (!server->config.use_engine)
        return;
    for (uint32_t i = 0; i < reply->choice_count; i++)
        engine_withdraw(&server->engine, &reply->choices[i].sequence);
}

static struct server_choice *owner_of(struct engine_sequence *sequence)
{
    return (struct server_choice *)((char *)sequence -
                                    offsetof(struct server_choice, sequence));
}

void reply_schedule_engine_step(struct server *server)
{
    int64_t at_ns = server->engine.step_end_ns;
    struct engine_sequence *sequence;
    while ((sequence = engine_next_token(&server->engine)) != NULL) {
        struct server_choice *choice = owner_of(sequence);
        const struct server_reply *reply = &choice->connection->reply;
        choice->ready++;
        if (!is_whole(reply, choice) &&
            (!reply->stream || choice->ready < server->config.tokens_per_event))
            continue;
        choice->due_ns = at_ns;
        connection_resume(server, choice->connection);
    }
    set_engine_timer(server);
}
