#include "analyze/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/summary_output.h"
#include "formats/base/memory.h"

static int compare_rows(const void *left, const void *right)
{
    const struct request_sample *a = *(const struct request_sample *const *)left;
    const struct request_sample *b = *(const struct request_sample *const *)right;
    return (a->row > b->row) - (a->row < b->row);
}

/* The samples in the order of their rows; caller frees. */
static const struct request_sample **by_row(const struct collection *collection)
{
    const struct request_sample **samples = memory_new(collection->count,
                                                       sizeof *samples);
    for (size_t i = 0; i < collection->count; i++)
        samples[i] = &collection->samples[i];
    qsort(samples, collection->count, sizeof *samples, compare_rows);
    return samples;
}

static bool same_request(const struct request_sample *a, const struct request_sample *b)
{
    return a->row == b->row && a->due_ns == b->due_ns &&
           a->planned_output_tokens == b->planned_output_tokens;
}

static bool same_rows(const struct collection *a, const struct collection *b)
{
    if (a->count != b->count)
        return false;
    const struct request_sample **a_rows = by_row(a);
    const struct request_sample **b_rows = by_row(b);
    bool same = true;
    for (size_t i = 0; i < a->count && same; i++)
        same = same_request(a_rows[i], b_rows[i]);
    free(a_rows);
    free(b_rows);
    return same;
}

bool same_plan(const struct analysis *a, const struct analysis *b)
{
    const struct run_manifest *a_manifest = summary_manifest(&a->load);
    const struct run_manifest *b_manifest = summary_manifest(&b->load);
    const char *a_hash = a_manifest ? a_manifest->plan.hash : NULL;
    const char *b_hash = b_manifest ? b_manifest->plan.hash : NULL;
    if (a_hash && b_hash)
        return strcmp(a_hash, b_hash) == 0;
    return same_rows(&a->collection, &b->collection);
}

static bool is_single(const struct request_sample **rows, size_t count, size_t i)
{
    return (i == 0 || rows[i - 1]->row != rows[i]->row) &&
           (i + 1 == count || rows[i + 1]->row != rows[i]->row);
}

struct pairs pair_rows(const struct collection *a, const struct collection *b)
{
    const struct request_sample **a_rows = by_row(a);
    const struct request_sample **b_rows = by_row(b);
    struct pairs pairs = { .items = memory_new(a->count, sizeof *pairs.items) };
    size_t j = 0;
    for (size_t i = 0; i < a->count; i++) {
        while (j < b->count && b_rows[j]->row < a_rows[i]->row)
            j++;
        if (j == b->count)
            break;
        if (b_rows[j]->row == a_rows[i]->row && a_rows[i]->outcome == OUTCOME_OK &&
            b_rows[j]->outcome == OUTCOME_OK && is_single(a_rows, a->count, i) &&
            is_single(b_rows, b->count, j))
            pairs.items[pairs.count++] = (struct pair){ a_rows[i], b_rows[j] };
    }
    free(a_rows);
    free(b_rows);
    return pairs;
}
