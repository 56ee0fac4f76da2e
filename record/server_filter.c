#include "record/server_filter.h"

#include <arpa/inet.h>
#include <string.h>

#include "formats/base/units.h"

enum { HOST_MAX = 64, PORT_MAX = 65535 };

/* An address as digits; false for anything else. */
static bool parse_address(const char *host, uint8_t address[16])
{
    static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
    memcpy(address, mapped, sizeof(mapped));
    return inet_pton(AF_INET, host, address + sizeof(mapped)) == 1 ||
           inet_pton(AF_INET6, host, address) == 1;
}

static int bad_text(const char *text, struct fault *fault)
{
    return fault_set(fault, STATUS_USAGE,
                     "--server: '%s'; expected ADDRESS:PORT, [IPV6]:PORT or :PORT", text);
}

int server_filter_parse(struct server_filter *filter, const char *text,
                        struct fault *fault)
{
    const char *colon = strrchr(text, ':');
    char host[HOST_MAX];
    int64_t port;
    struct fault ignored = { "" };
    *filter = (struct server_filter){ .any_address = true };
    size_t len = colon ? (size_t)(colon - text) : 0;
    if (!colon || len >= sizeof(host) ||
        units_parse_int(colon + 1, &port, &ignored) < 0 || port < 1 || port > PORT_MAX)
        return bad_text(text, fault);
    filter->server.port = (uint16_t)port;
    if (len == 0)
        return STATUS_OK;
    bool bracketed = len > 2 && text[0] == '[' && text[len - 1] == ']';
    memcpy(host, text + bracketed, len - 2 * bracketed);
    host[len - 2 * bracketed] = '\0';
    filter->any_address = false;
    return parse_address(host, filter->server.address) ? STATUS_OK
                                                       : bad_text(text, fault);
}

bool server_filter_names(const struct server_filter *filter,
                         const struct endpoint *endpoint)
{
    return filter->server.port == endpoint->port &&
           (filter->any_address || memcmp(filter->server.address, endpoint->address,
                                          sizeof(endpoint->address)) == 0);
}

bool server_filter_wants(const struct server_filter *filter,
                         const struct segment *segment)
{
    return filter->server.port == 0 || server_filter_names(filter, &segment->from) ||
           server_filter_names(filter, &segment->to);
}
