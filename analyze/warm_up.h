/* Whether a run settles, and after how long. */
#ifndef TOKTRACE_WARM_UP_H
#define TOKTRACE_WARM_UP_H

#include "analyze/collection.h"
#include "analyze/steady_state.h"

/* Of TTFT in the order of due times; of one run, not of several. */
struct warm_up {
    struct steady_state state;
    double seconds; /* from the first due time to the first request after it */
    double rise;    /* median TTFT of the last quarter of the requests / of the first */
};

/* Unknown for requests of several clocks. */
struct warm_up warm_up_of(const struct collection *collection);

#endif
