#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/common_options.h"
#include "formats/base/completion.h"
#include "formats/base/memory.h"
#include "formats/base/nearest_name.h"
#include "formats/base/options.h"

enum { EXIT_FINE = 0, EXIT_USAGE = 2, EXIT_SYSTEM = 4 };

static void print_usage(const struct program *program, FILE *out)
{
    fprintf(out, "Usage: %s COMMAND [OPTION]...\n", program->name);
}

static void print_program_help(const struct program *program, FILE *out)
{
    print_usage(program, out);
    fprintf(out, "\n%s\n\nCommands:\n", program->summary);
    for (const struct command *command = program->commands; command->name != NULL;
         command++)
        fprintf(out, "  %-12s  %s\n", command->name, command->summary);
    fprintf(out, "\n'%s help COMMAND' prints the options of a command.\n", program->name);
    fprintf(out, "'%s --version' prints the version.\n", program->name);
}

static void print_version(const struct program *program)
{
    printf("%s %s\n", program->name, program->version);
}

/* NULL, with a message and a hint on stderr, when there is no such command. */
static const struct command *find_command(const struct program *program, const char *name)
{
    struct nearest_name nearest = { 0 };
    for (const struct command *command = program->commands; command->name != NULL;
         command++) {
        if (strcmp(command->name, name) == 0)
            return command;
        nearest_name_try(&nearest, name, command->name);
    }
    const char *kind = name[0] == '-' ? "option" : "command";
    fprintf(stderr, "%s: unknown %s '%s'", program->name, kind, name);
    if (nearest.name != NULL)
        fprintf(stderr, "; did you mean '%s'?", nearest.name);
    fprintf(stderr, "\nTry '%s --help'.\n", program->name);
    return NULL;
}

static int help_command(const struct program *program, const char *name)
{
    if (name == NULL) {
        print_program_help(program, stdout);
        return EXIT_FINE;
    }
    const struct command *command = find_command(program, name);
    if (command == NULL)
        return EXIT_USAGE;
    command_print_help(program, command, stdout);
    return EXIT_FINE;
}

static int check_operands(const struct command *command, char **operands, int count,
                          struct fault *fault)
{
    if (count < command->operands_min)
        return fault_set(fault, STATUS_USAGE, "too few arguments; usage: %s %s",
                         command->name, command->usage);
    if (command->operands_max >= 0 && count > command->operands_max)
        return fault_set(fault, STATUS_USAGE, "unexpected argument '%s'",
                         operands[command->operands_max]);
    return STATUS_OK;
}

static int report(const struct program *program, const struct command *command,
                  int result, const struct fault *fault)
{
    if (result >= 0)
        return result;
    fprintf(stderr, "%s %s: %s\n", program->name, command->name, fault->text);
    if (result == STATUS_USAGE)
        fprintf(stderr, "Try '%s %s --help'.\n", program->name, command->name);
    return status_exit_code(result);
}

/* argv[0] is the name of the command. */
static int run_command(const struct program *program, const struct command *command,
                       int argc, char **argv)
{
    /* The wishes lie behind the command's own struct; bools fit at any address. */
    size_t wishes_offset = command->options_size;
    char *options = memory_new(1, wishes_offset + sizeof(struct common_wishes));
    const void *behind = options + wishes_offset;
    const struct common_wishes *wishes = behind;
    struct option_spec *specs = common_options_join(command->options, wishes_offset);
    char **operands = memory_new((size_t)argc, sizeof *operands);
    int operand_count = 0;
    struct fault fault = { 0 };

    int result = options_parse(specs, argc, argv, options, operands, &operand_count,
                               &fault);
    if (result == STATUS_OK && wishes->help) {
        command_print_help(program, command, stdout);
    } else if (result == STATUS_OK && wishes->version) {
        print_version(program);
    } else if (result == STATUS_OK) {
        result = check_operands(command, operands, operand_count, &fault);
        if (result == STATUS_OK)
            result = command->run(options, operands, operand_count, &fault);
    }
    options_release(specs, options);
    free(operands);
    free(specs);
    free(options);
    return report(program, command, result, &fault);
}

static int print_completion(const struct program *program, const char *shell)
{
    if (completion_print(program, shell, stdout))
        return EXIT_FINE;
    fprintf(stderr, "%s: --completion: expected bash or zsh\n", program->name);
    return EXIT_USAGE;
}

static int dispatch(const struct program *program, int argc, char **argv)
{
    if (argc < 2) {
        print_usage(program, stderr);
        fprintf(stderr, "Try '%s --help'.\n", program->name);
        return EXIT_USAGE;
    }
    const char *first = argv[1];
    if (strcmp(first, "--version") == 0) {
        print_version(program);
        return EXIT_FINE;
    }
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 ||
        strcmp(first, "help") == 0)
        return help_command(program, argc > 2 ? argv[2] : NULL);
    if (strcmp(first, "--completion") == 0)
        return print_completion(program, argc > 2 ? argv[2] : "");
    const struct command *command = find_command(program, first);
    return command == NULL ? EXIT_USAGE
                           : run_command(program, command, argc - 1, argv + 1);
}

/* A file or socket opened in the place of a closed standard stream would get what is
 * printed: the place is taken, by what refuses to be read or written like before. */
static void keep_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int program_main(const struct program *program, int argc, char **argv)
{
    keep_standard_descriptors();
    int code = dispatch(program, argc, argv);
    /* A full disk behind stdout must not look like success. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == EXIT_FINE) {
        fprintf(stderr, "%s: cannot write to standard output\n", program->name);
        return EXIT_SYSTEM;
    }
    return code;
}
