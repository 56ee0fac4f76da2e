/* What went wrong, for a person: a status for the caller to act on and one line of text
 * for main() to print. Libraries below main never print and never exit. */
#ifndef TOKTRACE_FAULT_H
#define TOKTRACE_FAULT_H

#include <stddef.h>

/* Results of everything that can fail: 0, or one of the negative values. */
enum status {
    STATUS_OK = 0,
    STATUS_USAGE = -1,       /* the command line makes no sense: exit 2 */
    STATUS_BAD_INPUT = -2,   /* a file or stream is not what it claims to be: exit 3 */
    STATUS_UNSUPPORTED = -3, /* well formed, but nothing we handle: exit 3 */
    STATUS_LIMIT = -4,       /* a size or count beyond a named limit: exit 3 */
    STATUS_IO = -5,          /* the system refused: files, memory, descriptors: exit 4 */
    STATUS_NETWORK = -6,     /* the network refused: exit 4 */
    STATUS_BUG = -7,         /* our own mistake: exit 5 */
};

enum { FAULT_TEXT_MAX = 1024 };

/* One line without newline, empty until something failed. Untouched on success, so calls
 * chain. */
struct fault {
    char text[FAULT_TEXT_MAX];
};

/* Sets the text (cut at FAULT_TEXT_MAX; control characters become '?') and returns
 * status. */
int fault_set(struct fault *fault, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As fault_set with STATUS_IO, and ": " with the message of the current errno after
 * it. */
int fault_set_errno(struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts context before the text that is there: "context: text". */
void fault_prefix(struct fault *fault, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The process exit code that a status stands for (0, 2, 3, 4 or 5). */
int status_exit_code(int status);

#endif
