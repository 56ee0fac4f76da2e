#include "formats/base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "formats/base/clock.h"

static const int64_t first_shown_ns = NS_PER_S;
static const int64_t tty_interval_ns = NS_PER_S / 4;
static const int64_t plain_interval_ns = 10 * (int64_t)NS_PER_S;

static bool terminal_is_dumb(void)
{
    const char *term = getenv("TERM");
    return term == NULL || term[0] == '\0' || strcmp(term, "dumb") == 0;
}

bool terminal_use_color(FILE *stream, enum terminal_color choice)
{
    if (choice != COLOR_AUTO)
        return choice == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR");
    if (no_color != NULL && no_color[0] != '\0')
        return false;
    return isatty(fileno(stream)) && !terminal_is_dumb();
}

int terminal_width(FILE *stream)
{
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

void progress_init(struct progress *progress, bool wanted, bool verbose)
{
    *progress = (struct progress){
        .tty = wanted && isatty(STDERR_FILENO) && !terminal_is_dumb(),
        .started_ns = clock_monotonic_ns(),
    };
    progress->verbose = wanted && verbose && !progress->tty;
    progress->next_ns =
        progress->started_ns + (progress->tty ? first_shown_ns : plain_interval_ns);
}

bool progress_due(const struct progress *progress)
{
    return (progress->tty || progress->verbose) &&
           clock_monotonic_ns() >= progress->next_ns;
}

/* Bytes of the longest prefix of `text` that takes at most `columns` columns, one per
 * code point. */
static int prefix_bytes(const char *text, int columns)
{
    int bytes = 0;
    for (int used = 0; text[bytes] != '\0'; bytes++) {
        bool continuation = ((unsigned char)text[bytes] & 0xc0) == 0x80;
        if (!continuation && ++used > columns)
            break;
    }
    return bytes;
}

void progress_show(struct progress *progress, const char *line)
{
    int64_t now_ns = clock_monotonic_ns();
    if (progress->tty) {
        progress->next_ns = now_ns + tty_interval_ns;
        /* In the background the terminal belongs to someone else. */
        if (tcgetpgrp(STDERR_FILENO) != getpgrp())
            return;
        int columns = terminal_width(stderr) - 1;
        fprintf(stderr, "\r%.*s\033[K", prefix_bytes(line, columns), line);
        fflush(stderr);
        progress->shown = true;
    } else if (progress->verbose) {
        progress->next_ns = now_ns + plain_interval_ns;
        fprintf(stderr, "%s\n", line);
    }
}

void progress_end(struct progress *progress)
{
    if (progress->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    progress->shown = false;
}
