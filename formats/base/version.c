#include "formats/base/version.h"

#include <jansson.h>
#include <stdio.h>
#include <zlib.h>
#include <zstd.h>

const char *version_format(char text[VERSION_TEXT_MAX], const char *library)
{
    const char *revision = toktrace_revision;
    snprintf(text, VERSION_TEXT_MAX, "%s%s%s%s\n%s\nzstd %s, zlib %s, jansson %s",
             TOKTRACE_VERSION, revision[0] != '\0' ? " (" : "", revision,
             revision[0] != '\0' ? ")" : "", library, ZSTD_versionString(), zlibVersion(),
             jansson_version_str());
    return text;
}
