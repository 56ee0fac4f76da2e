#include "formats/base/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/buffer.h"
#include "formats/base/memory.h"
#include "formats/base/nearest_name.h"
#include "formats/base/option_values.h"

/* getopt_long reports an entry of the table as LONG_BASE + index, out of the way of
 * letters. */
enum { LONG_BASE = 256 };

struct getopt_tables {
    struct option *long_options; /* owned */
    struct buffer letters;
};

static size_t count_specs(const struct option_spec *specs)
{
    size_t count = 0;
    while (specs[count].name != NULL)
        count++;
    return count;
}

static void tables_init(struct getopt_tables *tables, const struct option_spec *specs)
{
    size_t count = count_specs(specs);
    tables->long_options = memory_new(count + 1, sizeof *tables->long_options);
    tables->letters = (struct buffer)BUFFER_INIT;
    /* The colon makes getopt tell a missing argument (':') from an unknown option
     * ('?'). */
    buffer_append_byte(&tables->letters, ':');
    for (size_t i = 0; i < count; i++) {
        bool argument = option_takes_argument(&specs[i]);
        tables->long_options[i] = (struct option){
            .name = specs[i].name,
            .has_arg = argument ? required_argument : no_argument,
            .val = LONG_BASE + (int)i,
        };
        if (specs[i].letter == 0)
            continue;
        buffer_append_byte(&tables->letters, specs[i].letter);
        if (argument)
            buffer_append_byte(&tables->letters, ':');
    }
}

static void tables_release(struct getopt_tables *tables)
{
    free(tables->long_options);
    buffer_release(&tables->letters);
}

static const struct option_spec *find_spec(const struct option_spec *specs, int value)
{
    if (value >= LONG_BASE)
        return &specs[value - LONG_BASE];
    for (const struct option_spec *spec = specs; spec->name != NULL; spec++)
        if (spec->letter == value)
            return spec;
    return NULL;
}

/* `word` is what was typed, "--wokers=4". */
static int unknown_long_option(const struct option_spec *specs, const char *word,
                               struct fault *fault)
{
    size_t len = strcspn(word, "=");
    char *name = memory_copy_text(word, len);
    struct nearest_name nearest = { 0 };
    int beginning = 0;
    for (const struct option_spec *spec = specs; spec->name != NULL; spec++) {
        nearest_name_try(&nearest, name + 2, spec->name);
        beginning += strncmp(name + 2, spec->name, len - 2) == 0;
    }
    if (beginning > 1)
        fault_set(fault, STATUS_USAGE,
                  "option %s is ambiguous; --%s is one of its meanings", name,
                  nearest.name);
    else if (nearest.name != NULL)
        fault_set(fault, STATUS_USAGE, "unknown option %s; did you mean --%s?", name,
                  nearest.name);
    else
        fault_set(fault, STATUS_USAGE, "unknown option %s", name);
    free(name);
    return STATUS_USAGE;
}

/* What getopt_long refused: `result` is '?' or ':', optopt the option, if it knows
 * which. */
static int refused(const struct option_spec *specs, int result, char **argv,
                   struct fault *fault)
{
    const struct option_spec *spec = optopt != 0 ? find_spec(specs, optopt) : NULL;
    if (result == ':' && spec != NULL)
        return fault_set(fault, STATUS_USAGE, "--%s needs an argument: %s", spec->name,
                         spec->argument != NULL ? spec->argument : "VALUE");
    if (spec != NULL)
        return fault_set(fault, STATUS_USAGE, "--%s takes no argument", spec->name);
    if (optopt != 0)
        return fault_set(fault, STATUS_USAGE, "unknown option -%c", optopt);
    return unknown_long_option(specs, argv[optind - 1], fault);
}

static int apply_defaults(const struct option_spec *specs, void *options,
                          struct fault *fault)
{
    for (const struct option_spec *spec = specs; spec->name != NULL; spec++) {
        if (spec->default_text == NULL)
            continue;
        if (option_set(spec, spec->default_text, options, fault) < 0) {
            fault_prefix(fault, "default");
            return STATUS_BUG;
        }
    }
    return STATUS_OK;
}

static int apply_arguments(const struct option_spec *specs,
                           const struct getopt_tables *tables, int argc, char **argv,
                           void *options, struct fault *fault)
{
    optind = 0; /* glibc: start over, whatever was parsed before */
    opterr = 0;
    for (;;) {
        int result = getopt_long(argc, argv, tables->letters.data, tables->long_options,
                                 NULL);
        if (result == -1)
            return STATUS_OK;
        if (result == '?' || result == ':')
            return refused(specs, result, argv, fault);
        int status = option_set(find_spec(specs, result), optarg, options, fault);
        if (status < 0)
            return status;
    }
}

int options_parse(const struct option_spec *specs, int argc, char **argv, void *options,
                  char **operands, int *operand_count, struct fault *fault)
{
    *operand_count = 0;
    int status = apply_defaults(specs, options, fault);
    if (status < 0)
        return status;
    struct getopt_tables tables;
    tables_init(&tables, specs);
    buffer_text(&tables.letters);
    status = apply_arguments(specs, &tables, argc, argv, options, fault);
    tables_release(&tables);
    if (status < 0)
        return status;
    for (int i = optind; i < argc; i++)
        operands[(*operand_count)++] = argv[i];
    return STATUS_OK;
}

void options_release(const struct option_spec *specs, void *options)
{
    for (const struct option_spec *spec = specs; spec->name != NULL; spec++) {
        if (spec->type != OPTION_LIST)
            continue;
        struct option_list *list = (struct option_list *)((char *)options + spec->offset);
        free(list->items);
        *list = (struct option_list){ 0 };
    }
}
