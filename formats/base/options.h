/* Command lines from one declarative table per sub-command: parsing, --help, hints for
 * misspelt names and completion all walk the same entries. */
#ifndef TOKTRACE_OPTIONS_H
#define TOKTRACE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/base/fault.h"

enum option_type {
    OPTION_FLAG,     /* bool; takes no argument */
    OPTION_COUNT,    /* int; +1 at each use */
    OPTION_STRING,   /* const char *, borrowed from argv */
    OPTION_PATH,     /* const char *, borrowed from argv; completion offers files */
    OPTION_INT,      /* int64_t */
    OPTION_FLOAT,    /* double */
    OPTION_SIZE,     /* int64_t bytes */
    OPTION_DURATION, /* int64_t ns */
    OPTION_RATE,     /* double per second */
    OPTION_CHOICE,   /* int: the index in choices */
    OPTION_LIST,     /* struct option_list; one more item at each use */
};

struct option_list {
    const char **items; /* owned array of borrowed strings */
    size_t count;
    size_t capacity;
};

struct option_spec {
    const char *name; /* long name without dashes; NULL ends the table */
    char letter;      /* 0 where there is none */
    enum option_type type;
    size_t offset;            /* of the field in the options struct */
    const char *default_text; /* parsed like an argument before argv; NULL leaves the
                                 field as it is */
    const char *argument;     /* how help calls the argument: "FILE", "RATE" */
    const char *help;
    const char *group;          /* heading in help; NULL: that of the entry before */
    const char *const *choices; /* OPTION_CHOICE: names, NULL-terminated */
    double min;                 /* numeric types, in the stored unit; both 0: no bounds */
    double max;                 /* not above min: no upper bound */
    bool min_exclusive; /* min itself is refused too, e.g. a speed must be > 0 */
};

/* What every command has: -h, --version, -q, -v, --color, --no-progress, --json,
 * --force. */
struct common_options {
    int quiet;
    int verbose;
    int color; /* index in auto, always, never */
    bool no_progress;
    bool json;
    bool force;
};

struct command {
    const char *name;    /* "run" */
    const char *summary; /* one line for the list of commands */
    const char *usage;   /* after "PROGRAM NAME ": "[OPTION]... --url URL --trace FILE" */
    const char *details; /* a paragraph or two for --help; NULL: none */
    const struct option_spec *options;
    size_t options_size; /* of the struct that the offsets refer to; its first member is
                            common_options */
    int (*run)(void *options, char **operands, int operand_count, struct fault *fault);
    /* operands: bounds on how many; max < 0: any number */
    int operands_min;
    int operands_max;
};

struct program {
    const char *name;    /* "tokreplay" */
    const char *summary; /* one line */
    const char *version; /* text of --version, without the name; several lines allowed */
    const struct command *commands; /* a NULL name ends the table */
};

/* All of main(): finds the command, parses, runs it, prints the fault ("tokreplay run:
 * text") and returns the exit code. A run function returns STATUS_OK or a status, or a
 * positive exit code (1 for "ran, but a condition failed", 128+N). */
int program_main(const struct program *program, int argc, char **argv);

/* Fills `options` (zeroed by the caller; defaults come from the table) from argv[1..].
 * Operands are moved to operands[0..*operand_count), which has room for argc entries.
 * STATUS_USAGE with a hint at the nearest name on a misspelt option. */
int options_parse(const struct option_spec *specs, int argc, char **argv, void *options,
                  char **operands, int *operand_count, struct fault *fault);

/* Frees what OPTION_LIST fields own. */
void options_release(const struct option_spec *specs, void *options);

/* Help on `out`, 80 columns, grouped, defaults shown. */
void command_print_help(const struct program *program, const struct command *command,
                        FILE *out);

#endif
