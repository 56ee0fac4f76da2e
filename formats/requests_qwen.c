/* Qwen/Bailian: seconds, prefix blocks of 16 tokens; chats that continue a parent form
 * one session, named after the chat at its root. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/base/memory.h"
#include "formats/requests_reader.h"

enum { QWEN_BLOCK_TOKENS = 16 };

struct chats {
    struct name_table ids; /* the 8 bytes of each chat_id */
    uint32_t *sessions;    /* owned: session of each chat */
    size_t capacity;
};

static uint32_t session_of_root(struct requests_reader *reader, uint64_t chat)
{
    char name[24];
    int len = snprintf(name, sizeof name, "%" PRId64, (int64_t)chat);
    return name_table_add(&reader->trace->sessions, name, (size_t)len);
}

/* A parent that the trace does not have, being a cut of a longer one, makes a root
 * too. */
static bool place_chat(struct requests_reader *reader, const struct line_values *values,
                       struct request_row *row, struct row_problem *problem)
{
    (void)problem;
    struct chats *chats = reader->state;
    uint32_t parent = NAME_NONE;
    if (values->seen[LINE_PARENT])
        parent = name_table_find(&chats->ids, (const char *)&values->parent,
                                 sizeof values->parent);
    row->session = parent != NAME_NONE ? chats->sessions[parent]
                                       : session_of_root(reader, values->chat);
    size_t known = chats->ids.count;
    uint32_t chat = name_table_add(&chats->ids, (const char *)&values->chat,
                                   sizeof values->chat);
    if (chats->ids.count > known)
        chats->sessions = memory_grow(chats->sessions, known, &chats->capacity,
                                      sizeof *chats->sessions);
    chats->sessions[chat] = row->session;
    return true;
}

int requests_read_qwen(struct requests_reader *reader)
{
    static const struct line_key keys[] = {
        { "chat_id", LINE_CHAT, 0, true },
        { "parent_chat_id", LINE_PARENT, 0, false },
        { "timestamp", LINE_TIME, UNIT_S, true },
        { "input_length", LINE_INPUT, 0, true },
        { "output_length", LINE_OUTPUT, 0, true },
        { "hash_ids", LINE_BLOCKS, 0, false },
        { 0 },
    };
    static const struct line_layout layout = {
        .keys = keys,
        .line_max = REQUEST_LINE_MAX,
        .block_tokens = QWEN_BLOCK_TOKENS,
        .finish = place_chat,
    };
    struct chats chats = { 0 };
    reader->state = &chats;
    int rc = requests_read_lines(reader, &layout);
    reader->state = NULL;
    name_table_release(&chats.ids);
    free(chats.sessions);
    return rc;
}
