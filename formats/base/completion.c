#include "formats/base/completion.h"

#include <string.h>

#include "formats/base/common_options.h"
#include "formats/base/option_values.h"

typedef void print_option_fn(FILE *out, const struct option_spec *spec);

static void for_each_option(FILE *out, const struct command *command,
                            print_option_fn *print)
{
    for (const struct option_spec *spec = command->options; spec->name != NULL; spec++)
        print(out, spec);
    for (const struct option_spec *spec = common_option_specs; spec->name != NULL; spec++)
        print(out, spec);
}

static void print_choices(FILE *out, const char *const *choices)
{
    for (size_t i = 0; choices[i] != NULL; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", choices[i]);
}

static void print_bash_choices(FILE *out, const struct option_spec *spec)
{
    if (spec->type != OPTION_CHOICE)
        return;
    fprintf(out, "            --%s) words='", spec->name);
    print_choices(out, spec->choices);
    fputs("' ;;\n", out);
}

static void print_bash_word(FILE *out, const struct option_spec *spec)
{
    fprintf(out, " --%s", spec->name);
}

static void print_bash_command(const struct command *command, FILE *out)
{
    fprintf(out, "        %s)\n            case $previous in\n", command->name);
    for_each_option(out, command, print_bash_choices);
    fputs("            *) [[ $current == -* ]] && words='", out);
    for_each_option(out, command, print_bash_word);
    fputs("' ;;\n            esac ;;\n", out);
}

/* Where the script has no words to offer, bash offers files (-o default). */
static void print_bash(const struct program *program, FILE *out)
{
    fprintf(out,
            "_%s()\n{\n"
            "    local current=${COMP_WORDS[COMP_CWORD]}\n"
            "    local previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
            "    [[ $current == = ]] && current=\n"
            "    [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
            "    local commands='",
            program->name);
    for (const struct command *at = program->commands; at->name != NULL; at++)
        fprintf(out, "%s ", at->name);
    fputs("'\n"
          "    local words=\"help --help --version $commands\"\n"
          "    if [[ $COMP_CWORD -gt 1 ]]; then\n"
          "        words=\n"
          "        case ${COMP_WORDS[1]} in\n"
          "        help) [[ $COMP_CWORD -eq 2 ]] && words=$commands ;;\n",
          out);
    for (const struct command *at = program->commands; at->name != NULL; at++)
        print_bash_command(at, out);
    fprintf(out,
            "        esac\n"
            "    fi\n"
            "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
            "}\n"
            "complete -o default -F _%s %s\n",
            program->name, program->name);
}

/* Text inside single quotes and, for _arguments, inside brackets. */
static void print_zsh_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *text) != NULL)
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

static void print_zsh_argument(FILE *out, const struct option_spec *spec)
{
    if (!option_takes_argument(spec))
        return;
    fputc(':', out);
    print_zsh_text(out, spec->argument != NULL ? spec->argument : "VALUE");
    fputc(':', out);
    if (spec->type == OPTION_CHOICE) {
        fputc('(', out);
        print_choices(out, spec->choices);
        fputc(')', out);
    } else if (spec->type == OPTION_PATH) {
        fputs("_files", out);
    }
}

static void print_zsh_option(FILE *out, const struct option_spec *spec)
{
    bool repeats = spec->type == OPTION_COUNT || spec->type == OPTION_LIST;
    const char *star = repeats ? "*" : "";
    const char *equals = option_takes_argument(spec) ? "=" : "";
    if (spec->letter != 0)
        fprintf(out, "            '%s'{-%c,--%s%s}'[", star, spec->letter, spec->name,
                equals);
    else
        fprintf(out, "            '%s--%s%s[", star, spec->name, equals);
    print_zsh_text(out, spec->help);
    fputc(']', out);
    print_zsh_argument(out, spec);
    fputs("' \\\n", out);
}

static void print_zsh(const struct program *program, FILE *out)
{
    fprintf(out, "#compdef %s\n\n_%s()\n{\n    local -a commands=(\n", program->name,
            program->name);
    for (const struct command *at = program->commands; at->name != NULL; at++) {
        fprintf(out, "        '%s:", at->name);
        print_zsh_text(out, at->summary);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $words[1] in\n"
          "    help) ((CURRENT == 2)) && _describe command commands ;;\n",
          out);
    for (const struct command *at = program->commands; at->name != NULL; at++) {
        fprintf(out, "    %s)\n        _arguments -s \\\n", at->name);
        for_each_option(out, at, print_zsh_option);
        fputs("            '*:file:_files' ;;\n", out);
    }
    fprintf(out, "    esac\n}\n\n_%s \"$@\"\n", program->name);
}

bool completion_print(const struct program *program, const char *shell, FILE *out)
{
    if (strcmp(shell, "bash") == 0)
        print_bash(program, out);
    else if (strcmp(shell, "zsh") == 0)
        print_zsh(program, out);
    else
        return false;
    return true;
}
