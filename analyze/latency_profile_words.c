#include <math.h>

#include "analyze/latency_profile_output.h"
#include "analyze/short_text.h"
#include "formats/base/buffer.h"

/* A generator that launches less than this share of its plan is said to. */
#define LAUNCHED_MIN 0.95

enum { STAGES_MIN = 3 };

/* Ends the sentence that was written into `line`. */
static void end_line(struct run_texts *lines, struct buffer *line)
{
    run_texts_append(lines, buffer_text(line));
    buffer_clear(line);
}

static void add_interval(struct buffer *line, const struct knee_finding *finding)
{
    buffer_printf(line, "%s", rate_text(finding->knee_per_s).text);
    if (finding->interval.known)
        buffer_printf(line, " (95 %%: %s to %s)", rate_text(finding->interval.low).text,
                      rate_text(finding->interval.high).text);
}

static double lowest_usable(const struct latency_profile *profile)
{
    for (size_t i = profile->ladder; i < profile->count; i++)
        if (profile->rows[i].evidence.use == STAGE_USABLE)
            return profile->rows[i].planned_per_s;
    return NAN;
}

static void say_not_reached(const struct latency_profile *profile, struct buffer *line)
{
    const struct knee *knee = &profile->knee;
    const struct knee_finding *fit = &knee->rules[KNEE_BY_LATENCY];
    buffer_printf(line, "The server never saturated in this range: it kept up with every "
                        "load that says anything of it, up to %s",
                  rate_text(knee->held_per_s).text);
    if (fit->state == KNEE_ABOVE && isfinite(fit->knee_per_s)) {
        buffer_printf(line, "; continued beyond it, the curve of latency puts the "
                            "capacity at ");
        add_interval(line, fit);
    }
}

static void say_knee(const struct latency_profile *profile, struct run_texts *lines,
                     struct buffer *line)
{
    const struct knee *knee = &profile->knee;
    const struct knee_finding *together = &knee->together;
    switch (together->state) {
    case KNEE_FOUND:
        buffer_printf(line, "The server saturates at ");
        add_interval(line, together);
        break;
    case KNEE_BELOW:
        buffer_printf(line, "The server was saturated from the first stage on: at %s it "
                            "managed ", rate_text(lowest_usable(profile)).text);
        add_interval(line, together);
        buffer_printf(line, "; lower loads are needed to see its knee");
        break;
    case KNEE_ABOVE:
        say_not_reached(profile, line);
        break;
    case KNEE_UNKNOWN:
        buffer_printf(line, "The knee cannot be told: %s", together->why);
        break;
    }
    end_line(lines, line);
    if (knee->usable < STAGES_MIN) {
        buffer_printf(line, "Too few stages say anything of the server: %zu; a knee "
                            "needs %d or more", knee->usable, STAGES_MIN);
        end_line(lines, line);
    }
    if (knee->disagree) {
        buffer_printf(line, "The rules disagree: some of their intervals do not meet. "
                            "The interval above covers their scatter");
        end_line(lines, line);
    }
}

/* The lowest load of those with this use, how many they are. */
static const struct stage_row *first_with(const struct latency_profile *profile,
                                          enum stage_use use, size_t *count)
{
    const struct stage_row *first = NULL;
    *count = 0;
    for (size_t i = profile->ladder; i < profile->count; i++) {
        if (profile->rows[i].evidence.use != use)
            continue;
        first = first == NULL ? &profile->rows[i] : first;
        ++*count;
    }
    return first;
}

static void say_unusable(const struct latency_profile *profile, struct run_texts *lines,
                         struct buffer *line)
{
    size_t count;
    const struct stage_row *row = first_with(profile, STAGE_CLIENT, &count);
    if (row != NULL) {
        buffer_printf(line, "At %zu of %zu stages, the lowest at %s, the client was the "
                            "bottleneck, not the server; they are no evidence: %s",
                      count, profile->count - profile->ladder,
                      rate_text(row->planned_per_s).text, row->why);
        end_line(lines, line);
    }
    row = first_with(profile, STAGE_FAILING, &count);
    if (row != NULL) {
        buffer_printf(line, "Requests fail from %s on: %s",
                      rate_text(row->planned_per_s).text, row->why);
        end_line(lines, line);
    }
    row = first_with(profile, STAGE_SPARSE, &count);
    if (row != NULL) {
        buffer_printf(line, "Stages with too few requests to say anything: %zu, the "
                            "lowest at %s: %s",
                      count, rate_text(row->planned_per_s).text, row->why);
        end_line(lines, line);
    }
}

static void say_death(const struct latency_profile *profile, struct run_texts *lines,
                      struct buffer *line)
{
    for (size_t i = profile->ladder; i < profile->count; i++) {
        const struct stage_row *row = &profile->rows[i];
        if (isnan(row->dead_from_s))
            continue;
        buffer_printf(line, "The server died, or was gone, in %s (%s): after %s of it "
                            "nothing answered any more",
                      row->name, rate_text(row->planned_per_s).text,
                      duration_text(row->dead_from_s).text);
        end_line(lines, line);
        return;
    }
}

/* Requests that were never launched were not measured. */
static void say_launched(const struct latency_profile *profile, struct run_texts *lines,
                         struct buffer *line)
{
    size_t less = 0;
    const struct stage_row *last = NULL;
    for (size_t i = profile->ladder; i < profile->count && profile->foreign; i++) {
        const struct stage_row *row = &profile->rows[i];
        if (row->whole.timeline.sent_per_s >= LAUNCHED_MIN * row->planned_per_s ||
            !isfinite(row->whole.timeline.sent_per_s))
            continue;
        less++;
        last = row;
    }
    if (less == 0)
        return;
    buffer_printf(line, "The generator launched less than it planned at %zu of %zu "
                        "loads: %s at %s. It waits for answers, so latencies there are "
                        "of a lower load than the plan's, and in-flight cannot grow",
                  less, profile->count, rate_text(last->whole.timeline.sent_per_s).text,
                  rate_text(last->planned_per_s).text);
    end_line(lines, line);
}

static void say_objectives(const struct latency_profile *profile,
                           struct run_texts *lines, struct buffer *line)
{
    if (profile->slo.count == 0)
        return;
    if (profile->meets_per_s > 0)
        buffer_printf(line, "The highest load that meets ");
    else
        buffer_printf(line, "No load is shown to meet ");
    for (size_t i = 0; i < profile->slo.count; i++)
        buffer_printf(line, "%s%s", i > 0 ? "," : "", profile->slo.terms[i].text);
    if (profile->meets_per_s > 0)
        buffer_printf(line, ", with no lower one that misses: %s",
                      rate_text(profile->meets_per_s).text);
    end_line(lines, line);
}

void latency_profile_words(const struct latency_profile *profile,
                           struct run_texts *lines)
{
    struct buffer line = BUFFER_INIT;
    say_knee(profile, lines, &line);
    say_objectives(profile, lines, &line);
    say_death(profile, lines, &line);
    say_unusable(profile, lines, &line);
    say_launched(profile, lines, &line);
    if (profile->unfinished > 0) {
        buffer_printf(&line, "Stages begun, but not finished, which are left out: %zu; "
                             "tokreplay profile --resume goes on", profile->unfinished);
        end_line(lines, &line);
    }
    buffer_release(&line);
}
