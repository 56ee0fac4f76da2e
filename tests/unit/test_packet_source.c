/* Capture files in any order and state, and the sidecar beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/base/buffer.h"
#include "formats/base/bytes.h"
#include "record/capture_sidecar.h"
#include "record/packet_source.h"
#include "tests/unit/scratch.h"

enum { LINK_ETHERNET = 1, LINK_UNKNOWN = 160, PACKET_BYTES = 4 };

#define MAGIC_US 0xa1b2c3d4u
#define MAGIC_NS 0xa1b23c4du

static void append_le32(struct buffer *file, uint32_t value)
{
    uint8_t bytes[4];
    store_le32(bytes, value);
    buffer_append(file, bytes, sizeof(bytes));
}

/* A file of `count` packets, one second apart, the first at `first_s` and 5 parts of a
 * second. */
static void write_pcap(const char *path, uint32_t magic, uint32_t link, uint32_t first_s,
                       uint32_t count, size_t missing)
{
    struct buffer file = BUFFER_INIT;
    append_le32(&file, magic);
    append_le32(&file, 0x00040002);
    append_le32(&file, 0);
    append_le32(&file, 0);
    append_le32(&file, 65535);
    append_le32(&file, link);
    for (uint32_t i = 0; i < count; i++) {
        append_le32(&file, first_s + i);
        append_le32(&file, 5);
        append_le32(&file, PACKET_BYTES);
        append_le32(&file, PACKET_BYTES + 2);
        buffer_append(&file, "abcd", PACKET_BYTES);
    }
    scratch_write(path, file.data, file.len - missing);
    buffer_release(&file);
}

/* The times of all packets in units of `unit_ns`, "10 11 ". */
static int read_times(char **paths, size_t count, int64_t unit_ns, struct buffer *times,
                      char *damage, struct fault *fault)
{
    struct packet_source *source = NULL;
    struct captured_packet packet;
    int got = packet_source_open(&source, paths, count, fault);
    if (got < 0)
        return got;
    while ((got = packet_source_next(source, &packet, fault)) == 1) {
        assert_int_equal(packet.captured, PACKET_BYTES);
        assert_int_equal(packet.wire, PACKET_BYTES + 2);
        buffer_printf(times, "%lld ", (long long)(packet.time_ns / unit_ns));
    }
    uint64_t damaged;
    const char *text = packet_source_damage(source, &damaged);
    snprintf(damage, FAULT_TEXT_MAX, "%llu %s", (unsigned long long)damaged,
             text ? text : "");
    packet_source_close(source);
    return got;
}

static void assert_times(char **paths, size_t count, int64_t unit_ns,
                         const char *expected, const char *expected_damage)
{
    struct buffer times = BUFFER_INIT;
    struct fault fault = { "" };
    char damage[FAULT_TEXT_MAX] = "";
    assert_int_equal(read_times(paths, count, unit_ns, &times, damage, &fault), 0);
    assert_string_equal(buffer_text(&times), expected);
    assert_string_equal(damage, expected_damage);
    buffer_release(&times);
}

static void files_come_in_the_order_of_time(void **state)
{
    (void)state;
    write_pcap("b.pcap", MAGIC_US, LINK_ETHERNET, 12, 2, 0);
    write_pcap("a.pcap", MAGIC_NS, LINK_ETHERNET, 10, 2, 0);
    write_pcap("empty.pcap", MAGIC_NS, LINK_ETHERNET, 0, 0, 0);
    char *paths[] = { "empty.pcap", "b.pcap", "a.pcap" };
    assert_times(paths, 3, INT64_C(1000000000), "10 11 12 13 ", "0 ");
}

static void both_resolutions_are_ns(void **state)
{
    (void)state;
    write_pcap("us.pcap", MAGIC_US, LINK_ETHERNET, 1, 1, 0);
    write_pcap("ns.pcap", MAGIC_NS, LINK_ETHERNET, 1, 1, 0);
    char *us = "us.pcap", *ns = "ns.pcap";
    assert_times(&us, 1, 1, "1000005000 ", "0 ");
    assert_times(&ns, 1, 1, "1000000005 ", "0 ");
}

