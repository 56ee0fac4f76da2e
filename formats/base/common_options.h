/* The options that every command has, as a table to follow the command's own. */
#ifndef TOKTRACE_COMMON_OPTIONS_H
#define TOKTRACE_COMMON_OPTIONS_H

#include <stdbool.h>

#include "formats/base/options.h"

/* What the table fills: common_options, and two wishes that program_main grants
 * itself. */
struct common_wishes {
    bool help;
    bool version;
};

/* Ends with a NULL name. Its first COMMON_WISHES entries refer to common_wishes, at an
 * offset that the caller adds; the rest to common_options. */
enum { COMMON_WISHES = 2 };
extern const struct option_spec common_option_specs[];

/* The command's table followed by the common one, its wishes placed at wishes_offset.
 * Caller frees. */
struct option_spec *common_options_join(const struct option_spec *specs,
                                        size_t wishes_offset);

#endif
