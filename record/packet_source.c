#include "record/packet_source.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/clock.h"
#include "formats/base/input_file.h"
#include "formats/base/memory.h"
#include "record/decode.h"

enum { STREAM_BUFFER = 256 * 1024 };

/* One file and where its first packet lies in time. */
struct source_path {
    const char *path;
    int64_t first_ns; /* INT64_MAX without packets */
};

struct packet_source {
    struct source_path *paths;
    size_t path_count;
    size_t path_next;
    struct input_file *input; /* under `pcap` */
    pcap_t *pcap;             /* NULL between files */
    int link_type;
    uint64_t packets; /* of this file */
    struct fault read_fault; /* of `input` */
    struct fault damage;
    uint64_t damage_count;
};

static ssize_t read_cookie(void *cookie, char *bytes, size_t size)
{
    struct packet_source *source = cookie;
    size_t got;
    if (input_file_read(source->input, bytes, size, &got, &source->read_fault) < 0) {
        errno = EIO;
        return -1;
    }
    return (ssize_t)got;
}

static int close_cookie(void *cookie)
{
    struct packet_source *source = cookie;
    input_file_close(source->input);
    source->input = NULL;
    return 0;
}

static void close_file(struct packet_source *source)
{
    if (source->pcap)
        pcap_close(source->pcap);
    source->pcap = NULL;
}

/* The decompressor's reason where it has one: libpcap would say no more than "error
 * reading". */
static const char *reason(const struct packet_source *source, const char *of_pcap)
{
    return source->read_fault.text[0] ? source->read_fault.text : of_pcap;
}

static int check_link(const struct packet_source *source, const char *name,
                      struct fault *fault)
{
    if (decode_knows_link(source->link_type))
        return STATUS_OK;
    const char *link = pcap_datalink_val_to_name(source->link_type);
    return fault_set(
        fault, STATUS_UNSUPPORTED,
        "%s: link type %s (%d); Ethernet, SLL, SLL2, raw IP, NULL and LOOP are read",
        name, link ? link : "unknown", source->link_type);
}

static int open_file(struct packet_source *source, const char *path, struct fault *fault)
{
    char error[PCAP_ERRBUF_SIZE] = "";
    source->packets = 0;
    source->read_fault.text[0] = '\0';
    int status = input_file_open(&source->input, path, fault);
    if (status < 0)
        return status;
    const char *name = input_file_name(source->input);
    cookie_io_functions_t functions = { .read = read_cookie, .close = close_cookie };
    FILE *stream = fopencookie(source, "r", functions);
    if (!stream) {
        input_file_close(source->input);
        return fault_set_errno(fault, "cannot read %s", path);
    }
    setvbuf(stream, NULL, _IOFBF, STREAM_BUFFER);
    source->pcap = pcap_fopen_offline_with_tstamp_precision(
        stream, PCAP_TSTAMP_PRECISION_NANO, error);
    if (!source->pcap) {
        status = fault_set(fault, STATUS_BAD_INPUT,
                           "%s: %s; expected pcap or pcapng, plain, gzip or zstd", name,
                           reason(source, error));
        fclose(stream);
        return status;
    }
    source->link_type = pcap_datalink(source->pcap);
    status = check_link(source, name, fault);
    if (status < 0)
        close_file(source);
    return status;
}

static void note_damage(struct packet_source *source)
{
    source->damage_count++;
    source->damage.text[0] = '\0';
    fault_set(&source->damage, STATUS_BAD_INPUT, "%s: after packet %llu: %s",
              input_file_name(source->input), (unsigned long long)source->packets,
              reason(source, pcap_geterr(source->pcap)));
}

