/* tokrecord capture: packets of given ports to a file. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/json.h"
#include "formats/base/memory.h"
#include "formats/base/terminal.h"
#include "formats/base/units.h"
#include "record/capture_file.h"
#include "record/capture_options.h"
#include "record/capture_sidecar.h"
#include "record/commands.h"
#include "record/stop_signal.h"

struct capture_command {
    struct common_options common;
    struct capture_options capture;
    const char *output;
    int64_t max_bytes;    /* 0: no limit */
    int64_t rotate_bytes; /* 0: one file */
};

/* One run of the command. */
struct capture_run {
    const struct capture_command *options;
    struct capture_settings settings;
    struct capture_device device;
    struct capture_statistics statistics;
    struct capture_file *file;
    struct wire_clock clock;
    json_t *offload;
    json_t *files;
    char *sidecar; /* NULL for stdout */
    uint64_t packets;
    uint64_t closed_bytes;       /* in files that rotation has closed */
    int64_t stop_realtime_ns;    /* later packets do not count */
    struct progress progress;
};

static const struct option_spec specs[] = {
    CAPTURE_OPTION_ENTRIES(struct capture_command, capture),
    { .name = "output",
      .letter = 'o',
      .type = OPTION_PATH,
      .offset = offsetof(struct capture_command, output),
      .default_text = "wire.pcap.zst",
      .argument = "FILE",
      .help = "capture file; its sidecar is called .json in place of .pcap.zst",
      .group = "Output" },
    { .name = "max-size",
      .type = OPTION_SIZE,
      .offset = offsetof(struct capture_command, max_bytes),
      .default_text = "0",
      .argument = "SIZE",
      .help = "stop when so much is stored, compressed; 0: no limit" },
    { .name = "rotate",
      .type = OPTION_SIZE,
      .offset = offsetof(struct capture_command, rotate_bytes),
      .default_text = "0",
      .argument = "SIZE",
      .help = "start a new file (wire-001.pcap.zst, ...) after so much; 0: one file" },
    { 0 },
};

/* "wire.pcap.zst" to "wire-001.pcap.zst". Caller frees. */
static char *rotated_path(const char *path, size_t number)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    const char *suffix = strchr(name, '.');
    if (!suffix)
        suffix = name + strlen(name);
    struct buffer rotated = BUFFER_INIT;
    buffer_append(&rotated, path, (size_t)(suffix - path));
    buffer_printf(&rotated, "-%03zu%s", number, suffix);
    return rotated.data;
}

static int open_next_file(struct capture_run *run, struct fault *fault)
{
    size_t number = json_array_size(run->files);
    char *path = number ? rotated_path(run->options->output, number)
                        : memory_copy_text(run->options->output,
                                           strlen(run->options->output));
    int status = capture_file_open(&run->file, path, run->device.pcap,
                                   run->options->common.force, fault);
    if (status == STATUS_OK)
        json_array_append_new(run->files, json_string(path));
    free(path);
    return status;
}

static int close_file(struct capture_run *run, struct fault *fault)
{
    if (run->file)
        run->closed_bytes += capture_file_bytes(run->file);
    struct capture_file *file = run->file;
    run->file = NULL;
    return capture_file_close(file, fault);
}

static uint64_t stored_bytes(const struct capture_run *run)
{
    return run->closed_bytes + (run->file ? capture_file_bytes(run->file) : 0);
}

static json_t *document(struct capture_run *run, bool finished)
{
    struct capture_facts facts = {
        .settings = &run->settings,
        .device = &run->device,
        .statistics = &run->statistics,
        .clock = &run->clock,
        .offload = run->offload,
        .files = run->files,
        .packets = run->packets,
        .finished = finished,
    };
    return capture_sidecar_document(&facts);
}

/* `force`: over one that this run wrote before. */
static int write_sidecar(struct capture_run *run, bool finished, bool force,
                         struct fault *fault)
{
    if (!run->sidecar)
        return STATUS_OK;
    json_t *sidecar = document(run, finished);
    int status = json_write_file(sidecar, run->sidecar, force, fault);
    json_decref(sidecar);
    return status;
}

static void store_packet(u_char *context, const struct pcap_pkthdr *header,
                         const u_char *bytes)
{
    struct capture_run *run = (struct capture_run *)(void *)context;
    int64_t time_ns = header->ts.tv_sec * (int64_t)NS_PER_S + header->ts.tv_usec;
    if (time_ns > run->stop_realtime_ns)
        return;
    capture_file_write(run->file, header, bytes);
    run->packets++;
}

static void show_progress(struct capture_run *run)
{
    if (!progress_due(&run->progress))
        return;
    char packets[UNITS_TEXT_MAX], size[UNITS_TEXT_MAX], line[128];
    snprintf(line, sizeof(line), "%s packets, %s stored, %llu dropped",
             units_format_count(packets, (int64_t)run->packets),
             units_format_size(size, (int64_t)stored_bytes(run)),
             (unsigned long long)run->statistics.dropped_by_kernel);
    progress_show(&run->progress, line);
}

