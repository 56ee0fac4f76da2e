#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/export_rows.h"
#include "analyze/short_text.h"
#include "analyze/text_table.h"

static const struct export_column columns[] = {
    { "a", CELL_INT, "" }, { "b", CELL_REAL, "" }, { "c", CELL_TEXT, "" },
    { "d", CELL_INT, "" },
};

static const char *row(struct buffer *buffer, enum export_format format, const char *text)
{
    const struct cell cells[] = {
        { .kind = CELL_INT, .integer = INT64_MIN },
        { .kind = CELL_REAL, .real = 0.1 },
        { .kind = CELL_TEXT, .text = text },
        { .kind = CELL_NONE },
    };
    buffer_clear(buffer);
    export_row_append(buffer, format, columns, cells, 4);
    return buffer_text(buffer);
}

static void test_rows(void **state)
{
    (void)state;
    struct buffer buffer = BUFFER_INIT;
    assert_string_equal(row(&buffer, EXPORT_CSV, "x"), "-9223372036854775808,0.1,x,\n");
    assert_string_equal(row(&buffer, EXPORT_CSV, "x,y \"z\"\n"),
                        "-9223372036854775808,0.1,\"x,y \"\"z\"\"\n\",\n");
    assert_string_equal(row(&buffer, EXPORT_NDJSON, "x\"\n"),
                        "{\"a\":-9223372036854775808,\"b\":0.1,\"c\":\"x\\\"\\n\","
                        "\"d\":null}\n");
    buffer_clear(&buffer);
    export_heads_append(&buffer, EXPORT_CSV, columns, 4);
    assert_string_equal(buffer_text(&buffer), "a,b,c,d\n");
    export_heads_append(&buffer, EXPORT_NDJSON, columns, 4);
    assert_string_equal(buffer_text(&buffer), "a,b,c,d\n");
    buffer_release(&buffer);
}

static void test_request_columns_begin_as_documented(void **state)
{
    (void)state;
    static const char *const names[] = {
        "row", "worker", "session", "outcome", "http_status", "finish_reason",
        "input_tokens", "output_tokens", "output_events", "first_event_tokens",
        "due_ns", "start_ns", "sent_ns", "headers_ns", "first_token_arrival_ns",
        "first_token_app_ns", "last_token_arrival_ns", "last_token_app_ns", "end_ns",
        "ttft_s", "tpot_s", "ntpot_s", "e2e_s", "local_port", "connection_request",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_string_equal(export_request_columns[i].name, names[i]);
    for (size_t i = 0; i < EXPORT_REQUEST_COLUMNS; i++)
        assert_true(strlen(export_request_columns[i].meaning) > 0);
}

/* The cell under a name. */
static const struct cell *cell_named(const struct cell *cells, const char *name)
{
    for (size_t i = 0; i < EXPORT_REQUEST_COLUMNS; i++)
        if (strcmp(export_request_columns[i].name, name) == 0)
            return &cells[i];
    fail_msg("no column %s", name);
    return NULL;
}

static void test_request_cells(void **state)
{
    (void)state;
    struct arrival_event events[] = {
        { .arrival_ns = 3000, .app_ns = 4000, .tokens = 1, .kind = EVENT_CONTENT },
        { .arrival_ns = 7000, .app_ns = 9000, .tokens = 1, .kind = EVENT_CONTENT },
    };
    struct arrivals_header header = { .worker = 3, .run_id = "r" };
    struct arrival_request request;
    struct request_sample sample;
    struct token_gaps gaps = { 0 };
    struct cell cells[EXPORT_REQUEST_COLUMNS];
    arrival_request_init(&request);
    request.row = 5;
    request.due_ns = 1000;
    request.sent_ns = 2000;
    request.events = events;
    request.event_count = 2;
    sample_from_request(&request, &sample, &gaps);
    export_request_cells(cells, &header, &request, &sample);
    assert_int_equal(cell_named(cells, "row")->integer, 5);
    assert_int_equal(cell_named(cells, "worker")->integer, 3);
    assert_int_equal(cell_named(cells, "session")->kind, CELL_NONE);
    assert_string_equal(cell_named(cells, "outcome")->text, "not_sent");
    assert_int_equal(cell_named(cells, "http_status")->kind, CELL_NONE);
    assert_int_equal(cell_named(cells, "input_tokens")->kind, CELL_NONE);
    assert_int_equal(cell_named(cells, "headers_ns")->kind, CELL_NONE);
    assert_int_equal(cell_named(cells, "first_token_app_ns")->integer, 4000);
    assert_int_equal(cell_named(cells, "last_token_arrival_ns")->integer, 7000);
    assert_true(cell_named(cells, "ttft_s")->real == 1e-6);
    assert_true(cell_named(cells, "tpot_s")->real == 4e-6);
    assert_true(cell_named(cells, "tpot_app_s")->real == 5e-6);
    assert_true(cell_named(cells, "ntpot_s")->real == 2.5e-6);
    assert_true(cell_named(cells, "e2e_from_due_s")->real == 6e-6);
    assert_true(cell_named(cells, "send_lag_s")->real == 1e-6);
    assert_true(cell_named(cells, "receive_lag_s")->real == 2e-6);
    assert_int_equal(cell_named(cells, "connect_s")->kind, CELL_NONE);
    assert_string_equal(cell_named(cells, "run_id")->text, "r");
    token_gaps_release(&gaps);
}

static void test_short_texts(void **state)
{
    (void)state;
    assert_string_equal(count_text(1234567).text, "1,234,567");
    assert_string_equal(duration_text(NAN).text, "-");
    assert_string_equal(rate_text(NAN).text, "-");
    assert_string_equal(rate_text(3.14159).text, "3.142/s");
    assert_string_equal(rate_text(12345.6).text, "12346/s");
    assert_string_equal(percent_text(0.0123).text, "1.23 %");
    assert_string_equal(percent_text(0.5).text, "50.0 %");
    assert_string_equal(percent_text(5.06).text, "506 %");
    assert_string_equal(time_unit_for(0.5).name, "ms");
    assert_string_equal(time_unit_for(2).name, "s");
    assert_string_equal(time_unit_for(3e-6).name, "µs");
    assert_string_equal(time_unit_for(3e-9).name, "ns");
    assert_string_equal(time_unit_for(NAN).name, "ms");
    assert_string_equal(time_text(0.0123456, time_unit_for(0.5)).text, "12.35");
    assert_string_equal(time_text(NAN, time_unit_for(1)).text, "-");
}

static void test_table(void **state)
{
    (void)state;
    static const char *const heads[] = { "", "µs", "n", NULL };
    struct text_table table = { 0 };
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    text_table_start(&table, heads);
    text_table_add(&table, "first");
    text_table_add(&table, "%d", 1234);
    text_table_add(&table, "1");
    text_table_print(&table, out);
    fclose(out);
    assert_string_equal(text, "           µs  n\n"
                              "  first  1234  1\n");
    free(text);
    text_table_release(&table);
}

static void test_outside_text(void **state)
{
    (void)state;
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    print_outside_text(out, "a\033[31mb\nµ");
    fclose(out);
    assert_string_equal(text, "a?[31mb?µ");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_request_columns_begin_as_documented),
        cmocka_unit_test(test_request_cells),
        cmocka_unit_test(test_short_texts),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_outside_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
