#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/resource.h>
#include <zlib.h>
#include <zstd.h>

#include "formats/base/input_file.h"
#include "tests/unit/scratch.h"

enum { LINE_LIMIT = 1024 * 1024, TEXT_LEN = 300000 };

/* Larger than every buffer inside, of bytes that do not compress to nothing. */
static void fill_text(char text[TEXT_LEN])
{
    uint32_t random = 1;
    for (size_t i = 0; i < TEXT_LEN; i++) {
        random = random * 1664525u + 1013904223u;
        text[i] = i % 64 == 63 ? '\n' : (char)('a' + (random >> 24) % 26);
    }
}

static size_t gzip_text(unsigned char *out, size_t size, const char *text, size_t len)
{
    z_stream stream = { 0 };
    assert_int_equal(
        deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY),
        Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)text;
    stream.avail_in = (uInt)len;
    stream.next_out = out;
    stream.avail_out = (uInt)size;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t made = size - stream.avail_out;
    deflateEnd(&stream);
    return made;
}

static struct input_file *open_file(const char *path)
{
    struct fault fault = { 0 };
    struct input_file *file = NULL;
    assert_int_equal(input_file_open(&file, path, &fault), STATUS_OK);
    return file;
}

static void assert_reads(const char *path, const char *text, size_t len)
{
    struct fault fault = { 0 };
    struct input_file *file = open_file(path);
    char *bytes = malloc(len + 1000);
    assert_non_null(bytes);
    size_t total = 0;
    size_t got;
    do {
        assert_int_equal(input_file_read(file, bytes + total, 1000, &got, &fault),
                         STATUS_OK);
        total += got;
    } while (got > 0 && total <= len);
    assert_int_equal(total, len);
    assert_memory_equal(bytes, text, len);
    free(bytes);
    input_file_close(file);
}

/* Reads to the end; returns the status of the read that failed, with what it said in
 * `fault`. */
static int drain(const char *path, struct fault *fault)
{
    struct input_file *file = open_file(path);
    char bytes[1000];
    size_t got = 0;
    int status;
    do {
        status = input_file_read(file, bytes, sizeof bytes, &got, fault);
    } while (status == STATUS_OK && got > 0);
    input_file_close(file);
    return status;
}

static void test_same_content_in_every_encoding(void **state)
{
    (void)state;
    static char text[TEXT_LEN];
    static unsigned char packed[TEXT_LEN + 1000];
    fill_text(text);
    scratch_write("plain", text, TEXT_LEN);
    assert_reads("plain", text, TEXT_LEN);
    scratch_write("a.gz", packed, gzip_text(packed, sizeof packed, text, TEXT_LEN));
    assert_reads("a.gz", text, TEXT_LEN);
    scratch_write("a.zst", packed,
                  ZSTD_compress(packed, sizeof packed, text, TEXT_LEN, 3));
    assert_reads("a.zst", text, TEXT_LEN);
}

static void test_concatenated_members(void **state)
{
    (void)state;
    static unsigned char packed[4096];
    size_t len = gzip_text(packed, sizeof packed, "one ", 4);
    len += gzip_text(packed + len, sizeof packed - len, "two", 3);
    scratch_write("two.gz", packed, len);
    assert_reads("two.gz", "one two", 7);

    /* A skippable frame first: magic 0x184D2A50, length 3. */
    memcpy(packed, "\x50\x2a\x4d\x18\x03\0\0\0abc", 11);
    len = 11;
    len += ZSTD_compress(packed + len, sizeof packed - len, "one ", 4, 3);
    len += ZSTD_compress(packed + len, sizeof packed - len, "two", 3, 3);
    scratch_write("two.zst", packed, len);
    assert_reads("two.zst", "one two", 7);
}

