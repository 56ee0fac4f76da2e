#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/options.h"
#include "tests/unit/assert_close.h"

enum { ARGUMENTS_MAX = 16 };

static const char *const colors[] = { "red", "green", "blue", NULL };

struct sample {
    struct common_options common;
    bool dry_run;
    int loud;
    const char *url;
    int64_t workers;
    int64_t buffer_bytes;
    int64_t grace_ns;
    double rate_per_s;
    double speed;
    int paint;
    struct option_list headers;
};

#define FIELD(member) .offset = offsetof(struct sample, member)

static const struct option_spec specs[] = {
    { .name = "dry-run",
      .letter = 'n',
      .type = OPTION_FLAG,
      FIELD(dry_run),
      .help = "h" },
    { .name = "loud", .letter = 'l', .type = OPTION_COUNT, FIELD(loud), .help = "h" },
    { .name = "url",
      .type = OPTION_STRING,
      FIELD(url),
      .argument = "URL",
      .help = "the server" },
    { .name = "workers",
      .letter = 'w',
      .type = OPTION_INT,
      FIELD(workers),
      .default_text = "2",
      .argument = "N",
      .min = 1,
      .max = 4096,
      .group = "Load",
      .help = "worker processes, each with an event loop of its own, all of them "
              "started together" },
    { .name = "buffer",
      .type = OPTION_SIZE,
      FIELD(buffer_bytes),
      .min = 1,
      .max = 64 << 20,
      .help = "h" },
    { .name = "grace",
      .type = OPTION_DURATION,
      FIELD(grace_ns),
      .default_text = "5s",
      .max = 3600e9,
      .help = "h" },
    { .name = "rate", .type = OPTION_RATE, FIELD(rate_per_s), .help = "h" },
    { .name = "speed",
      .type = OPTION_FLOAT,
      FIELD(speed),
      .min_exclusive = true,
      .help = "h" },
    { .name = "paint",
      .type = OPTION_CHOICE,
      FIELD(paint),
      .choices = colors,
      .default_text = "green",
      .argument = "COLOUR",
      .help = "the paint" },
    { .name = "header", .letter = 'H', .type = OPTION_LIST, FIELD(headers), .help = "h" },
    { 0 },
};

struct parsed {
    int status;
    struct sample options;
    char *operands[ARGUMENTS_MAX];
    int operand_count;
    struct fault fault;
};

/* Parses the words of a NULL-terminated list; the caller releases lists. */
static struct parsed parse(const char *const *words)
{
    static char storage[ARGUMENTS_MAX][128];
    char *argv[ARGUMENTS_MAX + 1] = { 0 };
    int argc = 0;
    argv[argc++] = strcpy(storage[0], "command");
    for (size_t i = 0; words[i] != NULL; i++, argc++)
        argv[argc] = strcpy(storage[argc], words[i]);
    struct parsed parsed = { 0 };
    parsed.status = options_parse(specs, argc, argv, &parsed.options, parsed.operands,
                                  &parsed.operand_count, &parsed.fault);
    return parsed;
}

#define PARSE(...) parse((const char *const[]){ __VA_ARGS__, NULL })

static void test_defaults(void **state)
{
    (void)state;
    struct parsed parsed = parse((const char *const[]){ NULL });
    assert_int_equal(parsed.status, STATUS_OK);
    assert_int_equal(parsed.options.workers, 2);
    assert_true(parsed.options.grace_ns == 5000000000);
    assert_int_equal(parsed.options.paint, 1);
    assert_null(parsed.options.url);
    assert_false(parsed.options.dry_run);
    assert_int_equal(parsed.operand_count, 0);
}

static void test_every_type(void **state)
{
    (void)state;
    struct parsed parsed = PARSE("-nll", "--url", "http://x", "-w4", "--buffer=64KiB",
                                 "--grace", "250ms", "--rate=600/m", "--speed", "0.5",
                                 "--paint=blue", "-H", "a: b", "--header=c: d");
    assert_int_equal(parsed.status, STATUS_OK);
    assert_true(parsed.options.dry_run);
    assert_int_equal(parsed.options.loud, 2);
    assert_string_equal(parsed.options.url, "http://x");
    assert_int_equal(parsed.options.workers, 4);
    assert_int_equal(parsed.options.buffer_bytes, 65536);
    assert_int_equal(parsed.options.grace_ns, 250000000);
    assert_close(parsed.options.rate_per_s, 10, 1e-12);
    assert_close(parsed.options.speed, 0.5, 0);
    assert_int_equal(parsed.options.paint, 2);
    assert_int_equal(parsed.options.headers.count, 2);
    assert_string_equal(parsed.options.headers.items[0], "a: b");
    assert_string_equal(parsed.options.headers.items[1], "c: d");
    assert_string_equal(parsed.fault.text, "");
    options_release(specs, &parsed.options);
    assert_null(parsed.options.headers.items);
}

