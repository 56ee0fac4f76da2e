#include "replay/serve_law.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "formats/base/draw.h"
#include "formats/base/units.h"

/* Far enough ahead never to come, and no sum of two overflows. */
static const int64_t NEVER_NS = INT64_MAX / 4;

int serve_law_parse_jitter(struct serve_law *law, const char *text, struct fault *fault)
{
    static const struct {
        const char *name;
        enum jitter_kind kind;
        bool has_cv;
    } kinds[] = {
        { "none", JITTER_NONE, false },
        { "exp", JITTER_EXPONENTIAL, false },
        { "normal", JITTER_NORMAL, true },
        { "lognormal", JITTER_LOGNORMAL, true },
    };
    size_t len = strcspn(text, ":");
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strlen(kinds[i].name) != len || memcmp(kinds[i].name, text, len) ||
            (text[len] == ':') != kinds[i].has_cv)
            continue;
        law->jitter = kinds[i].kind;
        if (!kinds[i].has_cv)
            return STATUS_OK;
        int status = units_parse_float(text + len + 1, &law->jitter_cv, fault);
        if (status != STATUS_OK || (law->jitter_cv >= 0 && law->jitter_cv <= 10))
            return status;
        return fault_set(fault, STATUS_USAGE,
                         "jitter '%s': expected a coefficient of variation from 0 to 10",
                         text);
    }
    return fault_set(fault, STATUS_USAGE,
                     "jitter '%s': expected none, exp, normal:CV or lognormal:CV", text);
}

int64_t serve_law_first(const struct serve_law *law, int64_t received_ns,
                        uint32_t prompt_tokens)
{
    int64_t prefill_ns, delay_ns;
    if (__builtin_mul_overflow(law->prefill_ns, prompt_tokens, &prefill_ns) ||
        __builtin_add_overflow(law->ttft_ns, prefill_ns, &delay_ns) ||
        delay_ns > NEVER_NS)
        return NEVER_NS;
    return received_ns + delay_ns;
}

static double jitter_factor(const struct serve_law *law, struct draw draw)
{
    switch (law->jitter) {
    case JITTER_EXPONENTIAL:
        return draw_exponential(draw);
    case JITTER_NORMAL:
        return fmax(0, 1 + law->jitter_cv * draw_normal(draw));
    case JITTER_LOGNORMAL:
        return draw_lognormal(draw, law->jitter_cv);
    case JITTER_NONE:
        break;
    }
    return 1;
}

int64_t serve_law_gap(const struct serve_law *law, uint64_t request, uint32_t choice,
                      uint32_t token)
{
    if (law->jitter == JITTER_NONE)
        return law->itl_ns;
    struct draw draw = draw_at(law->seed, request, (uint64_t)choice << 32 | token);
    double gap_ns = (double)law->itl_ns * jitter_factor(law, draw);
    return gap_ns < (double)NEVER_NS ? (int64_t)llround(gap_ns) : NEVER_NS;
}
