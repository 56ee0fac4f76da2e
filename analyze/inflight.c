#include "analyze/inflight.h"

#include <math.h>

#include "formats/base/quantile.h"

struct inflight inflight_sweep(int64_t *from_ns, int64_t *to_ns, size_t count)
{
    struct inflight result = { .mean = NAN };
    if (count == 0)
        return result;
    double total_ns = 0;
    for (size_t i = 0; i < count; i++)
        total_ns += (double)(to_ns[i] - from_ns[i]);
    quantile_sort_int(from_ns, count);
    quantile_sort_int(to_ns, count);
    size_t ended = 0;
    for (size_t i = 0; i < count; i++) {
        while (ended < count && to_ns[ended] <= from_ns[i])
            ended++;
        uint64_t open = ended <= i ? i + 1 - ended : 0;
        result.max = open > result.max ? open : result.max;
    }
    if (to_ns[count - 1] > from_ns[0])
        result.mean = total_ns / (double)(to_ns[count - 1] - from_ns[0]);
    return result;
}
