#include "replay/control.h"

#include <stddef.h>
#include <sys/mman.h>

static size_t run_control_bytes(uint32_t workers)
{
    return sizeof(struct run_control) + workers * sizeof(struct worker_counters);
}

struct run_control *run_control_create(uint32_t workers)
{
    void *memory = mmap(NULL, run_control_bytes(workers), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void run_control_free(struct run_control *control, uint32_t workers)
{
    if (control != NULL)
        munmap(control, run_control_bytes(workers));
}
