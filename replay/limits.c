#include "replay/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "formats/base/memory.h"

enum {
    BUCKETS_MAX = 1 << 20,
    DESCRIPTORS_BESIDE = 64, /* logs, pipes, libraries */
};

static int64_t expected_duration(const struct plan_request *request, int64_t timeout_ns)
{
    int64_t duration_ns = LIMITS_TTFT_NS + request->output_tokens * LIMITS_TPOT_NS;
    return timeout_ns != 0 && duration_ns > timeout_ns ? timeout_ns : duration_ns;
}

/* Starts and ends of streams, counted per bucket of time. */
struct stream_counts {
    int64_t span_ns;
    int64_t bucket_ns;
    size_t buckets;
    int64_t *starts; /* owned */
    int64_t *ends;   /* owned */
};

static void note_end(struct stream_counts *counts, int64_t end_ns)
{
    if (end_ns < counts->span_ns)
        counts->ends[end_ns / counts->bucket_ns]++;
}

/* When a turn begins that waits for the one that ends at *before_ns. */
static int64_t turn_begin(const struct plan_request *request, int64_t before_ns)
{
    int64_t begin_ns;
    if (__builtin_add_overflow(before_ns, request->think_ns, &begin_ns))
        return INT64_MAX;
    return begin_ns > request->due_ns ? begin_ns : request->due_ns;
}

/* Turns that wait for answers go on with the stream of their session: they only put off
 * its end, ends_ns[session] (0: none). */
static void count_streams(struct stream_counts *counts, const struct plan *plan,
                          int64_t timeout_ns, int64_t *ends_ns)
{
    for (size_t index = 0; index < plan->count; index++) {
        const struct plan_request *request = &plan->requests[index];
        int64_t duration_ns = expected_duration(request, timeout_ns);
        int64_t end_ns = request->due_ns + duration_ns;
        bool in_session = request->session != SESSION_NONE;
        if (plan_request_waits(request)) {
            int64_t begin_ns = turn_begin(request, ends_ns[request->session]);
            if (__builtin_add_overflow(begin_ns, duration_ns, &end_ns))
                end_ns = INT64_MAX;
        } else {
            counts->starts[request->due_ns / counts->bucket_ns]++;
            if (in_session && ends_ns[request->session] > 0)
                note_end(counts, ends_ns[request->session]);
        }
        if (in_session)
            ends_ns[request->session] = end_ns;
        else
            note_end(counts, end_ns);
    }
    for (size_t session = 0; session < plan->sessions.count; session++)
        note_end(counts, ends_ns[session]);
}

/* A bucket's starts all count before its ends. */
static uint64_t most_open(const struct stream_counts *counts)
{
    int64_t open = 0;
    int64_t most = 0;
    for (size_t bucket = 0; bucket < counts->buckets; bucket++) {
        open += counts->starts[bucket];
        if (open > most)
            most = open;
        open -= counts->ends[bucket];
    }
    return (uint64_t)most;
}

uint64_t limits_open_expected(const struct plan *plan, int64_t timeout_ns)
{
    if (plan->count == 0)
        return 0;
    struct stream_counts counts = {
        .span_ns = plan->requests[plan->count - 1].due_ns + 1,
    };
    counts.bucket_ns = counts.span_ns / BUCKETS_MAX + 1;
    counts.buckets = (size_t)(counts.span_ns / counts.bucket_ns) + 1;
    counts.starts = memory_new(counts.buckets + 1, sizeof *counts.starts);
    counts.ends = memory_new(counts.buckets + 1, sizeof *counts.ends);
    int64_t *ends_ns = memory_new(plan->sessions.count + 1, sizeof *ends_ns);
    count_streams(&counts, plan, timeout_ns, ends_ns);
    uint64_t most = most_open(&counts);
    free(ends_ns);
    free(counts.starts);
    free(counts.ends);
    return most;
}

static int check_descriptors(uint64_t open_per_worker, struct fault *fault)
{
    uint64_t need = open_per_worker + DESCRIPTORS_BESIDE;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return fault_set_errno(fault, "cannot read RLIMIT_NOFILE");
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return fault_set_errno(fault, "cannot raise RLIMIT_NOFILE to its hard limit");
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < need)
        return fault_set(
            fault, STATUS_IO,
            "this plan may need %llu open files in a worker, but the limit is %llu: "
            "raise it (ulimit -Hn %llu), use more --workers, or state with "
            "--max-open how many streams will be open at once",
            (unsigned long long)need, (unsigned long long)limit.rlim_cur,
            (unsigned long long)need);
    return STATUS_OK;
}

static int check_ports(uint64_t open, size_t source_addresses, struct fault *fault)
{
    unsigned first;
    unsigned last;
    FILE *range = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
    if (range == NULL)
        return STATUS_OK;
    int read = fscanf(range, "%u %u", &first, &last);
    fclose(range);
    if (read != 2 || last < first)
        return STATUS_OK;
    uint64_t ports = last - first + 1;
    if (source_addresses > 1)
        ports *= source_addresses;
    if (open > ports)
        return fault_set(
            fault, STATUS_IO,
            "this plan may need %llu connections to one server at once, but there are "
            "%llu local ports: widen net.ipv4.ip_local_port_range, add a "
            "--source-address, or state with --max-open how many streams will be open at "
            "once",
            (unsigned long long)open, (unsigned long long)ports);
    return STATUS_OK;
}

int limits_check(uint64_t open, uint32_t workers, size_t source_addresses,
                 struct fault *fault)
{
    int status = check_descriptors((open + workers - 1) / workers, fault);
    return status != STATUS_OK ? status : check_ports(open, source_addresses, fault);
}
