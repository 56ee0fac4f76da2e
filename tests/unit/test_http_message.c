/* HTTP/1.x framing: a table of streams, each fed whole, byte by byte, and cut at every
 * position. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/base/memory.h"
#include "formats/http_message.h"
#include "tests/unit/http_transcript.h"

#define OK "HTTP/1.1 200 OK\r\n"

struct http_case {
    const char *name;
    enum http_role role;
    const char *input;
    const char *expected;
    const char *method; /* that the first response answers; NULL: GET */
};

static const struct http_case cases[] = {
    { "nothing", HTTP_REQUESTS, "", "", NULL },
    { "a request without a body", HTTP_REQUESTS,
      "GET /health HTTP/1.1\r\nHost: a\r\n\r\n", "HEAD@0 GET /health none\nEND@33",
      NULL },
    { "a body by its length", HTTP_REQUESTS,
      "POST /v1 HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
      "HEAD@0 POST /v1 length\nBODY@40 hello\nEND@45", NULL },
    { "a body of no bytes", HTTP_REQUESTS, "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
      "HEAD@0 POST / length\nEND@38", NULL },
    { "pipelining, and empty lines between", HTTP_REQUESTS,
      "GET /a HTTP/1.1\r\n\r\n\r\nGET /b HTTP/1.0\r\n\r\n",
      "HEAD@0 GET /a none\nEND@19\nHEAD@21 GET /b none last\nEND@40", NULL },
    { "a chunked request that expects 100", HTTP_REQUESTS,
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: "
      "100-continue\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      "HEAD@0 POST / chunked expect\nBODY@72 abc\nEND@82", NULL },
    { "line ends of LF alone", HTTP_REQUESTS, "GET / HTTP/1.1\nConnection: close\n\n",
      "HEAD@0 GET / none last\nEND@34", NULL },
    { "HTTP/1.0 kept alive", HTTP_REQUESTS,
      "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "HEAD@0 GET / none\nEND@42",
      NULL },
    { "an upgrade", HTTP_REQUESTS,
      "GET / HTTP/1.1\r\nConnection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n\r\n",
      "HEAD@0 GET / none upgrade\nEND@65", NULL },
    { "equal lengths are one", HTTP_REQUESTS,
      "POST / HTTP/1.1\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\nab",
      "HEAD@0 POST / length\nBODY@60 ab\nEND@62", NULL },

    { "chunks with extensions and trailers", HTTP_RESPONSES,
      OK "Transfer-Encoding: chunked\r\n\r\n4;n=\"v\"\r\nWiki\r\n005 "
         "\r\npedia\r\n0;x\r\nT: v\r\n\r\n",
      "HEAD@0 200 chunked\nBODY@56 Wiki\nBODY@68 pedia\nEND@88", NULL },
    { "hexadecimal sizes of both cases", HTTP_RESPONSES,
      OK
      "Transfer-Encoding: Chunked\r\n\r\nA\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n",
      "HEAD@0 200 chunked\nBODY@50 0123456789\nBODY@65 0123456789\nEND@82", NULL },
    { "a body until close", HTTP_RESPONSES, OK "\r\nabc",
      "HEAD@0 200 close last\nBODY@19 abc\nEND@22", NULL },
    { "an empty body until close", HTTP_RESPONSES, OK "\r\n",
      "HEAD@0 200 close last\nEND@19", NULL },
    { "a status line without a reason", HTTP_RESPONSES,
      "HTTP/1.1 404\r\nContent-Length: 1\r\n\r\nx",
      "HEAD@0 404 length\nBODY@35 x\nEND@36", NULL },
    { "100 and 103 before the answer", HTTP_RESPONSES,
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" OK
      "Content-Length: 1\r\n\r\nx",
      "INTERIM@0 100 none\nINTERIM@25 103 none\nHEAD@62 200 length\nBODY@100 x\nEND@101",
      NULL },
    { "204 and 304 have no body", HTTP_RESPONSES,
      "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 304 Not Modified\r\nContent-Length: "
      "9\r\n\r\n",
      "HEAD@0 204 none\nEND@27\nHEAD@27 304 none\nEND@75", NULL },
    { "the answer to HEAD, then one to GET", HTTP_RESPONSES,
      OK "Content-Length: 9\r\n\r\n" OK "Content-Length: 1\r\n\r\nx",
      "HEAD@0 200 none\nEND@38\nHEAD@38 200 length\nBODY@76 x\nEND@77", "HEAD" },
    { "HEAD behind an interim answer", HTTP_RESPONSES,
      "HTTP/1.1 100 C\r\n\r\n" OK "Transfer-Encoding: chunked\r\n\r\n",
      "INTERIM@0 100 none\nHEAD@18 200 none\nEND@65", "HEAD" },
    { "a tunnel", HTTP_RESPONSES, OK "\r\n\x16\x03 bytes",
      "HEAD@0 200 close last\nOPAQUE@19 \x16\x03 bytes", "CONNECT" },
    { "101 ends HTTP", HTTP_RESPONSES,
      "HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n\r\nPRI",
      "HEAD@0 101 none\nOPAQUE@40 PRI", NULL },
    { "chunked overrides a length, and ends the connection", HTTP_RESPONSES,
      OK "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
      "HEAD@0 200 chunked last\nBODY@69 x\nEND@77", NULL },
    { "gzip as a transfer coding", HTTP_RESPONSES,
      OK "Transfer-Encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
      "HEAD@0 200 chunked coded\nBODY@56 x\nEND@64", NULL },
    { "a last coding that is not chunked", HTTP_RESPONSES,
      OK "Transfer-Encoding: gzip\r\n\r\nxy",
      "HEAD@0 200 close last coded\nBODY@44 xy\nEND@46", NULL },
    { "a folded field", HTTP_RESPONSES,
      OK "Content-Type: a\r\n ;b\r\nContent-Length: 0\r\n\r\n",
      "HEAD@0 200 length\nEND@60", NULL },

    { "the end inside a head", HTTP_REQUESTS, "GET / HT",
      "\nthe end inside a message at byte 8 of the stream", NULL },
    { "the end inside a body", HTTP_RESPONSES, OK "Content-Length: 3\r\n\r\nab",
      "HEAD@0 200 length\nBODY@38 ab\nthe end inside a message at byte 40 of the stream",
      NULL },
    { "the end before the last chunk", HTTP_RESPONSES,
      OK "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n",
      "HEAD@0 200 chunked\nBODY@50 x\nthe end inside a message at byte 53 of the stream",
      NULL },
    { "conflicting lengths", HTTP_RESPONSES,
      OK "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
      "\n400: conflicting Content-Lengths at byte 57 of the stream", NULL },
    { "a negative length", HTTP_REQUESTS, "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
      "\n400: a Content-Length that is no number below 2^63 at byte 39 of the stream",
      NULL },
    { "a length of 2^63", HTTP_REQUESTS,
      "POST / HTTP/1.1\r\nContent-Length: 9223372036854775808\r\n\r\n",
      "\n400: a Content-Length that is no number below 2^63 at byte 56 of the stream",
      NULL },
    { "a length of 2^64 + 1", HTTP_REQUESTS,
      "POST / HTTP/1.1\r\nContent-Length: 18446744073709551617\r\n\r\n",
      "\n400: a Content-Length that is no number below 2^63 at byte 57 of the stream",
      NULL },
    { "a chunk of 2^64 - 1", HTTP_RESPONSES,
      OK "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
      "HEAD@0 200 chunked\n400: a chunk size of 2^63 or more at byte 62 of the stream",
      NULL },
    { "a chunk of 2^63 - 1 is only cut", HTTP_RESPONSES,
      OK "Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nab",
      "HEAD@0 200 chunked\nBODY@65 ab\nthe end inside a message at byte 67 of the stream",
      NULL },
    { "a chunk without a size", HTTP_RESPONSES,
      OK "Transfer-Encoding: chunked\r\n\r\n\r\n",
      "HEAD@0 200 chunked\n400: a chunk size that is no hexadecimal number at byte 47 of "
      "the stream",
      NULL },
    { "a chunk size of letters", HTTP_RESPONSES,
      OK "Transfer-Encoding: chunked\r\n\r\n1g\r\n",
      "HEAD@0 200 chunked\n400: a chunk size that is no hexadecimal number at byte 48 of "
      "the stream",
      NULL },
    { "a chunk longer than its size", HTTP_RESPONSES,
      OK "Transfer-Encoding: chunked\r\n\r\n1\r\nxy",
      "HEAD@0 200 chunked\nBODY@50 x\n400: chunk data that is longer than its size at "
      "byte 51 of "
      "the stream",
      NULL },
    { "a request coded without chunked", HTTP_REQUESTS,
      "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
      "\n400: a request whose last transfer coding is not chunked at byte 44 of the "
      "stream",
      NULL },
    { "chunked twice", HTTP_REQUESTS,
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked, chunked\r\n\r\n",
      "\n400: a transfer coding after chunked at byte 56 of the stream", NULL },
    { "HTTP/2", HTTP_REQUESTS, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "\n505: an HTTP version other than 1.x at byte 16 of the stream", NULL },
    { "TLS", HTTP_REQUESTS, "\x16\x03\x01\x02",
      "\n400: a control character in the head at byte 0 of the stream", NULL },
    { "a request line of one word", HTTP_REQUESTS, "GET\r\n\r\n",
      "\n400: a request line without method, target and version at byte 5 of the stream",
      NULL },
    { "a target with a space", HTTP_REQUESTS, "GET /a b HTTP/1.1\r\n\r\n",
      "\n400: a request target with a space, or none at byte 19 of the stream", NULL },
    { "a space before the colon", HTTP_REQUESTS, "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
      "\n400: a header line that is no field at byte 28 of the stream", NULL },
    { "a line without a colon", HTTP_REQUESTS, "GET / HTTP/1.1\r\nHost\r\n\r\n",
      "\n400: a header line that is no field at byte 24 of the stream", NULL },
    { "a folded field from a client", HTTP_REQUESTS,
      "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
      "\n400: a header line that begins with a space at byte 26 of the stream", NULL },
    { "a fold before any field", HTTP_RESPONSES, OK " c\r\n\r\n",
      "\n400: a header line that begins with a space at byte 21 of the stream", NULL },
    { "a CR inside a line", HTTP_REQUESTS, "GET / HTTP/1.1\r\nA: b\rc\r\n\r\n",
      "\n400: a CR inside a header line at byte 24 of the stream", NULL },
    { "a status with a letter", HTTP_RESPONSES, "HTTP/1.1 2x0 O\r\n\r\n",
      "\n400: a status that is no number at byte 16 of the stream", NULL },
    { "no answer at all", HTTP_RESPONSES, "hello\r\n",
      "\n400: a status line without version and status at byte 7 of the stream", NULL },
};

static void start(struct http_transcript *t, const struct http_case *c)
{
    http_parser_start(&t->parser, c->role);
    if (c->method)
        http_parser_expect(&t->parser, c->method, strlen(c->method));
    buffer_clear(&t->text);
    t->body_end = 0;
}

/* Pieces live in memory of exactly their size, so that a sanitizer sees a read past a
 * cut. */
static int feed_piece(struct http_transcript *t, const char *bytes, size_t len)
{
    char *piece = memory_copy_text(bytes, len);
    piece = memory_resize(piece, len ? len : 1, 1);
    int got = http_transcript_feed(t, piece, len);
    free(piece);
    return got;
}

static void expect(struct http_transcript *t, const struct http_case *c, const char *cut,
                   size_t at)
{
    const char *seen = buffer_text(&t->text);
    if (strcmp(seen, c->expected))
        fail_msg("%s, cut %s %zu:\n%s\nexpected:\n%s", c->name, cut, at, seen,
                 c->expected);
}

static void each_stream_in_every_cut(void **state)
{
    (void)state;
    struct http_transcript t = { 0 };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct http_case *c = &cases[i];
        size_t len = strlen(c->input);
        for (size_t cut = 0; cut <= len; cut++) {
            start(&t, c);
            if (feed_piece(&t, c->input, cut) == 0 &&
                feed_piece(&t, c->input + cut, len - cut) == 0)
                http_transcript_finish(&t);
            expect(&t, c, "at", cut);
        }
        start(&t, c);
        int got = 0;
        for (size_t at = 0; at < len && got == 0; at++)
            got = feed_piece(&t, c->input + at, 1);
        if (got == 0)
            http_transcript_finish(&t);
        expect(&t, c, "into single bytes", len);
    }
    http_transcript_release(&t);
}

