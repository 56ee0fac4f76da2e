#include "analyze/load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/base/json.h"
#include "formats/base/memory.h"

static char *copy_of(const char *text)
{
    return memory_copy_text(text, strlen(text));
}

void load_release(struct load *load)
{
    for (size_t i = 0; i < load->log_count; i++) {
        arrivals_reader_close(load->logs[i].reader);
        aiperf_reader_close(load->logs[i].import);
        free(load->logs[i].path);
        free(load->logs[i].problem);
        wire_scratch_release(&load->logs[i].scratch);
    }
    for (size_t i = 0; i < load->run_count; i++) {
        free(load->runs[i].path);
        free(load->runs[i].wire_path);
        wire_join_release(&load->runs[i].wire);
        run_manifest_release(&load->runs[i].manifest);
    }
    free(load->logs);
    free(load->runs);
    *load = (struct load){ 0 };
}

static struct load_log *add_log(struct load *load, const char *path, size_t run)
{
    load->logs = memory_grow(load->logs, load->log_count, &load->log_capacity,
                             sizeof *load->logs);
    struct load_log *log = &load->logs[load->log_count++];
    *log = (struct load_log){ .path = copy_of(path), .run = run };
    return log;
}

/* Reads the header and closes again: a run may have more logs than there are
 * descriptors. */
static int read_header(struct load_log *log, struct fault *fault)
{
    int status = arrivals_reader_open(&log->reader, log->path, fault);
    if (status < 0)
        return status;
    log->header = *arrivals_reader_header(log->reader);
    log->readable = true;
    if (strcmp(log->path, "-") != 0) {
        arrivals_reader_close(log->reader);
        log->reader = NULL;
    }
    return STATUS_OK;
}

static int read_import_header(struct load_log *log, struct fault *fault)
{
    struct aiperf_reader *reader = NULL;
    int status = aiperf_reader_open(&reader, log->path, fault);
    if (status < 0)
        return status;
    log->imported = true;
    log->header = *aiperf_reader_header(reader);
    log->readable = true;
    aiperf_reader_close(reader);
    return STATUS_OK;
}

static void add_run_log(struct load *load, const char *path, size_t run)
{
    struct load_log *log = add_log(load, path, run);
    struct fault fault = { 0 };
    if (read_header(log, &fault) < 0)
        log->problem = copy_of(fault.text);
}

static int add_run(struct load *load, const char *path, struct fault *fault)
{
    load->runs = memory_grow(load->runs, load->run_count, &load->run_capacity,
                             sizeof *load->runs);
    size_t index = load->run_count++;
    struct load_run *run = &load->runs[index];
    *run = (struct load_run){ .path = copy_of(path) };
    int status = run_manifest_read(&run->manifest, path, fault);
    if (status < 0)
        return status;

    struct run_logs logs = { 0 };
    status = run_directory_logs(&logs, path, fault);
    for (size_t i = 0; status == STATUS_OK && i < logs.workers.count; i++)
        add_run_log(load, logs.workers.items[i], index);
    if (status == STATUS_OK && logs.workers.count == 0)
        status = fault_set(fault, STATUS_BAD_INPUT, "%s: a run directory without logs",
                           path);
    run->wire_path = logs.wire ? copy_of(logs.wire) : NULL;
    run_logs_release(&logs);
    return status;
}

