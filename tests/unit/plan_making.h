/* Builds plans from traces given as text, for tests. Include after <cmocka.h>. */
#ifndef TOKTRACE_PLAN_MAKING_H
#define TOKTRACE_PLAN_MAKING_H

#include <string.h>

#include "replay/plan.h"
#include "scratch.h"

/* What the option table sets where nothing is given, and the trace file "trace". */
static inline struct plan_options plan_defaults(void)
{
    return (struct plan_options){
        .trace = "trace", .sample = 1, .repeat = 1, .speed = 1, .seed = 1
    };
}

static inline struct plan make_plan(const struct plan_options *options)
{
    struct fault fault = { 0 };
    struct plan plan = { 0 };
    if (plan_build(options, &plan, &fault) != STATUS_OK)
        fail_msg("%s", fault.text);
    return plan;
}

static inline struct plan plan_from_text(const char *text,
                                         const struct plan_options *options)
{
    scratch_write("trace", text, strlen(text));
    return make_plan(options);
}

/* Expects plan_build to refuse the options with this status and message. */
static inline void expect_plan_refusal(const struct plan_options *options, int status,
                                       const char *message)
{
    struct fault fault = { 0 };
    struct plan plan = { 0 };
    int rc = plan_build(options, &plan, &fault);
    plan_release(&plan);
    assert_string_equal(fault.text, message);
    assert_int_equal(rc, status);
}

#endif
