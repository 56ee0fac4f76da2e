/* tokrecord live: capture and extract in one go, for hours; no payload is stored. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/base/clock.h"
#include "formats/base/terminal.h"
#include "formats/base/units.h"
#include "record/capture_options.h"
#include "record/commands.h"
#include "record/extract_options.h"
#include "record/extract_report.h"
#include "record/stop_signal.h"
#include "record/wire_clock.h"
#include "record/wire_log.h"

struct live_command {
    struct common_options common;
    struct capture_options capture;
    struct extract_options extract;
    const char *output;
    int64_t rotate_ns; /* 0: one log */
};

static const struct option_spec specs[] = {
    CAPTURE_OPTION_ENTRIES(struct live_command, capture),
    EXTRACT_OPTION_ENTRIES(struct live_command, extract),
    { .name = "output", .letter = 'o', .type = OPTION_PATH,
      .offset = offsetof(struct live_command, output), .argument = "DIR",
      .help = "directory for the logs, made when it is not there", .group = "Output" },
    { .name = "rotate", .type = OPTION_DURATION,
      .offset = offsetof(struct live_command, rotate_ns), .default_text = "1h",
      .argument = "TIME", .help = "start a new log after this time; 0: one log" },
    { 0 },
};

/* One run of the command. */
struct live_run {
    const struct live_command *options;
    struct capture_settings settings;
    struct capture_device device;
    struct capture_statistics statistics;
    struct wire_clock clock;
    struct clock_pair zero;
    struct extractor *extractor;
    struct wire_log log;
    unsigned logs;
    int64_t log_start_ns;
    int64_t first_ns;
    int64_t last_ns;
    int link_type;
    struct progress progress;
};

static int open_log(struct live_run *run, struct fault *fault)
{
    struct arrivals_header header = {
        .t0_monotonic_ns = run->zero.monotonic_ns,
        .t0_realtime_ns = run->zero.realtime_ns,
    };
    clock_boot_id(header.boot_id);
    struct buffer path = BUFFER_INIT;
    buffer_printf(&path, "%s/wire-%03u.toklog", run->options->output, run->logs);
    int status = wire_log_open(&run->log, buffer_text(&path), run->options->common.force,
                               &header, fault);
    buffer_release(&path);
    run->logs++;
    run->log_start_ns = clock_monotonic_ns();
    return status;
}

static int close_log(struct live_run *run, struct fault *fault)
{
    return wire_log_commit(&run->log, clock_monotonic_ns() - run->zero.monotonic_ns,
                           fault);
}

static void write_exchange(void *context, const struct exchange *exchange)
{
    struct live_run *run = context;
    if (run->log.writer) /* not when opening the next one failed */
        arrivals_writer_request(run->log.writer, &exchange->record);
}

static void take_packet(u_char *context, const struct pcap_pkthdr *header,
                        const u_char *bytes)
{
    struct live_run *run = (struct live_run *)(void *)context;
    int64_t realtime_ns = header->ts.tv_sec * (int64_t)NS_PER_S + header->ts.tv_usec;
    struct captured_packet packet = {
        .bytes = bytes,
        .captured = header->caplen,
        .wire = header->len,
        .time_ns = wire_clock_monotonic(&run->clock, realtime_ns) -
                   run->zero.monotonic_ns,
        .link_type = run->link_type,
    };
    if (run->first_ns == TIME_NONE)
        run->first_ns = realtime_ns;
    run->last_ns = realtime_ns;
    extractor_packet(run->extractor, &packet);
}

/* Once a second: pairs of the clocks, of which only the last few are needed. */
static void note_clock(struct live_run *run)
{
    if (!wire_clock_tick(&run->clock, clock_monotonic_ns()))
        return;
    size_t last = run->clock.count - 1;
    struct clock_record record = {
        .at_ns = run->clock.pairs[last].monotonic_ns - run->zero.monotonic_ns,
        .realtime_ns = run->clock.pairs[last].realtime_ns,
        .step_ns = wire_clock_step(&run->clock, last),
    };
    arrivals_writer_clock(run->log.writer, &record);
    wire_clock_forget(&run->clock);
    capture_device_statistics(&run->device, &run->statistics);
}

static void show_progress(struct live_run *run)
{
    if (!progress_due(&run->progress))
        return;
    char packets[UNITS_TEXT_MAX], exchanges[UNITS_TEXT_MAX], line[128];
    snprintf(
        line, sizeof(line), "%s packets, %s exchanges, %llu dropped",
        units_format_count(packets, (int64_t)extractor_packets(run->extractor)->packets),
        units_format_count(exchanges, (int64_t)extractor_http(run->extractor)->exchanges),
        (unsigned long long)run->statistics.dropped_by_kernel);
    progress_show(&run->progress, line);
}