static int add_operand(struct load *load, const char *path, struct fault *fault)
{
    struct stat info;
    if (strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return add_run(load, path, fault);
    struct load_log *log = add_log(load, path, LOAD_NO_RUN);
    return aiperf_is(path) ? read_import_header(log, fault) : read_header(log, fault);
}

const char *load_source_name(unsigned source)
{
    static const char *const names[] = {
        [LOG_CLIENT] = "client",
        [LOG_SERVER] = "server",
        [LOG_WIRE] = "wire",
        [LOG_IMPORTED] = "imported",
    };
    return source < sizeof names / sizeof names[0] ? names[source] : "unknown";
}

/* Logs of a client and of its server tell of the same requests: adding them up would
 * count twice. */
static int check_sources(const struct load *load, struct fault *fault)
{
    const struct load_log *first = NULL;
    for (size_t i = 0; i < load->log_count; i++) {
        const struct load_log *log = &load->logs[i];
        if (!log->readable)
            continue;
        if (!first)
            first = log;
        if (log->header.source != first->header.source)
            return fault_set(fault, STATUS_USAGE,
                             "%s is a log of kind %s, but %s of kind %s: "
                             "give one kind", log->path,
                             load_source_name(log->header.source), first->path,
                             load_source_name(first->header.source));
    }
    if (!first)
        return fault_set(fault, STATUS_BAD_INPUT, "no log can be read: %s",
                         load->logs[0].problem);
    return STATUS_OK;
}

static bool same_worker(const struct load_log *a, const struct load_log *b)
{
    return a->readable && b->readable && a->header.run_id[0] != '\0' &&
           a->header.worker == b->header.worker &&
           strcmp(a->header.run_id, b->header.run_id) == 0;
}

/* A log that is given twice, by itself and with its run, would count twice and make every
 * interval too narrow. */
static int check_twice(const struct load *load, struct fault *fault)
{
    for (size_t i = 1; i < load->log_count; i++)
        for (size_t j = 0; j < i; j++)
            if (same_worker(&load->logs[i], &load->logs[j]))
                return fault_set(fault, STATUS_USAGE,
                                 "%s and %s are of the same worker of one run: give it "
                                 "once", load->logs[j].path, load->logs[i].path);
    return STATUS_OK;
}

int load_open(struct load *load, char *const *operands, int operand_count,
              struct fault *fault)
{
    for (int i = 0; i < operand_count; i++) {
        int status = add_operand(load, operands[i], fault);
        if (status < 0)
            return status;
    }
    int status = check_sources(load, fault);
    return status < 0 ? status : check_twice(load, fault);
}

static void finish_log(struct load_log *log)
{
    log->loss = arrivals_reader_loss(log->reader);
    arrivals_reader_close(log->reader);
    log->reader = NULL;
}

/* Packets dropped, as the capture's sidecar says; none where there is no sidecar. */
static uint64_t dropped_packets(const char *directory)
{
    struct fault unused = { 0 };
    json_t *document = NULL;
    json_int_t by_kernel = 0;
    json_int_t by_interface = 0;
    char *path = run_directory_file(directory, "wire.json");
    if (json_read_file(path, &document, &unused) == STATUS_OK)
        json_unpack(document, "{s:{s:I,s:I}}", "packets", "dropped_by_kernel", &by_kernel,
                    "dropped_by_interface", &by_interface);
    json_decref(document);
    free(path);
    return (uint64_t)(by_kernel > 0 ? by_kernel : 0) +
           (uint64_t)(by_interface > 0 ? by_interface : 0);
}

struct load_packets load_packets(const struct load *load)
{
    struct load_packets packets = { 0 };
    for (size_t i = 0; i < load->log_count; i++) {
        packets.used |= load->logs[i].wire != NULL;
        packets.found += load->logs[i].on_wire;
        packets.missing += load->logs[i].off_wire;
    }
    for (size_t i = 0; i < load->run_count; i++)
        packets.dropped += load->runs[i].dropped_packets;
    return packets;
}

int load_use_wire(struct load *load, struct fault *fault)
{
    int status = STATUS_OK;
    for (size_t i = 0; i < load->run_count && status == STATUS_OK; i++) {
        struct load_run *run = &load->runs[i];
        if (!run->wire_path)
            continue;
        status = wire_join_read(&run->wire, run->wire_path, fault);
        wire_join_ready(&run->wire);
        run->dropped_packets = dropped_packets(run->path);
    }
    for (size_t i = 0; i < load->log_count && status == STATUS_OK; i++) {
        struct load_log *log = &load->logs[i];
        if (log->run != LOAD_NO_RUN && load->runs[log->run].wire.count > 0)
            log->wire = &load->runs[log->run].wire;
    }
    return status;
}

static void take_packets(struct load_log *log, struct arrival_request *request)
{
    bool found = wire_join_apply(log->wire, &log->header, request, &log->scratch);
    log->on_wire += found;
    log->off_wire += !found && request->sent_ns != TIME_NONE;
}

/* Such records have no end record that could be missing. */
static int import_next(struct load_log *log, struct arrivals_record *record,
                       struct fault *fault)
{
    int got = 0;
    if (!log->import)
        got = aiperf_reader_open(&log->import, log->path, fault);
    if (got < 0)
        return got;
    record->type = RECORD_REQUEST;
    got = aiperf_reader_next(log->import, &record->request, fault);
    log->header = *aiperf_reader_header(log->import);
    if (got == 0) {
        log->end_seen = true;
        aiperf_reader_close(log->import);
        log->import = NULL;
    }
    return got;
}

int load_log_next(struct load_log *log, struct arrivals_record *record,
                  struct fault *fault)
{
    if (!log->readable)
        return 0;
    if (log->imported)
        return import_next(log, record, fault);
    if (!log->reader) {
        int status = arrivals_reader_open(&log->reader, log->path, fault);
        if (status < 0)
            return status;
    }
    int got = arrivals_reader_next(log->reader, record, fault);
    if (got == 0)
        finish_log(log);
    if (got > 0 && record->type == RECORD_REQUEST && log->wire)
        take_packets(log, &record->request);
    if (got > 0 && record->type == RECORD_END) {
        log->end = record->end;
        log->end_seen = true;
    }
    return got;
}

int load_next(struct load *load, struct arrivals_record *record, size_t *log,
              struct fault *fault)
{
    for (; load->current < load->log_count; load->current++) {
        *log = load->current;
        int got = load_log_next(&load->logs[load->current], record, fault);
        if (got != 0)
            return got;
    }
    return 0;
}

static void print_loss(const struct load_log *log, FILE *out)
{
    if (!log->readable)
        fprintf(out, "%s\n", log->problem);
    else if (log->loss.truncated)
        fprintf(out, "%s: cut at offset %" PRIu64 ", %" PRIu64 " bytes are lost\n",
                log->path, log->loss.offset, log->loss.lost_bytes);
    else if (log->loss.end_missing)
        fprintf(out, "%s: no end record: its writer died, later requests are missing\n",
                log->path);
}

void load_print_losses(const struct load *load, FILE *out)
{
    for (size_t i = 0; i < load->log_count; i++)
        print_loss(&load->logs[i], out);
}
