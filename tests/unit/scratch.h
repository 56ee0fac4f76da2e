/* A directory of its own for a test that needs files. */
#ifndef TOKTRACE_SCRATCH_H
#define TOKTRACE_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* cmocka group set-up and tear-down: makes a scratch directory and works in it; removes
 * it again. */
static inline int scratch_enter(void **state)
{
    char path[] = "/tmp/toktrace-test-XXXXXX";
    if (mkdtemp(path) == NULL || chdir(path) != 0)
        return -1;
    *state = strdup(path);
    return 0;
}

static inline int scratch_leave(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
    free(*state);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static inline void scratch_write(const char *path, const void *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, len, file) != len || fclose(file) != 0)
        abort();
}

/* The file's content, NUL-terminated, in a static buffer; NULL when it is not there. */
static inline const char *scratch_read(const char *path)
{
    static char content[4096];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    content[fread(content, 1, sizeof content - 1, file)] = '\0';
    fclose(file);
    return content;
}

static inline int scratch_exists(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0;
}

#endif