static void test_operands(void **state)
{
    (void)state;
    struct parsed parsed = PARSE("one", "-n", "-", "--", "-w", "--url");
    assert_int_equal(parsed.status, STATUS_OK);
    assert_int_equal(parsed.operand_count, 4);
    assert_string_equal(parsed.operands[0], "one");
    assert_string_equal(parsed.operands[1], "-");
    assert_string_equal(parsed.operands[2], "-w");
    assert_string_equal(parsed.operands[3], "--url");
    assert_true(parsed.options.dry_run);
}

static void test_unique_beginning_is_enough(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--work=7").options.workers, 7);
}

static void test_misuse(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        const char *message;
    } cases[] = {
        { "--wokers=4", "unknown option --wokers; did you mean --workers?" },
        { "--completely-else", "unknown option --completely-else" },
        { "-x", "unknown option -x" },
        { "--dry-run=yes", "--dry-run takes no argument" },
        { "--url", "--url needs an argument: URL" },
        { "-w", "--workers needs an argument: N" },
        { "--workers=0", "--workers: 0 is out of range, expected 1 to 4096" },
        { "--workers=4097", "--workers: 4097 is out of range, expected 1 to 4096" },
        { "--workers=-1", "--workers: -1 is out of range, expected 1 to 4096" },
        { "--workers=two", "--workers: 'two' is not a whole number" },
        { "--workers=", "--workers: '' is not a whole number" },
        { "--buffer=0", "--buffer: 0 is out of range, expected 1 to 64MiB" },
        { "--grace=2h", "--grace: 2h is out of range, expected 0 to 1h" },
        { "--buffer=2TB", "--buffer: 2TB is out of range, expected 1 to 64MiB" },
        { "--speed=0", "--speed: 0 is out of range, expected more than 0" },
        { "--speed=-1", "--speed: -1 is out of range, expected more than 0" },
        { "--paint=pink", "--paint: 'pink' is not known, expected red, green or blue" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct parsed parsed = PARSE(cases[i].word);
        assert_int_equal(parsed.status, STATUS_USAGE);
        assert_string_equal(parsed.fault.text, cases[i].message);
    }
}

static void test_ambiguous_beginning(void **state)
{
    (void)state;
    static const struct option_spec two[] = {
        { .name = "alpha-one", .type = OPTION_FLAG, .help = "h" },
        { .name = "alpha-two", .type = OPTION_FLAG, .help = "h" },
        { 0 },
    };
    struct fault fault = { 0 };
    char *argv[] = { (char[]){ "command" }, (char[]){ "--alpha" }, NULL };
    char *operands[2];
    int operand_count;
    bool field = false;
    assert_int_equal(
        options_parse(two, 2, argv, &field, operands, &operand_count, &fault),
        STATUS_USAGE);
    assert_string_equal(
        fault.text, "option --alpha is ambiguous; --alpha-one is one of its meanings");
}

/* ------------------------------------------------------------------ whole programs */

static int fake_run(void *options, char **operands, int operand_count,
                    struct fault *fault)
{
    const struct sample *sample = options;
    (void)operands;
    if (operand_count == 2)
        return fault_set(fault, STATUS_BAD_INPUT, "x.csv: line 3: no number");
    return (int)sample->workers;
}

static const struct command commands[] = {
    { .name = "paint",
      .summary = "paint something",
      .usage = "[OPTION]... FILE [FILE]",
      .details =
          "A paragraph that is long enough to be wrapped, because it goes on and on "
          "and on past the eightieth column.\n\n  verbatim   line",
      .options = specs,
      .options_size = sizeof(struct sample),
      .run = fake_run,
      .operands_min = 1,
      .operands_max = 2 },
    { 0 },
};

static const struct program program = {
    .name = "tokfake",
    .summary = "a fake",
    .version = "1.2.3",
    .commands = commands,
};

