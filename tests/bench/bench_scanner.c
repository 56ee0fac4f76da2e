/* What it costs to understand an answer: prints a table of the chunk scanner beside
 * jansson, and of whole streams through answer_feed, in one run. The best of several
 * rounds counts: the rest is other load. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "formats/answer.h"
#include "formats/base/clock.h"

enum { ROUNDS = 20, STREAM_CHUNKS = 64 };

static const struct {
    const char *name;
    const char *payload;
} chunks[] = {
    { "vLLM chat chunk",
      "{\"id\":\"chatcmpl-3f1c6a0d5b8e4c7f9a2d1e0b4c6d8f12\","
      "\"object\":\"chat.completion.chunk\",\"created\":1764472385,"
      "\"model\":\"model-8b-instruct\",\"choices\":[{\"index\":0,\"delta\":"
      "{\"content\":\" token\"},\"logprobs\":null,\"finish_reason\":null}]}" },
    { "the same, continuous usage",
      "{\"id\":\"chatcmpl-3f1c6a0d5b8e4c7f9a2d1e0b4c6d8f12\","
      "\"object\":\"chat.completion.chunk\",\"created\":1764472385,"
      "\"model\":\"model-8b-instruct\",\"choices\":[{\"index\":0,\"delta\":"
      "{\"content\":\" token\"},\"logprobs\":null,\"finish_reason\":null}],\"usage\":"
      "{\"prompt_tokens\":512,\"total_tokens\":612,\"completion_tokens\":100}}" },
    { "completion chunk",
      "{\"id\":\"cmpl-3f1c6a0d5b8e4c7f9a2d1e0b4c6d8f12\",\"object\":\"text_completion\","
      "\"created\":1764472385,\"model\":\"model-8b\","
      "\"choices\":[{\"index\":0,\"text\":\" token\","
      "\"logprobs\":null,\"finish_reason\":null,\"stop_reason\":null}]}" },
    { "content_block_delta",
      "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
      "\"text\":\" token\"}}" },
};

/* Counts of what was understood, so that no work can be left out. */
static uint64_t understood;

static void scan_once(const char *payload, size_t len)
{
    struct chunk chunk;
    chunk_scan(&chunk, payload, len, "");
    understood += chunk.choice_count;
}

static void parse_once(const char *payload, size_t len)
{
    json_t *document = json_loadb(payload, len, 0, NULL);
    understood += json_object_size(document);
    json_decref(document);
}

/* The least ns that one call took over all rounds. */
static double measure(void (*work)(const char *, size_t), const char *payload, int calls)
{
    size_t len = strlen(payload);
    double best_ns = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t start_ns = clock_process_cpu_ns();
        for (int i = 0; i < calls; i++)
            work(payload, len);
        double ns = (double)(clock_process_cpu_ns() - start_ns) / calls;
        best_ns = ns < best_ns ? ns : best_ns;
    }
    return best_ns;
}

static struct answer answer;
static size_t piece_bytes;

static void count_event(void *context, const struct answer_event *event)
{
    (void)context;
    understood += event->tokens;
}

static void understand_stream(const char *stream, size_t len)
{
    answer_start(&answer);
    answer_head(&answer, 200, "text/event-stream");
    for (size_t at = 0; at < len; at += piece_bytes)
        answer_feed(&answer, stream + at, len - at < piece_bytes ? len - at : piece_bytes,
                    count_event, NULL);
    answer_finish(&answer, BODY_COMPLETE, count_event, NULL);
}

static void print_streams(void)
{
    char stream[STREAM_CHUNKS * 256] = "";
    size_t event_bytes = strlen(chunks[0].payload) + strlen("data: \n\n");
    const size_t pieces[] = { event_bytes, 100, 1460, 16384 };
    for (int i = 0; i < STREAM_CHUNKS; i++) {
        strcat(stream, "data: ");
        strcat(stream, chunks[0].payload);
        strcat(stream, "\n\n");
    }
    printf("\n%-34s %10s\n", "stream of vLLM chat chunks, reads of", "ns/event");
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        piece_bytes = pieces[i];
        printf("%26zu bytes %13.0f\n", piece_bytes,
               measure(understand_stream, stream, 200) / STREAM_CHUNKS);
    }
}

int main(void)
{
    printf("%-28s %6s %10s %10s\n", "chunk", "bytes", "scanner ns", "jansson ns");
    for (size_t i = 0; i < sizeof chunks / sizeof chunks[0]; i++)
        printf("%-28s %6zu %10.0f %10.0f\n", chunks[i].name, strlen(chunks[i].payload),
               measure(scan_once, chunks[i].payload, 20000),
               measure(parse_once, chunks[i].payload, 2000));
    print_streams();
    answer_release(&answer);
    return understood == 0;
}
