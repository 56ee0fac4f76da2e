/* What random numbers are drawn for: the `purpose` of each random_stream of a plan. Never
 * renumbered: plans of one seed stay the same over versions. */
#ifndef TOKTRACE_PLAN_STREAMS_H
#define TOKTRACE_PLAN_STREAMS_H

enum plan_stream {
    STREAM_SAMPLE_ROW = 1,     /* index: row number */
    STREAM_SAMPLE_SESSION = 2, /* index: hash of the name */
    STREAM_TICK = 3,           /* index: row number */
    STREAM_GAP = 4,            /* index: request number */
    STREAM_INPUT = 5,          /* index: request number */
    STREAM_OUTPUT = 6,
    STREAM_ROW_OF_FILE = 7,
    STREAM_PROMPT = 8,         /* index: request number */
    STREAM_BLOCK = 9,          /* index: id of the block */
    STREAM_CLIENT = 10,        /* servegen; index: client and window */
    STREAM_PHASE = 11,         /* on/off; index: phase number */
    STREAM_DIGITS = 12,        /* index: STREAM_PROMPT or STREAM_BLOCK */
};

#endif