static int rotate(struct live_run *run, struct fault *fault)
{
    int64_t rotate_ns = run->options->rotate_ns;
    if (rotate_ns == 0 || clock_monotonic_ns() - run->log_start_ns < rotate_ns)
        return STATUS_OK;
    int status = close_log(run, fault);
    return status < 0 ? status : open_log(run, fault);
}

static int poll_until(struct live_run *run, int64_t end_ns, bool stoppable,
                      struct fault *fault)
{
    int status = STATUS_OK;
    while (status == STATUS_OK && clock_monotonic_ns() < end_ns &&
           !(stoppable && stop_signal_caught())) {
        status = capture_device_poll(&run->device, take_packet, (u_char *)run, fault);
        note_clock(run);
        if (status == STATUS_OK)
            status = wire_log_tick(&run->log, fault);
        if (status == STATUS_OK)
            status = rotate(run, fault);
        show_progress(run);
    }
    return status;
}

/* What the ring still holds at the end comes within a few waits. */
static int listen_until_over(struct live_run *run, struct fault *fault)
{
    int64_t duration_ns = run->options->capture.duration_ns;
    int64_t end_ns = duration_ns ? clock_monotonic_ns() + duration_ns : INT64_MAX;
    int status = poll_until(run, end_ns, true, fault);
    end_ns = clock_monotonic_ns() + 3 * CAPTURE_WAIT_MS * (int64_t)NS_PER_MS;
    if (status == STATUS_OK)
        status = poll_until(run, end_ns, false, fault);
    if (status == STATUS_OK)
        extractor_finish(run->extractor);
    return status == STATUS_OK ? close_log(run, fault) : status;
}

static int start(struct live_run *run, struct fault *fault)
{
    const struct live_command *options = run->options;
    if (!options->output)
        return fault_set(fault, STATUS_USAGE, "--output is needed");
    int status = extract_options_create(&options->extract, false, write_exchange, run,
                                        &run->extractor, fault);
    stop_signal_catch();
    if (status == STATUS_OK)
        status = capture_options_open(&options->capture, &run->settings, &run->device,
                                      fault);
    if (status < 0)
        return status;
    run->link_type = pcap_datalink(run->device.pcap);
    if (!decode_knows_link(run->link_type))
        return fault_set(fault, STATUS_UNSUPPORTED, "%s: link type %d is not known",
                         run->settings.interface, run->link_type);
    if (mkdir(options->output, 0777) < 0 && errno != EEXIST)
        return fault_set_errno(fault, "cannot create %s", options->output);
    wire_clock_tick(&run->clock, clock_monotonic_ns());
    run->zero = run->clock.pairs[0];
    status = open_log(run, fault);
    if (status < 0)
        return status;
    if (!options->common.quiet)
        fprintf(stderr, "tokrecord live: listening on %s, %s\n", run->settings.interface,
                buffer_text(&run->device.filter));
    return capture_announce(&options->capture, fault);
}

static int print_report(struct live_run *run, struct fault *fault)
{
    capture_device_statistics(&run->device, &run->statistics);
    struct extract_report report = {
        .extractor = run->extractor,
        .first_ns = run->first_ns,
        .last_ns = run->last_ns,
        .dropped = (int64_t)(run->statistics.dropped_by_kernel +
                             run->statistics.dropped_by_interface),
    };
    return extract_report_print(&report, &run->options->common, fault);
}

static int live_run(void *options, char **operands, int operand_count,
                    struct fault *fault)
{
    (void)operands;
    (void)operand_count;
    struct live_run run = { .options = options,
                            .first_ns = TIME_NONE,
                            .last_ns = TIME_NONE };
    const struct common_options *common = &run.options->common;
    progress_init(&run.progress, !common->no_progress && !common->quiet, common->verbose);
    int status = start(&run, fault);
    if (status == STATUS_OK)
        status = listen_until_over(&run, fault);
    progress_end(&run.progress);
    if (status == STATUS_OK)
        status = print_report(&run, fault);
    wire_log_release(&run.log);
    extractor_free(run.extractor);
    if (run.device.pcap)
        capture_device_close(&run.device);
    wire_clock_release(&run.clock);
    return status;
}

const struct command live_command = {
    .name = "live",
    .summary = "capture and extract in one go, storing no payload",
    .usage = "[OPTION]... -i IFACE [-p PORT]... -o DIR",
    .details =
        "Writes arrival logs DIR/wire-000.toklog, wire-001.toklog, ... while it "
        "listens; no packet and no text is stored. SIGINT or SIGTERM is how it ends; "
        "the exit code is 0 then.",
    .options = specs,
    .options_size = sizeof(struct live_command),
    .run = live_run,
    .operands_max = 0,
};
