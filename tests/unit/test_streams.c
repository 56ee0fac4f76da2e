/* The table of streams (tests/streams): each is fed whole, byte by byte, cut at every
 * position and into random pieces, and must be understood alike each time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/base/memory.h"
#include "tests/unit/answer_transcript.h"
#include "tests/unit/stream_case.h"

enum {
    CASES_MIN = 80,
    CASES_MAX = 400,
    /* larger bodies are cut at CUTS_OF_LARGE places and in pieces only */
    ALL_CUTS_MAX = 16 * 1024,
    CUTS_OF_LARGE = 64,
    RANDOM_CUTS = 32,
};

static const char *streams_directory(void)
{
    static char path[4096];
    const char *tests = getenv("TESTS");
    snprintf(path, sizeof path, "%s/streams", tests != NULL ? tests : "tests");
    return path;
}

static char *read_case_file(const char *name)
{
    char path[4096 + 256];
    snprintf(path, sizeof path, "%s/%s", streams_directory(), name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = memory_new(1 << 20, 1);
    size_t len = fread(text, 1, (1 << 20) - 1, file);
    assert_in_range(len, 1, (1 << 20) - 2);
    fclose(file);
    return text;
}

static void begin(struct answer_transcript *t, const struct stream_case *c)
{
    answer_transcript_start(t, c->status,
                            c->content_type[0] != '\0' ? c->content_type : NULL);
}

static void finish_and_compare(struct answer_transcript *t, struct stream_case *c)
{
    answer_transcript_finish(t, c->end);
    assert_string_equal(buffer_text(&t->text), buffer_text(&c->expected));
    assert_int_equal(t->event_count, c->event_count);
    for (size_t i = 0; i < c->event_count; i++) {
        if (c->offsets[i] != 0)
            assert_int_equal(t->offsets[i], c->offsets[i]);
    }
}

static void feed_in_pieces(struct answer_transcript *t, struct stream_case *c,
                           size_t piece)
{
    begin(t, c);
    for (size_t at = 0; at < c->body.len; at += piece) {
        size_t left = c->body.len - at;
        answer_transcript_feed(t, c->body.data + at, left < piece ? left : piece);
    }
    finish_and_compare(t, c);
}

static void feed_in_two(struct answer_transcript *t, struct stream_case *c, size_t cut)
{
    begin(t, c);
    answer_transcript_feed(t, c->body.data, cut);
    answer_transcript_feed(t, c->body.data + cut, c->body.len - cut);
    finish_and_compare(t, c);
}

static void feed_at_random(struct answer_transcript *t, struct stream_case *c,
                           unsigned seed)
{
    size_t most = seed % 2 == 0 ? 8 : c->body.len / 2 + 1;
    begin(t, c);
    for (size_t at = 0; at < c->body.len;) {
        size_t left = c->body.len - at;
        size_t piece = (size_t)rand_r(&seed) % (most + 1);
        piece = piece < left ? piece : left;
        answer_transcript_feed(t, c->body.data + at, piece);
        at += piece;
    }
    finish_and_compare(t, c);
}

static void test_case(void **state)
{
    struct stream_case c;
    struct answer_transcript t = { 0 };
    char *text = read_case_file(*state);
    stream_case_parse(&c, text);
    feed_in_pieces(&t, &c, c.body.len + 1);
    feed_in_pieces(&t, &c, 1);
    feed_in_pieces(&t, &c, 1460);
    bool large = c.body.len > ALL_CUTS_MAX;
    size_t step = large ? c.body.len / CUTS_OF_LARGE : 1;
    for (size_t cut = 1; cut < c.body.len; cut += step)
        feed_in_two(&t, &c, cut);
    for (unsigned seed = 1; seed <= RANDOM_CUTS && !large; seed++)
        feed_at_random(&t, &c, seed);
    answer_transcript_release(&t);
    stream_case_release(&c);
    free(text);
}

static int is_case(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);
    return len > 7 && strcmp(entry->d_name + len - 7, ".stream") == 0;
}

static void test_table_is_whole(void **state)
{
    assert_in_range(*(int *)*state, CASES_MIN, CASES_MAX);
}

int main(void)
{
    static struct CMUnitTest tests[CASES_MAX + 1];
    struct dirent **files = NULL;
    int count = scandir(streams_directory(), &files, is_case, alphasort);
    tests[0] = (struct CMUnitTest){ .name = "table is whole",
                                    .test_func = test_table_is_whole,
                                    .initial_state = &count };
    size_t used = 1;
    for (int i = 0; i < count && used <= CASES_MAX; i++)
        tests[used++] = (struct CMUnitTest){ .name = files[i]->d_name,
                                             .test_func = test_case,
                                             .initial_state = files[i]->d_name };
    int failed = _cmocka_run_group_tests("streams", tests, used, NULL, NULL);
    while (count > 0)
        free(files[--count]);
    free(files);
    return failed;
}
