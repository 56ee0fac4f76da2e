/* tokrecord: captures and extracts packets, the ground truth. */
#include "formats/base/options.h"
#include "formats/base/version.h"
#include "record/commands.h"

int main(int argc, char **argv)
{
    const struct command commands[] = {
        { 0 },
    };
    const struct program program = {
        .name = "tokrecord",
        .summary = "record LLM token streams from packets",
        .version = TOKTRACE_VERSION,
        .commands = commands,
    };
    return program_main(&program, argc, argv);
}
