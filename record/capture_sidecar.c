#include "record/capture_sidecar.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "formats/base/json.h"
#include "formats/base/memory.h"
#include "formats/base/version.h"

#define SCHEMA "tokrecord.capture/1"

/* For times more than a century: sums and differences within it cannot overflow. */
#define NUMBER_MAX (INT64_MAX / 2)

char *capture_sidecar_path(const char *capture_path)
{
    static const char *const suffixes[] = { ".zst", ".gz", ".pcap", ".pcapng" };
    struct buffer path = BUFFER_INIT;
    buffer_append_text(&path, capture_path);
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        size_t len = strlen(suffixes[i]);
        if (path.len > len && memcmp(path.data + path.len - len, suffixes[i], len) == 0)
            path.len -= len;
    }
    buffer_append_text(&path, ".json");
    char *copy = memory_copy_text(path.data, path.len);
    buffer_release(&path);
    return copy;
}

static json_t *clock_array(const struct wire_clock *clock)
{
    json_t *array = json_array();
    for (size_t i = 0; i < clock->count; i++)
        json_array_append_new(array, json_pack("{s:I,s:I}", "monotonic_ns",
                                               (json_int_t)clock->pairs[i].monotonic_ns,
                                               "realtime_ns",
                                               (json_int_t)clock->pairs[i].realtime_ns));
    return array;
}

static json_t *device_object(const struct capture_facts *facts)
{
    pcap_t *pcap = facts->device->pcap;
    const char *link = pcap_datalink_val_to_name(pcap_datalink(pcap));
    return json_pack("{s:s,s:s,s:i,s:s,s:I,s:b,s:{s:s,s:s,s:i},s:O}", "interface",
                     facts->settings->interface, "link_type", link ? link : "unknown",
                     "snaplen_bytes", pcap_snapshot(pcap), "filter",
                     facts->device->filter.data, "ring_bytes",
                     (json_int_t)facts->settings->ring_bytes, "promiscuous",
                     facts->settings->promiscuous, "stamp", "type", "host", "clock",
                     "CLOCK_REALTIME", "resolution_ns", 1, "offload", facts->offload);
}

json_t *capture_sidecar_document(const struct capture_facts *facts)
{
    char boot_id[BOOT_ID_MAX];
    clock_boot_id(boot_id);
    const struct capture_statistics *statistics = facts->statistics;
    return json_pack("{s:s,s:s,s:b,s:O,s:o,s:{s:I,s:I,s:I,s:I},s:s,s:o}",
                     "schema", SCHEMA, "producer", "tokrecord " TOKTRACE_VERSION,
                     "finished", facts->finished, "files", facts->files,
                     "device", device_object(facts), "packets",
                     "written", (json_int_t)facts->packets,
                     "received", (json_int_t)statistics->received,
                     "dropped_by_kernel", (json_int_t)statistics->dropped_by_kernel,
                     "dropped_by_interface", (json_int_t)statistics->dropped_by_interface,
                     "boot_id", boot_id, "clock", clock_array(facts->clock));
}

static int read_clock(struct wire_clock *clock, json_t *array)
{
    size_t i;
    json_t *item;
    json_array_foreach(array, i, item) {
        json_int_t monotonic_ns, realtime_ns;
        if (json_unpack(item, "{s:I,s:I}", "monotonic_ns", &monotonic_ns, "realtime_ns",
                        &realtime_ns) < 0 ||
            monotonic_ns < 0 || monotonic_ns > NUMBER_MAX || realtime_ns < 0 ||
            realtime_ns > NUMBER_MAX)
            return -1;
        wire_clock_add(clock, (struct clock_pair){ monotonic_ns, realtime_ns });
    }
    return 0;
}

static int read_document(struct capture_sidecar *sidecar, json_t *document)
{
    const char *boot_id;
    json_t *clock;
    int finished;
    json_int_t by_kernel, by_interface;
    if (json_unpack(document, "{s:s,s:b,s:o,s:{s:I,s:I}}", "boot_id", &boot_id,
                    "finished", &finished, "clock", &clock, "packets",
                    "dropped_by_kernel", &by_kernel, "dropped_by_interface",
                    &by_interface) < 0 ||
        strlen(boot_id) >= BOOT_ID_MAX || by_kernel < 0 || by_kernel > NUMBER_MAX ||
        by_interface < 0 || by_interface > NUMBER_MAX)
        return -1;
    memcpy(sidecar->boot_id, boot_id, strlen(boot_id) + 1);
    sidecar->dropped = finished ? by_kernel + by_interface : -1;
    return read_clock(&sidecar->clock, clock);
}

/* Other files may well be called .json: only what says that it is ours counts. */
static bool is_ours(const json_t *document)
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    return schema && strcmp(schema, SCHEMA) == 0;
}

int capture_sidecar_read(struct capture_sidecar *sidecar, const char *capture_path,
                         struct fault *fault)
{
    *sidecar = (struct capture_sidecar){ .dropped = -1 };
    char *path = capture_sidecar_path(capture_path);
    struct fault unreadable = { "" };
    json_t *document = NULL;
    int result = 0;
    if (access(path, F_OK) == 0 &&
        json_read_file(path, &document, &unreadable) == STATUS_OK && is_ours(document))
        result = 1;
    if (result == 1 && read_document(sidecar, document) < 0)
        result = fault_set(fault, STATUS_BAD_INPUT,
                           "%s: a damaged sidecar; move it away to do without", path);
    json_decref(document);
    free(path);
    return result;
}

void capture_sidecar_release(struct capture_sidecar *sidecar)
{
    wire_clock_release(&sidecar->clock);
}