static int parse_head(struct http_parser *parser, enum http_role role, const char *text)
{
    struct http_item item;
    struct fault fault = { { 0 } };
    size_t len = strlen(text);
    http_parser_start(parser, role);
    return http_parser_next(parser, &text, &len, &item, &fault);
}

static void assert_text(struct http_text text, const char *expected)
{
    assert_non_null(text.text);
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.text, expected, text.len);
}

static void fields_are_found_by_name(void **state)
{
    (void)state;
    struct http_parser parser = { 0 };
    int got = parse_head(
        &parser, HTTP_RESPONSES,
        "HTTP/1.1 429 Too Many\r\nContent-Type: \ttext/html; charset=utf-8 \r\n"
        "RETRY-AFTER: 7\r\nX-Folded: a\r\n  b\r\nX-Empty:\r\nContent-encoding: "
        "br\r\n\r\n");
    assert_int_equal(got, 1);
    assert_text(parser.head.content_type, "text/html; charset=utf-8");
    assert_text(parser.head.content_encoding, "br");
    assert_text(parser.head.retry_after, "7");
    assert_text(http_head_field(&parser.head, "x-folded"), "a   b");
    assert_text(http_head_field(&parser.head, "X-EMPTY"), "");
    assert_null(http_head_field(&parser.head, "x-fold").text);
    assert_true(http_text_equals(parser.head.retry_after, "7"));
    assert_false(http_text_equals(http_head_field(&parser.head, "none"), ""));
    http_parser_release(&parser);
}

