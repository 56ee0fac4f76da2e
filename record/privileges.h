/* Giving up rights once the device is open. */
#ifndef TOKTRACE_PRIVILEGES_H
#define TOKTRACE_PRIVILEGES_H

#include "formats/base/fault.h"

/* Becomes `user` (a name or a number), or, where that is NULL and the process is root
 * under sudo, the user who called sudo; then nothing run from here can gain rights
 * (no-new-privileges), and capabilities of a user other than root are given up. Call
 * before other threads exist. */
int privileges_drop(const char *user, struct fault *fault);

#endif