/* Runs the program with both streams caught in `out` and `err`. */
static int run_program(const char *const *words, char **out, char **err)
{
    char *argv[ARGUMENTS_MAX + 1] = { 0 };
    int argc = 0;
    argv[argc++] = (char[]){ "tokfake" };
    for (size_t i = 0; words[i] != NULL; i++)
        argv[argc++] = strdup(words[i]);
    char *given[ARGUMENTS_MAX + 1];
    memcpy(given, argv, sizeof argv);
    size_t out_size;
    size_t err_size;
    FILE *saved_out = stdout;
    FILE *saved_err = stderr;
    stdout = open_memstream(out, &out_size);
    stderr = open_memstream(err, &err_size);
    int code = program_main(&program, argc, argv);
    fclose(stdout);
    fclose(stderr);
    stdout = saved_out;
    stderr = saved_err;
    for (int i = 1; i < argc; i++)
        free(given[i]);
    return code;
}

static void assert_program(const char *const *words, int code, const char *out_part,
                           const char *err_part)
{
    char *out = NULL;
    char *err = NULL;
    assert_int_equal(run_program(words, &out, &err), code);
    if (out_part == NULL)
        assert_string_equal(out, "");
    else
        assert_non_null(strstr(out, out_part));
    if (err_part == NULL)
        assert_string_equal(err, "");
    else
        assert_non_null(strstr(err, err_part));
    free(out);
    free(err);
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void test_program_exit_codes(void **state)
{
    (void)state;
    assert_program(WORDS(NULL), 2, NULL, "Usage: tokfake COMMAND");
    assert_program(WORDS("--help"), 0, "  paint         paint something\n", NULL);
    assert_program(WORDS("help"), 0, "Commands:", NULL);
    assert_program(WORDS("--version"), 0, "tokfake 1.2.3\n", NULL);
    assert_program(WORDS("pant"), 2, NULL,
                   "unknown command 'pant'; did you mean 'paint'?");
    assert_program(WORDS("help", "pant"), 2, NULL, "did you mean 'paint'?");
    assert_program(WORDS("--hepl"), 2, NULL, "unknown option '--hepl'");
    assert_program(WORDS("paint", "--help"), 0, "Usage: tokfake paint [OPTION]... FILE",
                   NULL);
    assert_program(WORDS("paint", "-h"), 0, "Usage: tokfake paint", NULL);
    assert_program(WORDS("help", "paint"), 0, "Usage: tokfake paint", NULL);
    assert_program(WORDS("paint", "--version"), 0, "tokfake 1.2.3\n", NULL);
    assert_program(WORDS("paint"), 2, NULL, "tokfake paint: too few arguments");
    assert_program(WORDS("paint", "a", "b", "c"), 2, NULL, "unexpected argument 'c'");
    assert_program(WORDS("paint", "--wokers"), 2, NULL, "Try 'tokfake paint --help'.");
    assert_program(WORDS("paint", "a", "-w", "1"), 1, NULL, NULL);
    assert_program(WORDS("paint", "a", "-w", "130"), 130, NULL, NULL);
    assert_program(WORDS("paint", "a", "b"), 3, NULL,
                   "tokfake paint: x.csv: line 3: no number\n");
}

static void test_help_fits_80_columns(void **state)
{
    (void)state;
    char *out = NULL;
    char *err = NULL;
    assert_int_equal(run_program(WORDS("paint", "--help"), &out, &err), 0);
    for (const char *line = out; *line != '\0'; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
    assert_non_null(strstr(out, "\nLoad:\n"));
    assert_non_null(strstr(out, "\nCommon options:\n"));
    assert_non_null(strstr(out, "\n  verbatim   line\n"));
    assert_non_null(
        strstr(out, "  -w, --workers N         worker processes, each with an event"));
    assert_non_null(strstr(out, "(1 to 4096; default: 2)"));
    assert_non_null(strstr(out, "(red, green or blue; default: green)"));
    for (const struct option_spec *spec = specs; spec->name != NULL; spec++) {
        char name[64];
        snprintf(name, sizeof name, "--%s", spec->name);
        assert_non_null(strstr(out, name));
    }
    free(out);
    free(err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_unique_beginning_is_enough),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_ambiguous_beginning),
        cmocka_unit_test(test_program_exit_codes),
        cmocka_unit_test(test_help_fits_80_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
