/* tokreplay: replays request traces against a server, and simulates servers. */
#include <curl/curl.h>

#include "formats/base/options.h"
#include "formats/base/version.h"
#include "replay/commands.h"

int main(int argc, char **argv)
{
    const struct command commands[] = {
        plan_command,
        profile_command,
        run_command,
        serve_command,
        { 0 },
    };
    char version[VERSION_TEXT_MAX];
    const struct program program = {
        .name = "tokreplay",
        .summary = "replay LLM request traces and simulate servers",
        .version = version_format(version, curl_version()),
        .commands = commands,
    };
    return program_main(&program, argc, argv);
}