/* Feeds a start line, then `piece` until the parser refuses; returns the bytes it took.
 */
static uint64_t bytes_until_refused(const char *begin, const char *piece, unsigned status)
{
    struct http_parser parser = { 0 };
    struct http_item item;
    struct fault fault = { { 0 } };
    http_parser_start(&parser, HTTP_RESPONSES);
    size_t len = strlen(begin);
    while (http_parser_next(&parser, &begin, &len, &item, &fault) > 0)
        continue;
    uint64_t at = parser.offset;
    int got = 0;
    for (int i = 0; i < 200000 && got == 0; i++) {
        const char *bytes = piece;
        size_t piece_len = strlen(piece);
        got = http_parser_next(&parser, &bytes, &piece_len, &item, &fault);
    }
    assert_int_equal(got, STATUS_BAD_INPUT);
    assert_int_equal(parser.problem_status, status);
    uint64_t taken = parser.offset - at;
    http_parser_release(&parser);
    return taken;
}

static void sizes_are_bounded(void **state)
{
    (void)state;
    assert_int_equal(bytes_until_refused("", "x", 431), HTTP_HEAD_MAX);
    assert_int_equal(bytes_until_refused(OK, "A: b\r\n", 431),
                     HTTP_HEAD_MAX - strlen(OK));
    const char *chunked = OK "Transfer-Encoding: chunked\r\n\r\n1;";
    assert_int_equal(bytes_until_refused(chunked, "x", 400), HTTP_CHUNK_LINE_MAX - 2);
    assert_int_equal(bytes_until_refused(OK "Transfer-Encoding: chunked\r\n\r\n0\r\n",
                                         "A: b\r\n", 431),
                     HTTP_HEAD_MAX);
    assert_int_equal(
        bytes_until_refused(OK "Transfer-Encoding: chunked\r\n\r\n", "0", 400),
        HTTP_CHUNK_LINE_MAX);
}

