#include "record/stop_signal.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void note_signal(int number)
{
    caught = number;
}

void stop_signal_catch(void)
{
    struct sigaction action = { .sa_handler = note_signal,
                                .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

int stop_signal_caught(void)
{
    return caught;
}
