/* tokanalyze plot: figures of stored runs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/commands.h"
#include "analyze/plot_input.h"
#include "analyze/verdict_options.h"
#include "formats/base/memory.h"
#include "formats/base/units.h"

static const struct plot_figure figures[] = {
    { "cdf", PLOT_ALL_RUNS, plot_cdf },
    { "tail", PLOT_ALL_RUNS, plot_tail },
    { "profile", PLOT_EACH_SWEEP, plot_profile },
    { "throughput", PLOT_EACH_SWEEP, plot_throughput },
    { "bias", PLOT_EACH_RUN, plot_bias },
    { "queue", PLOT_EACH_RUN, plot_queue },
    { "service", PLOT_EACH_RUN, plot_service },
    { "timeline", PLOT_EACH_RUN, plot_timeline },
    { "gantt", PLOT_EACH_RUN, plot_gantt },
    { "lag", PLOT_ALL_RUNS, plot_lag },
    { "itl", PLOT_EVERYTHING, plot_itl },
    { "ntpot", PLOT_EACH_RUN, plot_ntpot },
};
enum { FIGURES = sizeof figures / sizeof *figures };

struct plot_options {
    struct common_options common;
    const char *output;
    struct option_list figures;
    const char *format;
    const char *width;
    struct option_list slo;
    struct verdict_limits limits;
};

static const struct option_spec specs[] = {
    { .name = "output",
      .letter = 'o',
      .type = OPTION_PATH,
      .argument = "DIR",
      .group = "Output",
      .offset = offsetof(struct plot_options, output),
      .help = "directory for the figures; made when it is missing. Figures that are "
              "there are kept, unless --force is given" },
    { .name = "figure",
      .type = OPTION_LIST,
      .argument = "NAME",
      .offset = offsetof(struct plot_options, figures),
      .help = "cdf, tail, profile, throughput, bias, queue, service, timeline, gantt, "
              "lag, itl or ntpot; may be repeated (default: all that the runs can "
              "give)" },
    { .name = "format",
      .type = OPTION_STRING,
      .argument = "NAME,...",
      .default_text = "pdf",
      .offset = offsetof(struct plot_options, format),
      .help = "pdf, svg, png" },
    { .name = "width",
      .type = OPTION_STRING,
      .argument = "INCHES",
      .default_text = "3.33in",
      .offset = offsetof(struct plot_options, width),
      .help = "of the figures: 3.33in is one column of a paper, 7in both" },
    { .name = "slo",
      .type = OPTION_LIST,
      .argument = "TERMS",
      .offset = offsetof(struct plot_options, slo),
      .help = "objectives: of requests (ttft<500ms) for goodput, of percentiles "
              "(ttft_p99<500ms) as steps in the figure tail" },
    VERDICT_OPTIONS(struct plot_options, limits),
    { 0 },
};

static const char *const formats[] = { "pdf", "svg", "png" };
enum { FORMATS = sizeof formats / sizeof *formats };

static int parse_formats(const char *text, bool *wanted, struct fault *fault)
{
    while (*text) {
        size_t len = strcspn(text, ",");
        size_t i = 0;
        while (i < FORMATS &&
               (strlen(formats[i]) != len || strncmp(formats[i], text, len) != 0))
            i++;
        if (i == FORMATS)
            return fault_set(fault, STATUS_USAGE,
                             "--format: '%.*s' is none of pdf, svg, png", (int)len, text);
        wanted[i] = true;
        text += len + (text[len] == ',');
    }
    return STATUS_OK;
}

static int parse_width(const char *text, double *width_in, struct fault *fault)
{
    char number[UNITS_TEXT_MAX];
    size_t len = strlen(text);
    len -= len > 2 && strcmp(text + len - 2, "in") == 0 ? 2 : 0;
    snprintf(number, sizeof number, "%.*s", (int)len, text);
    int status = units_parse_float(number, width_in, fault);
    if (status == STATUS_OK && !(*width_in >= 2 && *width_in <= 20))
        status = fault_set(fault, STATUS_USAGE, "'%s' is not from 2in to 20in", text);
    if (status < 0)
        fault_prefix(fault, "--width");
    return status;
}

/* Objectives of requests go into the summaries, the others to the staircase. */
static int parse_objectives(const struct option_list *texts, struct plot_input *input,
                            struct fault *fault)
{
    struct slo all = { 0 };
    int status = slo_parse_list(&all, texts, fault);
    if (status < 0)
        return status;
    for (size_t i = 0; i < texts->count; i++)
        buffer_printf(&input->objectives, "%s%s", i > 0 ? "," : "", texts->items[i]);
    for (size_t i = 0; i < all.count; i++) {
        const struct slo_term *term = &all.terms[i];
        bool each = term->statistic == SLO_EACH && term->metric != SLO_ITL;
        struct slo *slo = each ? &input->request.slo : &input->slo;
        slo->terms[slo->count++] = *term;
    }
    return STATUS_OK;
}

