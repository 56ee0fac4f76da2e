/* Asks the scheduler for short slices. */
#ifndef TOKTRACE_SHORT_SLICE_H
#define TOKTRACE_SHORT_SLICE_H

/* This process would rather run soon than long: from Linux 6.12 a slice that is shorter
 * than that of the process on the CPU lets a wake-up take the CPU from it at once. Its
 * share of the CPU stays the same. Older kernels take no notice. */
void process_ask_short_slices(void);

#endif