static void a_cut_file_gives_what_it_has(void **state)
{
    (void)state;
    write_pcap("cut.pcap", MAGIC_NS, LINK_ETHERNET, 1, 3, 1);
    char *path = "cut.pcap";
    assert_times(
        &path, 1, INT64_C(1000000000), "1 2 ",
        "1 cut.pcap: after packet 2: truncated dump file; tried to read 4 captured "
        "bytes, only got 3");
}

static void assert_refused(char *path, int expected, const char *words)
{
    struct buffer times = BUFFER_INIT;
    struct fault fault = { "" };
    char damage[FAULT_TEXT_MAX];
    assert_int_equal(read_times(&path, 1, 1, &times, damage, &fault), expected);
    assert_non_null(strstr(fault.text, words));
    buffer_release(&times);
}

static void wrong_files_say_why(void **state)
{
    (void)state;
    write_pcap("link.pcap", MAGIC_NS, LINK_UNKNOWN, 1, 1, 0);
    scratch_write("text.pcap", "no capture at all, but long enough", 34);
    scratch_write("nothing.pcap", "", 0);
    assert_refused("link.pcap", STATUS_UNSUPPORTED, "link.pcap: link type unknown (160)");
    assert_refused("text.pcap", STATUS_BAD_INPUT, "text.pcap: unknown file format");
    assert_refused("nothing.pcap", STATUS_BAD_INPUT, "nothing.pcap: ");
    assert_refused("missing.pcap", STATUS_BAD_INPUT, "missing.pcap");
}

static void assert_sidecar_path(const char *capture, const char *expected)
{
    char *path = capture_sidecar_path(capture);
    assert_string_equal(path, expected);
    free(path);
}

static void the_sidecar_lies_beside_its_capture(void **state)
{
    (void)state;
    assert_sidecar_path("wire.pcap.zst", "wire.json");
    assert_sidecar_path("dir.pcap/a.pcapng", "dir.pcap/a.json");
    assert_sidecar_path("x.pcap.gz", "x.json");
    assert_sidecar_path("x", "x.json");
}

static void the_sidecar_gives_the_clock(void **state)
{
    (void)state;
    static const char text[] =
        "{\"schema\":\"tokrecord.capture/1\",\"finished\":true,\"boot_id\":\"b\","
        "\"packets\":{\"dropped_by_kernel\":2,\"dropped_by_interface\":1},"
        "\"clock\":[{\"monotonic_ns\":5,\"realtime_ns\":1000}]}";
    struct capture_sidecar sidecar;
    struct fault fault = { "" };
    scratch_write("w.json", text, sizeof(text) - 1);
    assert_int_equal(capture_sidecar_read(&sidecar, "w.pcap", &fault), 1);
    assert_string_equal(sidecar.boot_id, "b");
    assert_int_equal(sidecar.dropped, 3);
    assert_int_equal(sidecar.clock.count, 1);
    assert_int_equal(wire_clock_monotonic(&sidecar.clock, 1007), 12);
    capture_sidecar_release(&sidecar);
    assert_int_equal(capture_sidecar_read(&sidecar, "none.pcap", &fault), 0);
    scratch_write("other.json", "{\"schema\":\"someone's\"}", 22);
    assert_int_equal(capture_sidecar_read(&sidecar, "other.pcap", &fault), 0);
    scratch_write("bad.json", "{\"schema\":\"tokrecord.capture/1\"}", 32);
    assert_int_equal(capture_sidecar_read(&sidecar, "bad.pcap", &fault),
                     STATUS_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_come_in_the_order_of_time),
        cmocka_unit_test(both_resolutions_are_ns),
        cmocka_unit_test(a_cut_file_gives_what_it_has),
        cmocka_unit_test(wrong_files_say_why),
        cmocka_unit_test(the_sidecar_lies_beside_its_capture),
        cmocka_unit_test(the_sidecar_gives_the_clock),
    };
    return cmocka_run_group_tests_name("packet_source", tests, scratch_enter,
                                       scratch_leave);
}
