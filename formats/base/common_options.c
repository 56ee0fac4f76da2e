#include "formats/base/common_options.h"

#include <string.h>

#include "formats/base/memory.h"

static const char *const color_choices[] = { "auto", "always", "never", NULL };

const struct option_spec common_option_specs[] = {
    { .name = "help",
      .letter = 'h',
      .type = OPTION_FLAG,
      .offset = offsetof(struct common_wishes, help),
      .group = "Common options",
      .help = "print this help" },
    { .name = "version",
      .type = OPTION_FLAG,
      .offset = offsetof(struct common_wishes, version),
      .help = "print the version" },
    { .name = "quiet",
      .letter = 'q',
      .type = OPTION_COUNT,
      .offset = offsetof(struct common_options, quiet),
      .help = "say less; errors are always told" },
    { .name = "verbose",
      .letter = 'v',
      .type = OPTION_COUNT,
      .offset = offsetof(struct common_options, verbose),
      .help = "say more; twice for even more" },
    { .name = "json",
      .type = OPTION_FLAG,
      .offset = offsetof(struct common_options, json),
      .help = "print results as one JSON document" },
    { .name = "force",
      .type = OPTION_FLAG,
      .offset = offsetof(struct common_options, force),
      .help = "overwrite what exists" },
    { .name = "color",
      .type = OPTION_CHOICE,
      .offset = offsetof(struct common_options, color),
      .argument = "WHEN",
      .choices = color_choices,
      .default_text = "auto",
      .help = "colour the output" },
    { .name = "no-progress",
      .type = OPTION_FLAG,
      .offset = offsetof(struct common_options, no_progress),
      .help = "no progress line" },
    { 0 },
};

struct option_spec *common_options_join(const struct option_spec *specs,
                                        size_t wishes_offset)
{
    size_t own = 0;
    while (specs[own].name != NULL)
        own++;
    size_t common = 0;
    while (common_option_specs[common].name != NULL)
        common++;
    struct option_spec *joined = memory_new(own + common + 1, sizeof *joined);
    memcpy(joined, specs, own * sizeof *joined);
    memcpy(joined + own, common_option_specs, (common + 1) * sizeof *joined);
    for (size_t i = 0; i < COMMON_WISHES; i++)
        joined[own + i].offset += wishes_offset;
    return joined;
}
