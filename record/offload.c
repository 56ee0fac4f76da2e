#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "record/capture_sidecar.h"

struct offload {
    const char *name;
    uint32_t command;
    uint32_t mask;
};

static const struct offload offloads[] = {
    { "rx_checksum", ETHTOOL_GRXCSUM, UINT32_MAX },
    { "tx_checksum", ETHTOOL_GTXCSUM, UINT32_MAX },
    { "tso", ETHTOOL_GTSO, UINT32_MAX },
    { "gso", ETHTOOL_GGSO, UINT32_MAX },
    { "gro", ETHTOOL_GGRO, UINT32_MAX },
    { "lro", ETHTOOL_GFLAGS, ETH_FLAG_LRO },
};

static json_t *ask(int fd, const char *interface, const struct offload *offload)
{
    struct ethtool_value value = { .cmd = offload->command };
    struct ifreq request = { .ifr_data = (char *)&value };
    snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", interface);
    if (fd < 0 || ioctl(fd, SIOCETHTOOL, &request) < 0)
        return json_null();
    return json_boolean((value.data & offload->mask) != 0);
}

json_t *offload_state(const char *interface)
{
    json_t *state = json_object();
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (size_t i = 0; i < sizeof(offloads) / sizeof(offloads[0]); i++)
        json_object_set_new(state, offloads[i].name, ask(fd, interface, &offloads[i]));
    if (fd >= 0)
        close(fd);
    return state;
}
