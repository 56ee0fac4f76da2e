/* SIGINT and SIGTERM as a flag to look at. */
#ifndef TOKTRACE_STOP_SIGNAL_H
#define TOKTRACE_STOP_SIGNAL_H

/* From now on the first SIGINT or SIGTERM only sets the flag; a second one ends the
 * process as usual. */
void stop_signal_catch(void);

/* The signal that came, or 0. */
int stop_signal_caught(void);

#endif
