#include "record/capture_device.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/units.h"

enum { PORT_MAX = 65535 };

static int append_ports(struct buffer *filter, const struct capture_settings *settings,
                        struct fault *fault)
{
    for (size_t i = 0; i < settings->port_count; i++) {
        int64_t port;
        const char *text = settings->ports[i];
        if (units_parse_int(text, &port, fault) < 0 || port < 1 || port > PORT_MAX)
            return fault_set(fault, STATUS_USAGE,
                             "--port: '%s' is no port; 1 to %d is expected", text,
                             PORT_MAX);
        buffer_printf(filter, "%sport %d", i ? " or " : " and (", (int)port);
    }
    if (settings->port_count)
        buffer_append_text(filter, ")");
    return STATUS_OK;
}

static int make_filter(struct buffer *filter, const struct capture_settings *settings,
                       struct fault *fault)
{
    buffer_append_text(filter, "tcp");
    int status = append_ports(filter, settings, fault);
    if (status == STATUS_OK && settings->filter)
        buffer_printf(filter, " and (%s)", settings->filter);
    return status;
}

static int fault_no_right(const char *interface, struct fault *fault)
{
    char program[1024];
    ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[len > 0 ? len : 0] = '\0';
    return fault_set(fault, STATUS_IO,
                     "no right to capture on %s: run it with sudo, or once: "
                     "sudo setcap cap_net_raw+ep %s", interface, program);
}

static int fault_no_device(const char *interface, struct fault *fault)
{
    char error[PCAP_ERRBUF_SIZE];
    struct buffer names = BUFFER_INIT;
    pcap_if_t *devices = NULL;
    if (pcap_findalldevs(&devices, error) == 0)
        for (const pcap_if_t *device = devices; device; device = device->next)
            if (device->addresses || device->flags & PCAP_IF_LOOPBACK)
                buffer_printf(&names, "%s%s", names.len ? ", " : "", device->name);
    if (devices)
        pcap_freealldevs(devices);
    int status = fault_set(fault, STATUS_USAGE,
                           "there is no interface '%s'; there are %s", interface,
                           buffer_text(&names));
    buffer_release(&names);
    return status;
}

static int activate(pcap_t *pcap, const struct capture_settings *settings,
                    struct fault *fault)
{
    pcap_set_snaplen(pcap, (int)settings->snaplen);
    pcap_set_promisc(pcap, settings->promiscuous);
    pcap_set_timeout(pcap, CAPTURE_WAIT_MS);
    pcap_set_buffer_size(pcap, (int)settings->ring_bytes);
    if (pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO) != 0)
        return fault_set(fault, STATUS_IO, "%s has no ns stamps", settings->interface);
    int result = pcap_activate(pcap);
    if (result == PCAP_ERROR_PERM_DENIED)
        return fault_no_right(settings->interface, fault);
    if (result == PCAP_ERROR_NO_SUCH_DEVICE)
        return fault_no_device(settings->interface, fault);
    if (result < 0)
        return fault_set(fault, STATUS_IO, "cannot capture on %s: %s (%s)",
                         settings->interface, pcap_statustostr(result),
                         pcap_geterr(pcap));
    char error[PCAP_ERRBUF_SIZE];
    if (pcap_setnonblock(pcap, 1, error) < 0)
        return fault_set(fault, STATUS_IO, "cannot capture on %s: %s",
                         settings->interface, error);
    return STATUS_OK;
}

static int set_filter(pcap_t *pcap, const char *text, struct fault *fault)
{
    struct bpf_program program;
    if (pcap_compile(pcap, &program, text, 1, PCAP_NETMASK_UNKNOWN) < 0)
        return fault_set(fault, STATUS_USAGE, "filter '%s': %s", text, pcap_geterr(pcap));
    int result = pcap_setfilter(pcap, &program);
    pcap_freecode(&program);
    if (result < 0)
        return fault_set(fault, STATUS_IO, "filter '%s': %s", text, pcap_geterr(pcap));
    return STATUS_OK;
}

int capture_device_open(struct capture_device *device,
                        const struct capture_settings *settings, struct fault *fault)
{
    char error[PCAP_ERRBUF_SIZE] = "";
    *device = (struct capture_device){ 0 };
    int status = make_filter(&device->filter, settings, fault);
    if (status == STATUS_OK) {
        device->pcap = pcap_create(settings->interface, error);
        status = device->pcap
                     ? activate(device->pcap, settings, fault)
                     : fault_set(fault, STATUS_IO, "%s: %s", settings->interface, error);
    }
    if (status == STATUS_OK)
        status = set_filter(device->pcap, buffer_text(&device->filter), fault);
    if (status < 0)
        capture_device_close(device);
    return status;
}

int capture_device_poll(struct capture_device *device, pcap_handler handler,
                        void *context, struct fault *fault)
{
    struct pollfd ready = { .fd = pcap_get_selectable_fd(device->pcap),
                            .events = POLLIN };
    if (poll(&ready, 1, CAPTURE_WAIT_MS) < 0 && errno != EINTR)
        return fault_set_errno(fault, "cannot wait for packets");
    if (pcap_dispatch(device->pcap, -1, handler, context) == PCAP_ERROR)
        return fault_set(fault, STATUS_IO, "capturing failed: %s",
                         pcap_geterr(device->pcap));
    return STATUS_OK;
}

/* Adds what a 32-bit counter moved on since the total so far. */
static void add_32(uint64_t *total, unsigned counter)
{
    *total += counter - (uint32_t)*total;
}

void capture_device_statistics(struct capture_device *device,
                               struct capture_statistics *statistics)
{
    struct pcap_stat now;
    if (pcap_stats(device->pcap, &now) < 0)
        return;
    add_32(&statistics->received, now.ps_recv);
    add_32(&statistics->dropped_by_kernel, now.ps_drop);
    add_32(&statistics->dropped_by_interface, now.ps_ifdrop);
}

void capture_device_close(struct capture_device *device)
{
    if (device->pcap)
        pcap_close(device->pcap);
    buffer_release(&device->filter);
    *device = (struct capture_device){ 0 };
}