static void test_every_truncation_is_damage(void **state)
{
    (void)state;
    unsigned char packed[256];
    struct fault fault = { 0 };
    size_t len = gzip_text(packed, sizeof packed, "some text, some text", 20);
    for (size_t cut = 2; cut < len; cut++) {
        scratch_write("cut", packed, cut);
        assert_int_equal(drain("cut", &fault), STATUS_BAD_INPUT);
    }
    assert_non_null(strstr(fault.text, "cut: offset "));
    assert_non_null(strstr(fault.text, "damaged gzip data: the file is cut off"));

    len = ZSTD_compress(packed, sizeof packed, "some text, some text", 20, 3);
    for (size_t cut = 4; cut < len; cut++) {
        scratch_write("cut", packed, cut);
        assert_int_equal(drain("cut", &fault), STATUS_BAD_INPUT);
    }
    assert_non_null(strstr(fault.text, "damaged zstd data: the file is cut off"));
}

static void test_damage_is_told_with_offset(void **state)
{
    (void)state;
    unsigned char packed[256];
    struct fault fault = { 0 };
    size_t len = gzip_text(packed, sizeof packed, "some text", 9);
    packed[len - 5] ^= 0xff; /* in the CRC */
    scratch_write("bad.gz", packed, len);
    assert_int_equal(drain("bad.gz", &fault), STATUS_BAD_INPUT);
    assert_non_null(strstr(fault.text, "bad.gz: offset "));
    assert_non_null(strstr(fault.text, "damaged gzip data"));

    memcpy(packed, "\x28\xb5\x2f\xfd\xff\xff\xff\xff", 8);
    scratch_write("bad.zst", packed, 8);
    assert_int_equal(drain("bad.zst", &fault), STATUS_BAD_INPUT);
    assert_non_null(strstr(fault.text, "bad.zst: offset "));
}

/* RFC 8878, 3.1.1.1: no single segment, window descriptor 0x90, which is 2^(10 + 18)
 * bytes. */
static void test_huge_zstd_window_is_unsupported(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    scratch_write("wide.zst", "\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00", 9);
    assert_int_equal(drain("wide.zst", &fault), STATUS_UNSUPPORTED);
    assert_string_equal(fault.text, "wide.zst: needs a zstd window of more than 128 MiB");
}

static void assert_line(struct input_file *file, const char *expected, uint64_t number)
{
    struct fault fault = { 0 };
    const char *line = NULL;
    size_t len = 0;
    assert_int_equal(input_file_line(file, LINE_LIMIT, &line, &len, &fault), 1);
    assert_int_equal(len, strlen(expected));
    assert_memory_equal(line, expected, len);
    assert_int_equal(input_file_line_number(file), number);
}

static void test_lines(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    const char *line = NULL;
    size_t len = 0;
    scratch_write("lines", "one\r\n\ntwo\rx\nlast\r", 17);
    struct input_file *file = open_file("lines");
    assert_line(file, "one", 1);
    assert_line(file, "", 2);
    assert_line(file, "two\rx", 3);
    assert_line(file, "last\r", 4);
    assert_int_equal(input_file_line(file, LINE_LIMIT, &line, &len, &fault), 0);
    assert_int_equal(input_file_line(file, LINE_LIMIT, &line, &len, &fault), 0);
    assert_int_equal(input_file_line_number(file), 4);
    input_file_close(file);
}

static void test_empty_file(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    const char *bytes = NULL;
    size_t len = 1;
    scratch_write("empty", "", 0);
    struct input_file *file = open_file("empty");
    assert_int_equal(input_file_peek(file, &bytes, &len, &fault), STATUS_OK);
    assert_int_equal(len, 0);
    assert_int_equal(input_file_line(file, LINE_LIMIT, &bytes, &len, &fault), 0);
    input_file_close(file);
    assert_reads("empty", "", 0);
}

/* The limit counts the text of a line, not what ends it. */
static void test_line_limit(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    const char *line = NULL;
    size_t len = 0;
    scratch_write("limit", "12345\r\n12345\n123456\n", 20);
    struct input_file *file = open_file("limit");
    assert_int_equal(input_file_line(file, 5, &line, &len, &fault), 1);
    assert_int_equal(input_file_line(file, 5, &line, &len, &fault), 1);
    assert_int_equal(input_file_line(file, 5, &line, &len, &fault), STATUS_LIMIT);
    assert_string_equal(fault.text, "limit: line 3: longer than 5 bytes");
    input_file_close(file);
}

