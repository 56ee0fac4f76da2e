/* Feeds the files of the directories given to one fuzz target, without a fuzzer: what was
 * found once is checked by every compiler. Names each file before it runs, so that a
 * crash says which. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "formats/base/buffer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_whole(const char *path, struct buffer *content)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return -1;
    char bytes[4096];
    size_t got;
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
        buffer_append(content, bytes, got);
    int failed = ferror(file);
    fclose(file);
    return failed ? -1 : 0;
}

static int replay_file(const char *path)
{
    struct buffer content = BUFFER_INIT;
    printf("%s\n", path);
    fflush(stdout);
    int status = read_whole(path, &content);
    if (status == 0) {
        /* A copy of the exact size, so that a sanitizer sees a read past its end. */
        uint8_t *exact = malloc(content.len > 0 ? content.len : 1);
        for (size_t i = 0; i < content.len; i++)
            exact[i] = (uint8_t)content.data[i];
        LLVMFuzzerTestOneInput(exact, content.len);
        free(exact);
    } else {
        perror(path);
    }
    buffer_release(&content);
    return status;
}

/* Number of files replayed, -1 on failure. */
static int replay_directory(const char *path)
{
    DIR *directory = opendir(path);
    if (directory == NULL) {
        perror(path);
        return -1;
    }
    struct buffer name = BUFFER_INIT;
    int count = 0;
    const struct dirent *entry;
    while (count >= 0 && (entry = readdir(directory)) != NULL) {
        struct stat about;
        buffer_clear(&name);
        buffer_printf(&name, "%s/%s", path, entry->d_name);
        if (stat(buffer_text(&name), &about) != 0 || !S_ISREG(about.st_mode))
            continue;
        count = replay_file(buffer_text(&name)) < 0 ? -1 : count + 1;
    }
    buffer_release(&name);
    closedir(directory);
    return count;
}

int main(int argc, char **argv)
{
    int total = 0;
    for (int i = 1; i < argc; i++) {
        int count = replay_directory(argv[i]);
        if (count < 0)
            return 1;
        total += count;
    }
    printf("%d files\n", total);
    /* A corpus that went missing must not look like one that passed. */
    return total > 0 ? 0 : 1;
}
