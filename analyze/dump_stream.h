/* `tokanalyze dump --stream`: how the raw bytes of one answer are understood. */
#ifndef TOKTRACE_ANALYZE_DUMP_STREAM_H
#define TOKTRACE_ANALYZE_DUMP_STREAM_H

#include <stdbool.h>
#include <stdio.h>

#include "formats/base/fault.h"

/* Reads `path` ("-": standard input), the body of an answer or a raw HTTP/1.x response
 * with its head (told by "HTTP/" at its start; chunked coding is undone), and prints on
 * `out` each event with its offset, kind, choice and tokens, then the result; as text, or
 * as one JSON document "tokanalyze.dump_stream/1". Never prints what the answer says. */
int dump_stream(const char *path, bool json, FILE *out, struct fault *fault);

#endif