static int check_names(const struct option_list *names, struct fault *fault)
{
    for (size_t i = 0; i < names->count; i++) {
        size_t k = 0;
        while (k < FIGURES && strcmp(names->items[i], figures[k].name) != 0)
            k++;
        if (k == FIGURES)
            return fault_set(fault, STATUS_USAGE, "--figure: there is no '%s'",
                             names->items[i]);
    }
    return STATUS_OK;
}

static bool is_wanted(const struct option_list *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return names->count == 0;
}

/* What one invocation works with. */
struct plot_job {
    const struct plot_options *options;
    struct plot_input input;
    double width_in;
    bool formats[FORMATS];
    struct figure *made; /* owned; those that the runs could give */
    size_t count;
    size_t capacity;
    char missing[FIGURE_PROBLEM_MAX]; /* why the last one that is missing is */
};

static void plot_job_release(struct plot_job *job)
{
    for (size_t i = 0; i < job->count; i++)
        figure_release(&job->made[i]);
    free(job->made);
    plot_input_release(&job->input);
}

/* How many figures of this kind there are to be made. */
static size_t items_of(const struct plot_input *input, enum plot_subject subject)
{
    switch (subject) {
    case PLOT_EACH_RUN:
        return input->run_count;
    case PLOT_EACH_SWEEP:
        return input->sweep_count;
    case PLOT_ALL_RUNS:
        return input->run_count > 0;
    case PLOT_EVERYTHING:
        break;
    }
    return 1;
}

static void say_missing(struct plot_job *job, const char *name, const char *why)
{
    snprintf(job->missing, sizeof job->missing, "%s", why);
    if (job->options->figures.count > 0 && job->options->common.quiet == 0)
        fprintf(stderr, "no figure %s: %s\n", name, why);
}

static const char *subject_label(const struct plot_input *input,
                                 enum plot_subject subject, size_t item)
{
    return buffer_text(subject == PLOT_EACH_RUN ? &input->runs[item].label
                                                : &input->sweeps[item].label);
}

/* Of several figures of one kind each has its number in its name. */
static void make_figure(struct plot_job *job, const struct plot_figure *kind, size_t item,
                        size_t items)
{
    struct figure figure = { .width_in = job->width_in };
    if (items > 1)
        snprintf(figure.name, sizeof figure.name, "%s-%zu", kind->name, item + 1);
    else
        snprintf(figure.name, sizeof figure.name, "%s", kind->name);
    if (kind->subject == PLOT_EACH_RUN || kind->subject == PLOT_EACH_SWEEP)
        figure_remark(&figure, "Of %s.", subject_label(&job->input, kind->subject, item));
    kind->make(&figure, &job->input, item);
    if (figure.problem[0] == '\0' && figure.all_curves == 0)
        figure_refuse(&figure, "no request that succeeded has such values");
    if (figure.problem[0] != '\0') {
        say_missing(job, figure.name, figure.problem);
        figure_release(&figure);
        return;
    }
    job->made = memory_grow(job->made, job->count, &job->capacity, sizeof *job->made);
    job->made[job->count++] = figure;
}

