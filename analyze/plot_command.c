/* tokanalyze plot: figures of stored runs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/commands.h"
#include "analyze/plot_input.h"
#include "analyze/verdict_options.h"
#include "formats/base/units.h"

const struct plot_figure plot_figures[] = {
    { "cdf", "distributions of the latencies", plot_cdf },
    { "tail", "latency against 1/(1-p)", plot_tail },
    { "profile", "latency against load", plot_profile },
    { "throughput", "tokens and goodput against load", plot_throughput },
    { "bias", "what the client adds to latency", plot_bias },
    { "queue", "the client's waits beside models", plot_queue },
    { "service", "the client's services beside a law", plot_service },
    { "timeline", "load and TTFT over time", plot_timeline },
    { "gantt", "the parts of single requests", plot_gantt },
    { "lag", "send and receive lags", plot_lag },
    { "itl", "gaps between tokens", plot_itl },
    { "ntpot", "parts of NTPOT against input length", plot_ntpot },
};
const size_t plot_figure_count = sizeof plot_figures / sizeof *plot_figures;

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
    { .name = "output", .letter = 'o', .type = OPTION_PATH, .argument = "DIR",
      .group = "Output", .offset = offsetof(struct plot_options, output),
      .help = "directory for the figures; made when it is missing" },
    { .name = "figure", .type = OPTION_LIST, .argument = "NAME",
      .offset = offsetof(struct plot_options, figures),
      .help = "cdf, tail, profile, throughput, bias, queue, service, timeline, gantt, "
              "lag, itl or ntpot; may be repeated (default: all that the runs can "
              "give)" },
    { .name = "format", .type = OPTION_STRING, .argument = "NAME,...",
      .default_text = "pdf", .offset = offsetof(struct plot_options, format),
      .help = "pdf, svg, png" },
    { .name = "width", .type = OPTION_STRING, .argument = "INCHES",
      .default_text = "3.33in", .offset = offsetof(struct plot_options, width),
      .help = "of the figures: 3.33in is one column of a paper, 7in both" },
    { .name = "slo", .type = OPTION_LIST, .argument = "TERMS",
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
        while (i < FORMATS && (strlen(formats[i]) != len ||
                               strncmp(formats[i], text, len) != 0))
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
        while (k < plot_figure_count && strcmp(names->items[i], plot_figures[k].name))
            k++;
        if (k == plot_figure_count)
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
    bool no_gnuplot;
};

static int render(struct plot_job *job, const char *name, struct fault *fault)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (!job->formats[i] || job->no_gnuplot)
            continue;
        int status = figure_render(job->options->output, name, formats[i], fault);
        if (status == STATUS_UNSUPPORTED) {
            job->no_gnuplot = true;
            fault->text[0] = '\0';
        } else if (status < 0) {
            return status;
        }
    }
    return STATUS_OK;
}

static bool needs_run(const char *name)
{
    return strcmp(name, "profile") != 0 && strcmp(name, "throughput") != 0;
}

static int make_figure(struct plot_job *job, const struct plot_figure *kind,
                       struct fault *fault)
{
    const struct plot_options *options = job->options;
    struct figure figure = { .name = kind->name, .width_in = job->width_in };
    int status = STATUS_OK;
    if (needs_run(kind->name) && job->input.run_count == 0)
        figure_refuse(&figure, "it is of a run, not of a profile");
    else
        kind->make(&figure, &job->input);
    if (figure.problem[0] == '\0') {
        status = figure_write(&figure, options->output, options->common.force, fault);
        if (status == STATUS_OK)
            status = render(job, kind->name, fault);
    } else if (options->figures.count > 0 && options->common.quiet == 0) {
        fprintf(stderr, "no figure %s: %s\n", kind->name, figure.problem);
    }
    figure_release(&figure);
    return status;
}

static int make_directory(const char *path, struct fault *fault)
{
    if (!path)
        return fault_set(fault, STATUS_USAGE, "name a directory for the figures with -o");
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return fault_set_errno(fault, "%s", path);
    return STATUS_OK;
}

static int run(void *given, char **operands, int operand_count, struct fault *fault)
{
    const struct plot_options *options = given;
    struct plot_job job = { .options = options };
    job.input.request = (struct summary_request){ .limits = options->limits,
                                                  .whole = true };
    int status = parse_formats(options->format, job.formats, fault);
    if (status == STATUS_OK)
        status = parse_width(options->width, &job.width_in, fault);
    if (status == STATUS_OK)
        status = parse_objectives(&options->slo, &job.input, fault);
    if (status == STATUS_OK)
        status = check_names(&options->figures, fault);
    if (status == STATUS_OK)
        status = plot_input_read(&job.input, operands, operand_count, &options->common,
                                 fault);
    if (status == STATUS_OK)
        status = make_directory(options->output, fault);
    for (size_t i = 0; status == STATUS_OK && i < plot_figure_count; i++)
        if (is_wanted(&options->figures, plot_figures[i].name))
            status = make_figure(&job, &plot_figures[i], fault);
    if (status == STATUS_OK && job.no_gnuplot && options->common.quiet == 0)
        fprintf(stderr, "gnuplot is not installed: wrote the data and the scripts "
                "only\n");
    plot_input_release(&job.input);
    return status;
}

const struct command plot_command = {
    .name = "plot",
    .summary = "figures of runs, for papers",
    .usage = "[OPTION]... RUNDIR|LOG... -o DIR",
    .details =
        "Draws with gnuplot, and leaves NAME.dat (columns documented at its head) and "
        "NAME.gp beside each figure, so that it can be drawn again in another style. "
        "The figures of one run take the first; several runs, or a profile, give the "
        "figures of load.",
    .options = specs,
    .options_size = sizeof(struct plot_options),
    .run = run,
    .operands_min = 1,
    .operands_max = -1,
};
