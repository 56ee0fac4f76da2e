/* Plans whose times are drawn, ServeGen clients among them. Seeds are fixed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "assert_close.h"
#include "plan_making.h"
#include "replay/servegen.h"

static const int64_t S = 1000000000;

static struct plan_options synthetic(const char *law, double rate_per_s)
{
    struct plan_options options = plan_defaults();
    options.trace = NULL;
    options.arrivals = law;
    options.rate_per_s = rate_per_s;
    options.input_tokens = "10";
    options.output_tokens = "20";
    return options;
}

static void laws_give_times_and_lengths(void **state)
{
    (void)state;
    struct plan_options options = synthetic("constant", 4);
    options.duration_ns = 2 * S;
    struct plan plan = make_plan(&options);
    assert_int_equal(plan.count, 8);
    assert_int_equal(plan.requests[3].due_ns, 750000000);
    assert_int_equal(plan.requests[3].input_tokens, 10);
    assert_int_equal(plan.requests[3].output_tokens, 20);
    assert_int_equal(plan.requests[3].session, SESSION_NONE);
    plan_release(&plan);
}

static void rows_of_a_trace_get_the_times(void **state)
{
    (void)state;
    const char *trace = "{\"session_id\":\"a\",\"timestamp\":9000,\"input_length\":1,"
                        "\"output_length\":1}\n"
                        "{\"session_id\":\"a\",\"delay\":5,\"input_length\":2,"
                        "\"output_length\":1}\n";
    struct plan_options options = synthetic("constant", 2);
    options.trace = "trace";
    options.input_tokens = NULL;
    options.output_tokens = NULL;
    options.requests = 5;
    struct plan plan = plan_from_text(trace, &options);
    assert_int_equal(plan.count, 5);
    static const char *const sessions[] = { "a", "a", "a#1", "a#1", "a#2" };
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(plan.requests[i].due_ns, (int64_t)i * S / 2);
        assert_int_equal(plan.requests[i].input_tokens, 1 + i % 2);
        assert_string_equal(plan_session_name(&plan, plan.requests[i].session),
                            sessions[i]);
    }
    assert_int_equal(plan.requests[3].think_ns, 5000000);
    assert_non_null(strstr(buffer_text(&plan.notes), "2.5 times over"));
    plan_release(&plan);
}

static void what_is_missing_is_asked_for(void **state)
{
    (void)state;
    struct plan_options options = synthetic("poisson", 0);
    expect_plan_refusal(&options, STATUS_USAGE,
                        "--arrivals poisson: expected --rate with it");
    options.rate_per_s = 1;
    expect_plan_refusal(&options, STATUS_USAGE,
                        "--arrivals poisson: expected --duration or --requests with it");
    options.requests = 5;
    options.output_tokens = NULL;
    expect_plan_refusal(&options, STATUS_USAGE,
                        "--input-tokens 10: expected --output-tokens with it");
    options.input_tokens = NULL;
    expect_plan_refusal(&options, STATUS_USAGE,
                        "--arrivals poisson: expected --input-tokens and "
                        "--output-tokens, or "
                        "--trace, with it");
    options = synthetic("poisson", 1e-6);
    options.duration_ns = 1;
    expect_plan_refusal(&options, STATUS_BAD_INPUT,
                        "--arrivals poisson: no request falls into the given duration");
}

/* Two clients: one idle for a window, one with lengths. */
static void write_clients(void)
{
    static const char busy[] = "0,2.0,1.5,Gamma,0.5,1.0\n600,0,0,,0,0\n"
                               "1200,4.0,1.5,Weibull,0.8,0.2\n";
    static const char steady[] = "0,1.0,0.9,Gamma,4,0.25\n600,1.0,0.9,Gamma,4,0.25\n"
                                 "1200,1.0,0.9,Gamma,4,0.25\n";
    static const char dataset[] =
        "{\"0\": {\"input_tokens\": \"{5: 0.25, 7: 0.75}\", \"output_tokens\": \"{9: "
        "1.0}\"},"
        " \"1200\": {\"input_tokens\": \"{0: 3, 6: 1.0}\", \"output_tokens\": \"{8: "
        "1.0}\"}}";
    mkdir("clients", 0700);
    scratch_write("clients/chunk-3-trace.csv", busy, sizeof busy - 1);
    scratch_write("clients/chunk-20-trace.csv", steady, sizeof steady - 1);
    scratch_write("clients/chunk-20-dataset.json", dataset, sizeof dataset - 1);
}

static void clients_are_read(void **state)
{
    (void)state;
    struct servegen servegen = { 0 };
    struct fault fault = { 0 };
    write_clients();
    assert_int_equal(servegen_load(&servegen, "clients", &fault), STATUS_OK);
    assert_int_equal(servegen.count, 2);
    assert_int_equal(servegen.clients[0].number, 3);
    assert_int_equal(servegen.clients[0].window_count, 3);
    assert_int_equal(servegen.clients[0].windows[2].law, SERVEGEN_WEIBULL);
    assert_int_equal(servegen.clients[1].lengths_count, 2);
    assert_int_equal(servegen.clients[1].lengths[1].input.count, 1);
    assert_close(servegen_end(&servegen), 1800, 0);
    assert_close(servegen_rate(&servegen, 0, 1800), (2 + 0 + 4 + 3) / 3.0, 1e-12);
    assert_close(servegen_rate(&servegen, 300, 900), 2, 1e-12);
    servegen_release(&servegen);
}