static void test_line_of_ten_megabytes(void **state)
{
    (void)state;
    enum { LEN = 10 * 1000 * 1000 };
    struct fault fault = { 0 };
    const char *line = NULL;
    size_t len = 0;
    char *text = malloc(LEN);
    assert_non_null(text);
    memset(text, 'x', LEN);
    text[1] = '\n';
    scratch_write("long", text, LEN);
    struct input_file *file = open_file("long");
    assert_line(file, "x", 1);
    assert_int_equal(input_file_line(file, LINE_LIMIT, &line, &len, &fault),
                     STATUS_LIMIT);
    assert_string_equal(fault.text, "long: line 2: longer than 1048576 bytes");
    input_file_close(file);
    file = open_file("long");
    assert_line(file, "x", 1);
    assert_int_equal(input_file_line(file, LEN, &line, &len, &fault), 1);
    assert_int_equal(len, LEN - 2);
    input_file_close(file);
    free(text);
}

static void test_nul_in_line_is_kept(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    const char *line = NULL;
    size_t len = 0;
    scratch_write("nul", "a\0b\n", 4);
    struct input_file *file = open_file("nul");
    assert_int_equal(input_file_line(file, LINE_LIMIT, &line, &len, &fault), 1);
    assert_int_equal(len, 3);
    assert_memory_equal(line, "a\0b", 3);
    input_file_close(file);
}

/* Writes to a pipe in small pieces from a child and reads it as standard input. */
static void test_peek_on_a_pipe(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int i = 0; i < 10000; i++)
            if (write(ends[1], "0123456789abcde\n", 16) != 16)
                _exit(1);
        _exit(0);
    }
    close(ends[1]);
    int saved = dup(STDIN_FILENO);
    assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
    close(ends[0]);

    struct fault fault = { 0 };
    const char *bytes = NULL;
    size_t len = 0;
    struct input_file *file = open_file("-");
    assert_string_equal(input_file_name(file), "standard input");
    assert_int_equal(input_file_peek(file, &bytes, &len, &fault), STATUS_OK);
    assert_int_equal(len, INPUT_PEEK_MAX);
    assert_memory_equal(bytes, "0123456789abcde\n0123", 20);
    for (uint64_t i = 1; i <= 10000; i++)
        assert_line(file, "0123456789abcde", i);
    assert_int_equal(input_file_peek(file, &bytes, &len, &fault), STATUS_OK);
    assert_int_equal(len, 0);
    input_file_close(file);
    assert_true(dup2(saved, STDIN_FILENO) >= 0);
    close(saved);
}

static void test_missing_file_and_directory(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    struct input_file *file = NULL;
    assert_int_equal(input_file_open(&file, "absent", &fault), STATUS_BAD_INPUT);
    assert_string_equal(fault.text, "cannot open absent: No such file or directory");
    assert_int_equal(input_file_open(&file, "/tmp", &fault), STATUS_BAD_INPUT);
    assert_string_equal(fault.text, "cannot open /tmp: Is a directory");
    assert_null(file);
    input_file_close(NULL);
}

/* Out of descriptors is no fault of the name. */
static void test_no_descriptor_left(void **state)
{
    (void)state;
    struct fault fault = { 0 };
    struct input_file *file = NULL;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    struct rlimit none = { .rlim_cur = 0, .rlim_max = limit.rlim_max };
    scratch_write("there", "x", 1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    int status = input_file_open(&file, "there", &fault);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(status, STATUS_IO);
    assert_string_equal(fault.text, "cannot open there: Too many open files");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_content_in_every_encoding),
        cmocka_unit_test(test_concatenated_members),
        cmocka_unit_test(test_every_truncation_is_damage),
        cmocka_unit_test(test_damage_is_told_with_offset),
        cmocka_unit_test(test_huge_zstd_window_is_unsupported),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_empty_file),
        cmocka_unit_test(test_line_limit),
        cmocka_unit_test(test_line_of_ten_megabytes),
        cmocka_unit_test(test_nul_in_line_is_kept),
        cmocka_unit_test(test_peek_on_a_pipe),
        cmocka_unit_test(test_missing_file_and_directory),
        cmocka_unit_test(test_no_descriptor_left),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
