/* tokreplay: replays request traces against a server, and simulates servers. */
#include "formats/base/options.h"
#include "formats/base/version.h"
#include "replay/commands.h"

int main(int argc, char **argv)
{
    const struct command commands[] = {
        { 0 },
    };
    const struct program program = {
        .name = "tokreplay",
        .summary = "replay LLM request traces and simulate servers",
        .version = TOKTRACE_VERSION,
        .commands = commands,
    };
    return program_main(&program, argc, argv);
}
