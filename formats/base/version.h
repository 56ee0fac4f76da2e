/* The version of the toolkit, one for the three programs. */
#ifndef TOKTRACE_VERSION_H
#define TOKTRACE_VERSION_H

#define TOKTRACE_VERSION "0.1.0"

/* The commit that was built, "" where it is not known. The Makefile makes the file that
 * defines it. */
extern const char toktrace_revision[];

enum { VERSION_TEXT_MAX = 512 };

/* What --version prints behind the name: version and revision, then `library`, the text
 * of the one that this program has besides, and the versions of those that all have.
 * Returns text. */
const char *version_format(char text[VERSION_TEXT_MAX], const char *library);

#endif