static int packet_time(const struct packet_source *source,
                       const struct pcap_pkthdr *header, int64_t *time_ns,
                       struct fault *fault)
{
    int64_t seconds = header->ts.tv_sec;
    int64_t fraction_ns = header->ts.tv_usec; /* ns by the precision asked for */
    if (__builtin_mul_overflow(seconds, (int64_t)NS_PER_S, time_ns) ||
        __builtin_add_overflow(*time_ns, fraction_ns, time_ns) || *time_ns < 0 ||
        *time_ns > INT64_MAX / 2)
        return fault_set(fault, STATUS_BAD_INPUT,
                         "%s: packet %llu: its time of %lld s since 1970 is out of range",
                         input_file_name(source->input),
                         (unsigned long long)source->packets, (long long)seconds);
    return STATUS_OK;
}

/* As packet_source_next, on the open file only. */
static int next_in_file(struct packet_source *source, struct captured_packet *packet,
                        struct fault *fault)
{
    struct pcap_pkthdr *header;
    const u_char *bytes;
    int got = pcap_next_ex(source->pcap, &header, &bytes);
    if (got == PCAP_ERROR_BREAK)
        return 0;
    if (got < 0) {
        note_damage(source);
        return 0;
    }
    source->packets++;
    packet->bytes = bytes;
    packet->captured = header->caplen;
    packet->wire = header->len;
    packet->link_type = source->link_type;
    int status = packet_time(source, header, &packet->time_ns, fault);
    return status < 0 ? status : 1;
}

int packet_source_next(struct packet_source *source, struct captured_packet *packet,
                       struct fault *fault)
{
    for (;;) {
        if (!source->pcap) {
            if (source->path_next == source->path_count)
                return 0;
            int status = open_file(source, source->paths[source->path_next++].path,
                                   fault);
            if (status < 0)
                return status;
        }
        int got = next_in_file(source, packet, fault);
        if (got != 0)
            return got;
        close_file(source);
    }
}

static int look_at_first(struct packet_source *source, struct source_path *path,
                         struct fault *fault)
{
    int status = open_file(source, path->path, fault);
    if (status < 0)
        return status;
    struct captured_packet packet;
    int got = next_in_file(source, &packet, fault);
    path->first_ns = got == 1 ? packet.time_ns : INT64_MAX;
    close_file(source);
    return got < 0 ? got : STATUS_OK;
}

/* Insertion sort: stable, and the files are sorted already as a rule. */
static void sort_paths(struct source_path *paths, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct source_path moved = paths[i];
        size_t at = i;
        for (; at > 0 && paths[at - 1].first_ns > moved.first_ns; at--)
            paths[at] = paths[at - 1];
        paths[at] = moved;
    }
}

static int order_files(struct packet_source *source, struct fault *fault)
{
    for (size_t i = 0; i < source->path_count; i++) {
        struct source_path *path = &source->paths[i];
        if (strcmp(path->path, "-") == 0)
            return fault_set(fault, STATUS_USAGE,
                             "standard input has to be the only file");
        int status = look_at_first(source, path, fault);
        if (status < 0)
            return status;
    }
    sort_paths(source->paths, source->path_count);
    source->damage_count = 0;
    source->damage.text[0] = '\0';
    return STATUS_OK;
}

int packet_source_open(struct packet_source **source, char *const *paths,
                       size_t path_count, struct fault *fault)
{
    struct packet_source *opened = memory_new(1, sizeof(*opened));
    opened->paths = memory_new(path_count, sizeof(*opened->paths));
    opened->path_count = path_count;
    for (size_t i = 0; i < path_count; i++)
        opened->paths[i].path = paths[i];
    int status = path_count > 1 ? order_files(opened, fault) : STATUS_OK;
    if (status == STATUS_OK && path_count == 1)
        status = open_file(opened, opened->paths[opened->path_next++].path, fault);
    if (status < 0) {
        packet_source_close(opened);
        return status;
    }
    *source = opened;
    return STATUS_OK;
}

const char *packet_source_damage(const struct packet_source *source, uint64_t *count)
{
    *count = source->damage_count;
    return source->damage_count ? source->damage.text : NULL;
}

void packet_source_close(struct packet_source *source)
{
    if (!source)
        return;
    close_file(source);
    free(source->paths);
    free(source);
}
