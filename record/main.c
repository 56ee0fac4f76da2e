/* tokrecord: captures and extracts packets, the ground truth. */
#include <pcap/pcap.h>

#include "formats/base/options.h"
#include "formats/base/version.h"
#include "record/commands.h"

int main(int argc, char **argv)
{
    const struct command commands[] = {
        capture_command,
        extract_command,
        live_command,
        { 0 },
    };
    char version[VERSION_TEXT_MAX];
    const struct program program = {
        .name = "tokrecord",
        .summary = "record LLM token streams from packets",
        .version = version_format(version, pcap_lib_version()),
        .commands = commands,
    };
    return program_main(&program, argc, argv);
}
