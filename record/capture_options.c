#include "record/capture_options.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "record/privileges.h"

int capture_options_open(const struct capture_options *options,
                         struct capture_settings *settings, struct capture_device *device,
                         struct fault *fault)
{
    if (!options->interface)
        return fault_set(fault, STATUS_USAGE, "--interface is needed");
    *settings = (struct capture_settings){
        .interface = options->interface,
        .ports = options->ports.items,
        .port_count = options->ports.count,
        .filter = options->filter,
        .ring_bytes = options->ring_bytes,
        .snaplen = options->snaplen,
        .promiscuous = options->promiscuous,
    };
    int status = capture_device_open(device, settings, fault);
    if (status < 0)
        return status;
    status = privileges_drop(options->user, fault);
    if (status < 0)
        capture_device_close(device);
    return status;
}

int capture_announce(const struct capture_options *options, struct fault *fault)
{
    static const char ready[] = "ready\n";
    if (options->ready_fd < 0)
        return STATUS_OK;
    /* after the change of user, which would undo it */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (write((int)options->ready_fd, ready, sizeof(ready) - 1) < 0)
        return fault_set_errno(fault, "--ready-fd %d", (int)options->ready_fd);
    close((int)options->ready_fd);
    return STATUS_OK;
}