/* 600 s of each rate. Renewal counts have variance λt·cv²: 1/shape for the gamma, 1.6
 * for the Weibull of shape 0.8; 4 sd, once in 16,000. */
static void published_rates_come_out(void **state)
{
    (void)state;
    struct plan_options options = synthetic("servegen:clients", 0);
    double counts[3] = { 0 };
    options.input_tokens = NULL;
    options.output_tokens = NULL;
    write_clients();
    struct plan plan = make_plan(&options);
    for (size_t i = 0; i < plan.count; i++)
        counts[plan.requests[i].due_ns / (600 * S)]++;
    assert_close(counts[0], 1800, 4 * sqrt(1200 * 2 + 600 / 4.0));
    assert_close(counts[1], 600, 4 * sqrt(600 / 4.0));
    assert_close(counts[2], 3000, 4 * sqrt(2400 * 1.6 + 600 / 4.0));
    plan_release(&plan);
    options.rate_per_s = 9;
    plan = make_plan(&options);
    assert_close((double)plan.count, 9 * 1800, 16200 * 0.05);
    plan_release(&plan);
}

static void published_lengths_come_out(void **state)
{
    (void)state;
    struct plan_options options = synthetic("servegen:clients", 0);
    double sevens = 0;
    options.input_tokens = NULL;
    options.output_tokens = NULL;
    options.duration_ns = 600 * S;
    write_clients();
    struct plan plan = make_plan(&options);
    double count = (double)plan.count;
    for (size_t i = 0; i < plan.count; i++) {
        assert_true(plan.requests[i].input_tokens == 5
                    || plan.requests[i].input_tokens == 7);
        assert_int_equal(plan.requests[i].output_tokens, 9);
        sevens += plan.requests[i].input_tokens == 7;
    }
    assert_close(sevens, 0.75 * count, 4 * sqrt(count * 0.75 * 0.25));
    plan_release(&plan);
    options.start_ns = 1200 * S;
    plan = make_plan(&options);
    for (size_t i = 0; i < plan.count; i++)
        assert_int_equal(plan.requests[i].input_tokens, 6);
    assert_non_null(strstr(buffer_text(&plan.notes), "1 of 2 clients have no lengths"));
    plan_release(&plan);
}

static void refuse_clients(const char *trace, const char *message)
{
    struct servegen servegen = { 0 };
    struct fault fault = { 0 };
    mkdir("bad", 0700);
    scratch_write("bad/chunk-0-trace.csv", trace, strlen(trace));
    assert_int_equal(servegen_load(&servegen, "bad", &fault), STATUS_BAD_INPUT);
    assert_string_equal(fault.text, message);
    servegen_release(&servegen);
}

static void bad_clients_are_refused(void **state)
{
    (void)state;
    refuse_clients("", "bad/chunk-0-trace.csv: empty, expected windows");
    refuse_clients("0,1\n", "bad/chunk-0-trace.csv:1: 2 fields, expected 6");
    refuse_clients("0,x,1,Gamma,1,1\n",
                   "bad/chunk-0-trace.csv:1:3: \"x\", expected a rate per second");
    refuse_clients("600,1,1,Gamma,1,1\n0,1,1,Gamma,1,1\n",
                   "bad/chunk-0-trace.csv:2:1: \"0\", expected the start of a window, "
                   "ascending");
    refuse_clients("0,1,1,Pareto,1,1\n",
                   "bad/chunk-0-trace.csv:1:7: \"Pareto\", expected Gamma, Weibull or "
                   "nothing");
    refuse_clients("0,1,1,Gamma,0,1\n",
                   "bad/chunk-0-trace.csv:1:13: \"0\", expected a shape from 0.001 to "
                   "1000");
    struct servegen servegen = { 0 };
    struct fault fault = { 0 };
    mkdir("none", 0700);
    assert_int_equal(servegen_load(&servegen, "none", &fault), STATUS_BAD_INPUT);
    assert_string_equal(fault.text,
                        "none has no chunk-N-trace.csv, expected ServeGen clients");
}

static void bad_datasets_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = { "", "[]", "{\"x\":{}}", "{\"0\":3}",
                                       "{\"0\":{\"input_tokens\":3}}",
                                       "{\"0\":{\"input_tokens\":\"{5: }\"}}",
                                       "{\"0\":{\"input_tokens\":\"{5: -1}\"}}",
                                       "{\"0\":{\"input_tokens\":\"{5: 1\"}}",
                                       "{\"0\":{\"input_tokens\":\"5: 1}\"}}" };
    write_clients();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct servegen servegen = { 0 };
        struct fault fault = { 0 };
        scratch_write("clients/chunk-20-dataset.json", bad[i], strlen(bad[i]));
        if (servegen_load(&servegen, "clients", &fault) != STATUS_BAD_INPUT)
            fail_msg("%s", bad[i]);
        assert_non_null(strstr(fault.text, "clients/chunk-20-dataset.json: offset"));
        servegen_release(&servegen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_give_times_and_lengths),
        cmocka_unit_test(rows_of_a_trace_get_the_times),
        cmocka_unit_test(what_is_missing_is_asked_for),
        cmocka_unit_test(clients_are_read),
        cmocka_unit_test(published_rates_come_out),
        cmocka_unit_test(published_lengths_come_out),
        cmocka_unit_test(bad_clients_are_refused),
        cmocka_unit_test(bad_datasets_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
