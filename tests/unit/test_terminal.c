#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "formats/base/terminal.h"

enum { COLUMNS = 20, OUTPUT_MAX = 4096 };

/* Runs `work` in a child whose three streams are a terminal of COLUMNS columns, and keeps
 * what it prints. */
static void run_on_terminal(void (*work)(void), char output[OUTPUT_MAX])
{
    struct winsize size = { .ws_row = 24, .ws_col = COLUMNS };
    int terminal;
    pid_t child = forkpty(&terminal, NULL, NULL, &size);
    if (child < 0) {
        print_message("no pseudo-terminal to be had here\n");
        skip();
    }
    if (child == 0) {
        work();
        fflush(NULL);
        _exit(0);
    }
    size_t len = 0;
    ssize_t got;
    while ((got = read(terminal, output + len, OUTPUT_MAX - 1 - len)) > 0)
        len += (size_t)got;
    output[len] = '\0';
    close(terminal);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void print_color_choices(void)
{
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    printf("%d%d%d ", terminal_use_color(stdout, COLOR_AUTO),
           terminal_use_color(stdout, COLOR_ALWAYS),
           terminal_use_color(stdout, COLOR_NEVER));
    setenv("NO_COLOR", "1", 1);
    printf("%d%d ", terminal_use_color(stdout, COLOR_AUTO),
           terminal_use_color(stdout, COLOR_ALWAYS));
    setenv("NO_COLOR", "", 1);
    setenv("TERM", "dumb", 1);
    printf("%d %d", terminal_use_color(stdout, COLOR_AUTO), terminal_width(stdout));
}

static void test_color_and_width_on_a_terminal(void **state)
{
    (void)state;
    char output[OUTPUT_MAX];
    run_on_terminal(print_color_choices, output);
    assert_string_equal(output, "110 01 0 20");
}

static void test_color_and_width_elsewhere(void **state)
{
    (void)state;
    setenv("TERM", "xterm", 1);
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_false(terminal_use_color(file, COLOR_AUTO));
    assert_true(terminal_use_color(file, COLOR_ALWAYS));
    assert_int_equal(terminal_width(file), 80);
    fclose(file);
}

static void show_progress(void)
{
    setenv("TERM", "xterm", 1);
    struct progress progress;
    progress_init(&progress, true, false);
    if (progress_due(&progress))
        printf("due at once ");
    clock_sleep_until(progress.started_ns + NS_PER_S);
    if (!progress_due(&progress))
        printf("not due after a second ");
    progress_show(&progress, "1234567890µµµµµµµµµcut");
    if (progress_due(&progress))
        printf("due again at once ");
    progress_end(&progress);
    progress_end(&progress);
}

/* The line is cut one short of the width, so that the cursor stays on it; its erasure is
 * the last word. */
static void test_progress_on_a_terminal(void **state)
{
    (void)state;
    char output[OUTPUT_MAX];
    run_on_terminal(show_progress, output);
    assert_string_equal(output, "\r1234567890µµµµµµµµµ\033[K\r\033[K");
}

static void end_without_showing(void)
{
    setenv("TERM", "xterm", 1);
    struct progress progress;
    progress_init(&progress, true, true);
    progress_end(&progress);
}

static void test_short_work_shows_nothing(void **state)
{
    (void)state;
    char output[OUTPUT_MAX];
    run_on_terminal(end_without_showing, output);
    assert_string_equal(output, "");
}

/* Under the test's runner stderr is a pipe. */
static void test_progress_without_a_terminal(void **state)
{
    (void)state;
    int saved = dup(STDERR_FILENO);
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    struct progress quiet;
    struct progress verbose;
    struct progress unwanted;
    progress_init(&quiet, true, false);
    progress_init(&verbose, true, true);
    progress_init(&unwanted, false, true);
    quiet.next_ns = verbose.next_ns = unwanted.next_ns = 0;
    bool due[] = { progress_due(&quiet), progress_due(&verbose),
                   progress_due(&unwanted) };
    progress_show(&quiet, "quiet");
    progress_show(&verbose, "verbose");
    progress_show(&unwanted, "unwanted");
    bool due_again = progress_due(&verbose);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);

    assert_false(due[0]);
    assert_true(due[1]);
    assert_false(due[2]);
    assert_false(due_again);
    char text[64] = { 0 };
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    assert_string_equal(text, "verbose\n");
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_color_and_width_on_a_terminal),
        cmocka_unit_test(test_color_and_width_elsewhere),
        cmocka_unit_test(test_progress_on_a_terminal),
        cmocka_unit_test(test_short_work_shows_nothing),
        cmocka_unit_test(test_progress_without_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