/* Feeds `before`, passes over `lost` bytes, feeds `after`; returns what skip said. */
static int with_hole(struct http_transcript *t, const char *before, uint64_t lost,
                     const char *after)
{
    struct fault fault = { { 0 } };
    http_parser_start(&t->parser, HTTP_RESPONSES);
    buffer_clear(&t->text);
    t->body_end = 0;
    assert_int_equal(http_transcript_feed(t, before, strlen(before)), 0);
    int skipped = http_parser_skip(&t->parser, lost, &fault);
    if (skipped >= 0)
        http_transcript_feed(t, after, strlen(after));
    return skipped;
}

static void holes(void **state)
{
    (void)state;
    struct http_transcript t = { 0 };
    assert_int_equal(with_hole(&t, OK "Content-Length: 10\r\n\r\nab", 3, "fghij"), 0);
    assert_string_equal(buffer_text(&t.text),
                        "HEAD@0 200 length\nBODY@39 ab\nBODY@44 fghij\nEND@49");
    const char *chunked = OK "Transfer-Encoding: chunked\r\n\r\n5\r\nab";
    assert_int_equal(with_hole(&t, chunked, 3, "\r\n0\r\n\r\n"), 0);
    assert_string_equal(buffer_text(&t.text), "HEAD@0 200 chunked\nBODY@50 ab\nEND@62");
    assert_int_equal(with_hole(&t, chunked, 20, "1\r\nx\r\n0\r\n\r\n"), 1);
    assert_string_equal(buffer_text(&t.text),
                        "HEAD@0 200 chunked\nBODY@50 ab\nBODY@75 x\nEND@83");
    assert_int_equal(with_hole(&t, OK "Content-Length: 4\r\n\r\nab", 3, ""),
                     STATUS_BAD_INPUT);
    assert_int_equal(with_hole(&t, OK "Content-", 3, ""), STATUS_BAD_INPUT);
    http_transcript_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stream_in_every_cut),
        cmocka_unit_test(fields_are_found_by_name),
        cmocka_unit_test(sizes_are_bounded),
        cmocka_unit_test(holes),
    };
    return cmocka_run_group_tests_name("http_message", tests, NULL, NULL);
}
