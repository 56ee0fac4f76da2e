#include "analyze/distribution_table.h"

struct time_unit distribution_unit(const struct distribution *distribution)
{
    return time_unit_for(distribution_headline(distribution, HEADLINE_P50));
}

void distribution_table_start(struct text_table *table)
{
    static const char *const heads[] = {
        "", "", "p50", "p90", "p95", "p99", "max", "mean", "count", "excluded", NULL,
    };
    text_table_start(table, heads);
}

void distribution_table_add(struct text_table *table, const char *name,
                            const struct distribution *distribution)
{
    struct time_unit unit = distribution_unit(distribution);
    text_table_add(table, "%s", name);
    text_table_add(table, "%s", unit.name);
    for (size_t i = 0; i < DISTRIBUTION_HEADLINES; i++)
        text_table_add(table, "%s",
                       time_text(distribution_headline(distribution, i), unit).text);
    text_table_add(table, "%s", time_text(distribution->max, unit).text);
    text_table_add(table, "%s", time_text(distribution->mean, unit).text);
    text_table_add(table, "%s", count_text(distribution->count).text);
    text_table_add(table, "%s", count_text(distribution->excluded).text);
}
