#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/base/csv.h"
#include "scratch.h"

static struct csv_reader *reader;
static struct input_file *file;

static void open_text(const char *text, size_t len)
{
    struct fault fault = { 0 };
    scratch_write("trace.csv", text, len);
    assert_int_equal(input_file_open(&file, "trace.csv", &fault), STATUS_OK);
    reader = csv_reader_create(file);
}

static void close_text(void)
{
    csv_reader_free(reader);
    input_file_close(file);
}

static int next(void)
{
    struct fault fault = { 0 };
    return csv_next(reader, &fault);
}

/* The fields of the record at hand, each in brackets. */
static const char *fields(void)
{
    static char text[256];
    size_t len = 0;
    for (size_t i = 0; i < reader->count; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "[%.*s]",
                                (int)reader->fields[i].len, reader->fields[i].text);
    return text;
}

static void expect(const char *text, const char *expected)
{
    open_text(text, strlen(text));
    assert_int_equal(next(), CSV_RECORD);
    assert_string_equal(fields(), expected);
    assert_int_equal(next(), CSV_END);
    close_text();
}

static void plain_records(void **state)
{
    (void)state;
    expect("a,b,c\n", "[a][b][c]");
    expect("a,b,c\r\n", "[a][b][c]");
    expect("a,b,c", "[a][b][c]");
    expect(",,\n", "[][][]");
    expect("a,\n", "[a][]");
    expect("a b , c\n", "[a b ][ c]");
    expect("\xef\xbb\xbf" "a,b\n", "[a][b]");
    expect("\n\n\r\na\n", "[a]");
}

static void quotes(void **state)
{
    (void)state;
    expect("\"a\",\"b,c\"\n", "[a][b,c]");
    expect("\"say \"\"hi\"\"\",x\n", "[say \"hi\"][x]");
    expect("\"\",x\n", "[][x]");
    expect("\"\"\"\"\n", "[\"]");
    expect("\"line\nbreak\",x\n", "[line\nbreak][x]");
    expect("\"line\r\nbreak\",x\r\n", "[line\nbreak][x]");
    expect("a\"b,c\"d\n", "[a\"b][c\"d]");
}

static void lines_and_columns(void **state)
{
    (void)state;
    const char *text = "x,yy\n\n\"1\n2\",\"ab\",c\nlast\n";
    open_text(text, strlen(text));
    assert_int_equal(next(), CSV_RECORD);
    assert_int_equal(reader->line, 1);
    assert_int_equal(reader->fields[1].column, 3);
    assert_int_equal(next(), CSV_RECORD);
    assert_int_equal(reader->line, 3);
    assert_int_equal(reader->fields[1].column, 7);
    assert_int_equal(reader->fields[2].column, 12);
    assert_int_equal(next(), CSV_RECORD);
    assert_int_equal(reader->line, 5);
    assert_int_equal(next(), CSV_END);
    close_text();
}

static void expect_malformed(const char *text, size_t len, size_t column)
{
    open_text(text, len);
    assert_int_equal(next(), CSV_MALFORMED);
    assert_int_equal(reader->problem_column, column);
    assert_non_null(reader->problem);
    close_text();
}

static void malformed_records(void **state)
{
    (void)state;
    expect_malformed("a,\"b\n", 5, 3);
    expect_malformed("a,\"b\"c,d\n", 9, 6);
    expect_malformed("a,b\0c\n", 6, 4);
    char many[2 * CSV_FIELDS_MAX + 2];
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = i % 2 == 0 ? 'x' : ',';
    expect_malformed(many, sizeof many, 2 * CSV_FIELDS_MAX + 1);
}

static void reading_goes_on_behind_a_malformed_record(void **state)
{
    (void)state;
    open_text("a\0b\nc,d\n", 8);
    assert_int_equal(next(), CSV_MALFORMED);
    assert_int_equal(next(), CSV_RECORD);
    assert_string_equal(fields(), "[c][d]");
    close_text();
}

static void long_records_are_refused(void **state)
{
    (void)state;
    enum { LONG = CSV_RECORD_MAX + 10 };
    char *text = malloc(LONG);
    assert_non_null(text);
    memset(text, 'x', LONG);
    open_text(text, LONG);
    assert_int_equal(next(), STATUS_LIMIT);
    close_text();
    text[0] = '"';
    for (size_t i = 100; i < LONG; i += 100)
        text[i] = '\n';
    open_text(text, LONG);
    assert_int_equal(next(), STATUS_LIMIT);
    close_text();
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_records),
        cmocka_unit_test(quotes),
        cmocka_unit_test(lines_and_columns),
        cmocka_unit_test(malformed_records),
        cmocka_unit_test(reading_goes_on_behind_a_malformed_record),
        cmocka_unit_test(long_records_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
