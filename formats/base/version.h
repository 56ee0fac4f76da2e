/* The version of the toolkit, one for the three programs. */
#ifndef TOKTRACE_VERSION_H
#define TOKTRACE_VERSION_H

#define TOKTRACE_VERSION "0.1.0"

#endif