static int make_figures(struct plot_job *job, struct fault *fault)
{
    for (size_t i = 0; i < FIGURES; i++) {
        const struct plot_figure *kind = &figures[i];
        size_t items = items_of(&job->input, kind->subject);
        if (!is_wanted(&job->options->figures, kind->name))
            continue;
        if (items == 0)
            say_missing(job, kind->name,
                        kind->subject == PLOT_EACH_SWEEP
                            ? "it needs a profile or several runs"
                            : "it is of runs, not of profiles");
        for (size_t item = 0; item < items; item++)
            make_figure(job, kind, item, items);
    }
    if (job->count == 0)
        return fault_set(fault, STATUS_BAD_INPUT,
                         "none of the figures can be made of "
                         "this: %s",
                         job->missing);
    return STATUS_OK;
}

/* Refuses before anything is written. */
static int check_absent(const struct plot_job *job, struct fault *fault)
{
    static const char *const texts[] = { "dat", "gp" };
    const char *directory = job->options->output;
    int status = STATUS_OK;
    for (size_t i = 0; i < job->count; i++) {
        const char *name = job->made[i].name;
        for (size_t k = 0; status == STATUS_OK && k < 2; k++)
            status = figure_check_absent(directory, name, texts[k], fault);
        for (size_t k = 0; status == STATUS_OK && k < FORMATS; k++)
            if (job->formats[k])
                status = figure_check_absent(directory, name, formats[k], fault);
    }
    return status;
}

static int write_figures(struct plot_job *job, struct fault *fault)
{
    const char *directory = job->options->output;
    int status = job->options->common.force ? STATUS_OK : check_absent(job, fault);
    for (size_t i = 0; status == STATUS_OK && i < job->count; i++)
        status = figure_write(&job->made[i], directory, fault);
    return status;
}

/* Without gnuplot that is said once, and is no failure. */
static int render_figures(struct plot_job *job, struct fault *fault)
{
    int status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < job->count; i++)
        for (size_t k = 0; status == STATUS_OK && k < FORMATS; k++)
            if (job->formats[k])
                status = figure_render(job->options->output, job->made[i].name,
                                       formats[k], fault);
    if (status != STATUS_UNSUPPORTED)
        return status;
    fault->text[0] = '\0';
    if (job->options->common.quiet == 0)
        fprintf(stderr, "gnuplot is not installed: wrote the data and the scripts "
                        "only\n");
    return STATUS_OK;
}

static int make_directory(const char *path, struct fault *fault)
{
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return fault_set_errno(fault, "%s", path);
    return STATUS_OK;
}

static int run(void *given, char **operands, int operand_count, struct fault *fault)
{
    const struct plot_options *options = given;
    struct plot_job job = { .options = options };
    job.input.request =
        (struct summary_request){ .limits = options->limits, .whole = true };
    int status = STATUS_OK;
    if (!options->output)
        status = fault_set(fault, STATUS_USAGE,
                           "name a directory for the figures with "
                           "-o");
    if (status == STATUS_OK)
        status = parse_formats(options->format, job.formats, fault);
    if (status == STATUS_OK)
        status = parse_width(options->width, &job.width_in, fault);
    if (status == STATUS_OK)
        status = parse_objectives(&options->slo, &job.input, fault);
    if (status == STATUS_OK)
        status = check_names(&options->figures, fault);
    if (status == STATUS_OK)
        status =
            plot_input_read(&job.input, operands, operand_count, &options->common, fault);
    if (status == STATUS_OK)
        status = make_figures(&job, fault);
    if (status == STATUS_OK)
        status = make_directory(options->output, fault);
    if (status == STATUS_OK)
        status = write_figures(&job, fault);
    if (status == STATUS_OK)
        status = render_figures(&job, fault);
    plot_job_release(&job);
    return status;
}

const struct command plot_command = {
    .name = "plot",
    .summary = "figures of runs, for papers",
    .usage = "[OPTION]... RUNDIR|LOG|PROFILE... -o DIR",
    .details =
        "Draws with gnuplot, and leaves NAME.dat (columns documented at its head) and "
        "NAME.gp beside each figure, so that it can be drawn again in another style. "
        "Of several runs cdf, tail, lag and itl show all in one; bias, queue, service, "
        "timeline, gantt and ntpot are of one run each: NAME-1, NAME-2... in the order "
        "given. A profile, or several runs as one, gives profile and throughput.",
    .options = specs,
    .options_size = sizeof(struct plot_options),
    .run = run,
    .operands_min = 1,
    .operands_max = -1,
};
