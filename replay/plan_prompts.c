#include "replay/plan_prompts.h"

#include <string.h>

#include "formats/base/memory.h"
#include "formats/requests_read.h"
#include "replay/plan_transform.h"

bool plan_prompts_of_trace(const char *prompts)
{
    return prompts != NULL && strcmp(prompts, "trace") == 0;
}

static int refuse_prompts(const char *prompts, struct fault *fault)
{
    return fault_set(fault, STATUS_BAD_INPUT,
                     "--prompts %s: no texts, expected ShareGPT, OTel spans with "
                     "messages, "
                     "or NDJSON with messages",
                     prompts);
}

static void set_texts(struct plan *plan, const struct request_trace *trace,
                      uint32_t first)
{
    size_t row = 0;
    for (size_t i = 0; i < plan->count; i++) {
        while (trace->rows[row % trace->count].text == TEXT_NONE)
            row++;
        const struct request_row *with_text = &trace->rows[row++ % trace->count];
        struct plan_request *request = &plan->requests[i];
        request->text = first + with_text->text;
        request->input_tokens = with_text->input_tokens;
        request->block_count = 0;
    }
}

static int set_texts_of_file(struct plan *plan, const char *path, struct fault *fault)
{
    static const struct requests_read_options read_options = {
        .format = REQUESTS_AUTO,
        .zero_output_one = true,
        .keep_texts = true,
    };
    struct request_trace trace = { 0 };
    int rc = requests_read(&trace, path, &read_options, fault);
    if (rc == STATUS_OK && trace.text_count == 0)
        rc = refuse_prompts(path, fault);
    if (rc < 0)
        goto done;
    set_texts(plan, &trace, plan_take_texts(plan, &trace));
    if (trace.report.lengths_estimated)
        buffer_printf(&plan->notes, "%s: input lengths are estimated from the texts\n",
                      path);
done:
    request_trace_release(&trace);
    return rc;
}

int plan_set_prompts(struct plan *plan, const char *prompts, struct fault *fault)
{
    if (prompts == NULL)
        return STATUS_OK;
    if (!plan_prompts_of_trace(prompts))
        return set_texts_of_file(plan, prompts, fault);
    return plan->text_count > 0 ? STATUS_OK : refuse_prompts(prompts, fault);
}
