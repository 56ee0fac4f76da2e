#include "replay/probe.h"

#include <stdlib.h>

#include "formats/answer.h"
#include "formats/base/clock.h"

/* A server under test may fail now and then on purpose; one that fails this often in a
 * row is not ready. */
enum { PROBE_TRIES = 3 };

struct probe {
    CURL *easy;
    struct answer answer;
    bool head_known;
    char error[CURL_ERROR_SIZE];
};

static void ignore_event(void *context, const struct answer_event *event)
{
    (void)context;
    (void)event;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct probe *probe = context;
    if (!probe->head_known) {
        long status = 0;
        char *content_type = NULL;
        curl_easy_getinfo(probe->easy, CURLINFO_RESPONSE_CODE, &status);
        curl_easy_getinfo(probe->easy, CURLINFO_CONTENT_TYPE, &content_type);
        answer_head(&probe->answer, (unsigned)status, content_type);
        probe->head_known = true;
    }
    answer_feed(&probe->answer, bytes, size * count, ignore_event, NULL);
    /* An answer that is over needs no more bytes, even where its connection stays
     * open. */
    return answer_is_done(&probe->answer) ? CURL_WRITEFUNC_ERROR : size * count;
}

/* What to try, for statuses that a wrong option causes. */
static const char *status_hint(long status)
{
    switch (status) {
    case 400:
    case 422:
        return ": are --model and --api right, does it take token ids (--words)?";
    case 401:
    case 403:
        return ": is --api-key-env right?";
    case 404:
        return ": are --url, --api and --model right?";
    case 405:
        return ": are --url and --api right?";
    default:
        return "";
    }
}

static int http_fault(const struct probe *probe, const struct target *target, long status,
                      struct fault *fault)
{
    char *url = target_public_url(target);
    if (status / 100 != 2)
        fault_set(fault, STATUS_NETWORK, "%s answered HTTP %ld%s", url, status,
                  status_hint(status));
    else
        fault_set(fault, STATUS_NETWORK,
                  "%s gave no usable answer (%s) to a first request", url,
                  outcome_name(probe->answer.result.outcome));
    free(url);
    return STATUS_NETWORK;
}

/* What to try, for libcurl's errors that a wrong option causes. */
static const char *curl_hint(CURLcode code)
{
    return code == CURLE_PEER_FAILED_VERIFICATION
               ? " (--cacert names an authority to trust)"
           : code == CURLE_SSL_CONNECT_ERROR ? " (is --url right, does it speak TLS?)"
                                             : "";
}

static int probe_once(struct probe *probe, const struct target *target, bool *retry,
                      struct fault *fault)
{
    answer_start(&probe->answer);
    probe->head_known = false;
    CURLcode code = curl_easy_perform(probe->easy);
    long status = 0;
    curl_easy_getinfo(probe->easy, CURLINFO_RESPONSE_CODE, &status);
    bool over = answer_is_done(&probe->answer);
    if (code != CURLE_OK && !over) {
        char *url = target_public_url(target);
        *retry = status != 0;
        fault_set(fault, STATUS_NETWORK, "%s: %s%s", url,
                  probe->error[0] != '\0' ? probe->error : curl_easy_strerror(code),
                  curl_hint(code));
        free(url);
        return STATUS_NETWORK;
    }
    if (!probe->head_known)
        answer_head(&probe->answer, (unsigned)status, NULL);
    answer_finish(&probe->answer, BODY_COMPLETE, ignore_event, NULL);
    *retry = status / 100 == 5 || status / 100 == 2;
    if (probe->answer.result.outcome == OUTCOME_OK || status == 429)
        return STATUS_OK;
    return http_fault(probe, target, status, fault);
}

/* Sends request `index` of the plan and fills probe->answer from what comes back. */
static int probe_ask(struct probe *probe, const struct target *target,
                     const struct plan *plan, size_t index,
                     const struct body_options *body, int64_t timeout_ns,
                     struct fault *fault)
{
    probe->easy = curl_easy_init();
    if (probe->easy == NULL)
        return fault_set(fault, STATUS_IO, "libcurl gives no handle");
    struct buffer bytes = BUFFER_INIT;
    request_body_append(&bytes, plan, index, body);
    target_apply(target, probe->easy);
    curl_easy_setopt(probe->easy, CURLOPT_POSTFIELDS, bytes.data);
    curl_easy_setopt(probe->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)bytes.len);
    curl_easy_setopt(probe->easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(probe->easy, CURLOPT_WRITEDATA, probe);
    curl_easy_setopt(probe->easy, CURLOPT_ERRORBUFFER, probe->error);
    curl_easy_setopt(probe->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(probe->easy, CURLOPT_TIMEOUT_MS, (long)(timeout_ns / NS_PER_MS));
    struct fault last = { "" };
    int status = STATUS_NETWORK;
    bool retry = true;
    for (int tries = 0; tries < PROBE_TRIES && status != STATUS_OK && retry; tries++)
        status = probe_once(probe, target, &retry, &last);
    if (status != STATUS_OK)
        *fault = last;
    curl_easy_cleanup(probe->easy);
    buffer_release(&bytes);
    return status;
}

int target_probe(const struct target *target, const struct body_options *body,
                 int64_t timeout_ns, struct fault *fault)
{
    struct plan_request request = {
        .think_ns = THINK_NONE,
        .input_tokens = 1,
        .output_tokens = 1,
        .session = SESSION_NONE,
        .text = TEXT_NONE,
    };
    struct plan plan = { .requests = &request, .count = 1 };
    struct probe probe = { 0 };
    int status = probe_ask(&probe, target, &plan, 0, body, timeout_ns, fault);
    answer_release(&probe.answer);
    return status;
}

int target_count_prompt(const struct target *target, const struct plan *plan,
                        size_t index, const struct body_options *body, int64_t timeout_ns,
                        uint32_t *tokens, struct fault *fault)
{
    struct probe probe = { 0 };
    int status = probe_ask(&probe, target, plan, index, body, timeout_ns, fault);
    *tokens = probe.answer.result.usage_prompt_tokens;
    answer_release(&probe.answer);
    if (status == STATUS_OK && *tokens == COUNT_NONE)
        return fault_set(fault, STATUS_UNSUPPORTED,
                         "--calibrate: the server's answers have no usage.prompt_tokens");
    return status;
}