static int poll_once(struct capture_run *run, struct fault *fault)
{
    int status = capture_device_poll(&run->device, store_packet, (u_char *)run, fault);
    if (status < 0)
        return status;
    int64_t now_ns = clock_monotonic_ns();
    if (wire_clock_tick(&run->clock, now_ns))
        capture_device_statistics(&run->device, &run->statistics);
    status = capture_file_tick(run->file, now_ns, fault);
    int64_t rotate_bytes = run->options->rotate_bytes;
    if (status == STATUS_OK && rotate_bytes &&
        capture_file_bytes(run->file) >= (uint64_t)rotate_bytes) {
        status = close_file(run, fault);
        if (status == STATUS_OK)
            status = open_next_file(run, fault);
    }
    show_progress(run);
    return status;
}

static bool is_over(const struct capture_run *run, int64_t end_ns)
{
    int64_t max_bytes = run->options->max_bytes;
    return stop_signal_caught() || clock_monotonic_ns() >= end_ns ||
           (max_bytes && stored_bytes(run) >= (uint64_t)max_bytes);
}

/* The ring hands packets over late: goes on for as long as that can take, for those of
 * before. */
static int capture_until_over(struct capture_run *run, struct fault *fault)
{
    int64_t duration_ns = run->options->capture.duration_ns;
    int64_t end_ns = duration_ns ? clock_monotonic_ns() + duration_ns : INT64_MAX;
    run->stop_realtime_ns = INT64_MAX;
    int status = STATUS_OK;
    while (status == STATUS_OK && !is_over(run, end_ns))
        status = poll_once(run, fault);
    run->stop_realtime_ns = clock_realtime_ns();
    end_ns = clock_monotonic_ns() + 3 * CAPTURE_WAIT_MS * (int64_t)NS_PER_MS;
    while (status == STATUS_OK && clock_monotonic_ns() < end_ns)
        status = poll_once(run, fault);
    return status;
}

static void print_result(struct capture_run *run)
{
    char packets[UNITS_TEXT_MAX], size[UNITS_TEXT_MAX];
    const struct capture_statistics *seen = &run->statistics;
    if (!run->options->common.quiet)
        fprintf(stderr, "tokrecord capture: %s packets in %s of %s\n",
                units_format_count(packets, (int64_t)run->packets),
                units_format_size(size, (int64_t)stored_bytes(run)),
                run->options->output);
    if (seen->dropped_by_kernel || seen->dropped_by_interface)
        fprintf(stderr,
                "tokrecord capture: %llu packets dropped by the kernel, %llu by %s; "
                "try a larger --buffer\n",
                (unsigned long long)seen->dropped_by_kernel,
                (unsigned long long)seen->dropped_by_interface, run->settings.interface);
    if (run->options->common.json && run->sidecar) {
        struct fault ignored = { "" };
        json_t *result = document(run, true);
        json_write_stream(result, stdout, &ignored);
        json_decref(result);
    }
}

static int start(struct capture_run *run, struct fault *fault)
{
    const struct capture_command *options = run->options;
    if (strcmp(options->output, "-") != 0)
        run->sidecar = capture_sidecar_path(options->output);
    stop_signal_catch();
    int status = capture_options_open(&options->capture, &run->settings, &run->device,
                                      fault);
    if (status < 0)
        return status;
    run->offload = offload_state(run->settings.interface);
    wire_clock_tick(&run->clock, clock_monotonic_ns());
    status = open_next_file(run, fault);
    if (status == STATUS_OK)
        status = write_sidecar(run, false, options->common.force, fault);
    if (status < 0)
        return status;
    if (!options->common.quiet)
        fprintf(stderr, "tokrecord capture: capturing on %s, %s\n",
                run->settings.interface, buffer_text(&run->device.filter));
    return capture_announce(&options->capture, fault);
}

static int capture_run(void *options, char **operands, int operand_count,
                       struct fault *fault)
{
    (void)operands;
    (void)operand_count;
    struct capture_run run = { .options = options, .files = json_array() };
    const struct common_options *common = &run.options->common;
    progress_init(&run.progress, !common->no_progress && !common->quiet, common->verbose);
    int status = start(&run, fault);
    if (status == STATUS_OK)
        status = capture_until_over(&run, fault);
    progress_end(&run.progress);
    struct fault close_fault = { "" };
    int closed = close_file(&run, status == STATUS_OK ? fault : &close_fault);
    if (status == STATUS_OK)
        status = closed;
    if (status == STATUS_OK) {
        wire_clock_add(&run.clock, clock_pair_read());
        capture_device_statistics(&run.device, &run.statistics);
        status = write_sidecar(&run, true, true, fault);
    }
    if (status == STATUS_OK)
        print_result(&run);
    if (run.device.pcap)
        capture_device_close(&run.device);
    wire_clock_release(&run.clock);
    json_decref(run.offload);
    json_decref(run.files);
    free(run.sidecar);
    return status;
}

const struct command capture_command = {
    .name = "capture",
    .summary = "store the packets of given ports",
    .usage = "[OPTION]... -i IFACE [-p PORT]... [-o FILE]",
    .details =
        "Stores packets with ns stamps as classic pcap inside zstd, and how it was done "
        "in a sidecar (.json). SIGINT or SIGTERM is how a capture ends; the exit code "
        "is 0 then. Needs the right to capture, which is given up once the device is "
        "open.",
    .options = specs,
    .options_size = sizeof(struct capture_command),
    .run = capture_run,
    .operands_max = 0,
};
