/* Distributions as rows of a table: headline percentiles, maximum, mean, counts. */
#ifndef TOKTRACE_DISTRIBUTION_TABLE_H
#define TOKTRACE_DISTRIBUTION_TABLE_H

#include "analyze/distribution.h"
#include "analyze/short_text.h"
#include "analyze/text_table.h"

/* Begins a table of such rows. */
void distribution_table_start(struct text_table *table);

/* A row in the unit that suits its median. */
void distribution_table_add(struct text_table *table, const char *name,
                            const struct distribution *distribution);

/* That unit. */
struct time_unit distribution_unit(const struct distribution *distribution);

#endif
