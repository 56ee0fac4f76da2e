#include <string.h>

#include "formats/base/buffer.h"
#include "formats/base/common_options.h"
#include "formats/base/option_values.h"
#include "formats/base/options.h"

enum {
    HELP_WIDTH = 80,
    HELP_COLUMN = 26, /* where the explanations begin */
};

/* Columns of text[0..len): one per code point. */
static int columns_of(const char *text, size_t len)
{
    int columns = 0;
    for (size_t i = 0; i < len; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

/* Prints one paragraph, words wrapped at HELP_WIDTH and later lines indented; `column` is
 * where the cursor is. Ends the line. */
static void print_wrapped(FILE *out, const char *text, size_t len, int indent, int column)
{
    const char *end = text + len;
    bool first = true;
    while (text < end) {
        size_t word = strcspn(text, " \n");
        if (word > (size_t)(end - text))
            word = (size_t)(end - text);
        int columns = columns_of(text, word);
        if (!first && column + 1 + columns > HELP_WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, word, out);
        column += columns;
        first = false;
        text += word;
        while (text < end && *text == ' ')
            text++;
    }
    fputc('\n', out);
}

/* Each line of `text` is a paragraph; a line that begins with a space is printed as it
 * is. */
static void print_paragraphs(FILE *out, const char *text)
{
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        if (text[0] == ' ')
            fprintf(out, "%.*s\n", (int)len, text);
        else
            print_wrapped(out, text, len, 0, 0);
        text += len;
        if (*text == '\n')
            text++;
    }
}

/* Limits that only keep nonsense out are left to the message about them. */
static bool range_is_worth_telling(const struct option_spec *spec)
{
    enum { TELLING_MAX = 65536 };
    if (spec->type == OPTION_CHOICE)
        return true;
    return (spec->type == OPTION_INT || spec->type == OPTION_FLOAT) &&
           spec->max <= TELLING_MAX;
}

static void append_explanation(struct buffer *text, const struct option_spec *spec)
{
    struct buffer range = BUFFER_INIT;
    if (range_is_worth_telling(spec))
        option_append_range(&range, spec);
    buffer_append_text(text, spec->help);
    if (range.len > 0 || spec->default_text != NULL) {
        buffer_printf(text, " (%s", buffer_text(&range));
        if (spec->default_text != NULL)
            buffer_printf(text, "%sdefault: %s", range.len > 0 ? "; " : "",
                          spec->default_text);
        buffer_append_byte(text, ')');
    }
    buffer_release(&range);
}

static void print_option(FILE *out, const struct option_spec *spec)
{
    struct buffer left = BUFFER_INIT;
    struct buffer right = BUFFER_INIT;
    if (spec->letter != 0)
        buffer_printf(&left, "  -%c, --%s", spec->letter, spec->name);
    else
        buffer_printf(&left, "      --%s", spec->name);
    if (option_takes_argument(spec))
        buffer_printf(&left, " %s", spec->argument != NULL ? spec->argument : "VALUE");
    append_explanation(&right, spec);

    int columns = columns_of(left.data, left.len);
    fputs(buffer_text(&left), out);
    if (columns + 2 > HELP_COLUMN) {
        fputc('\n', out);
        columns = 0;
    }
    fprintf(out, "%*s", HELP_COLUMN - columns, "");
    print_wrapped(out, buffer_text(&right), right.len, HELP_COLUMN, HELP_COLUMN);
    buffer_release(&left);
    buffer_release(&right);
}

static void print_table(FILE *out, const struct option_spec *specs,
                        const char *first_group)
{
    const char *group = NULL;
    for (const struct option_spec *spec = specs; spec->name != NULL; spec++) {
        const char *own = spec->group;
        if (own == NULL)
            own = group != NULL ? group : first_group;
        if (group == NULL || strcmp(own, group) != 0)
            fprintf(out, "\n%s:\n", own);
        group = own;
        print_option(out, spec);
    }
}

void command_print_help(const struct program *program, const struct command *command,
                        FILE *out)
{
    int column = fprintf(out, "Usage: %s %s ", program->name, command->name);
    print_wrapped(out, command->usage, strlen(command->usage), column, column);
    fputc('\n', out);
    print_paragraphs(out, command->summary);
    if (command->details != NULL) {
        fputc('\n', out);
        print_paragraphs(out, command->details);
    }
    print_table(out, command->options, "Options");
    print_table(out, common_option_specs, "Common options");
}
