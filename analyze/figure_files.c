/* The files of a figure, and gnuplot. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/figure.h"
#include "formats/base/output_file.h"

/* Colours of Okabe and Ito (2008), yellow left out: it does not show on white. */
static const char *const colours[] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                       "#E69F00", "#56B4E9", "#000000" };
static const char *const dashes[] = { "1",     "(8,3)",          "(3,3)", "(10,3,2,3)",
                                      "(5,5)", "(12,3,2,3,2,3)", "(2,2)" };
static const int points[] = { 7, 5, 9, 11, 13, 4, 6 };

/* A line of colour i has dash and points i; the next round of colours has the next. */
enum { STYLES = sizeof colours / sizeof *colours };

/* Text of 8 points at true size: this takes a font scale of 0.75 on cairo's PDF, and
 * pixels of 1/96 inch in SVG, whose keys and points are made as large as cairo's. PNG
 * has 300 pixels per inch. */
static void append_terminals(struct buffer *text, const struct figure *figure)
{
    char identifier[FIGURE_NAME_MAX]; /* of SVG: without '-' */
    for (size_t i = 0; i < sizeof identifier; i++)
        identifier[i] = figure->name[i] == '-' ? '_' : figure->name[i];
    double width = figure->width_in;
    double height = figure->height_in;
    buffer_append_text(text, "if (!exists('format')) format = 'pdf'\n");
    buffer_printf(text,
                  "if (format eq 'pdf') set terminal pdfcairo noenhanced color "
                  "size %.4gin,%.4gin font 'Helvetica,8' fontscale 0.75\n",
                  width, height);
    buffer_printf(text,
                  "if (format eq 'svg') set terminal svg noenhanced "
                  "size %.0f,%.0f dynamic font 'Helvetica,10.67' name '%s' "
                  "background 'white'\n",
                  width * 96, height * 96, identifier);
    buffer_append_text(text, "mark = format eq 'svg' ? 1.6 : 1\n"
                             "sample = format eq 'svg' ? 0.8 : 1\n"
                             "if (format eq 'svg') set key spacing 0.85\n");
    buffer_printf(text,
                  "if (format eq 'png') set terminal pngcairo noenhanced color "
                  "size %.0f,%.0f font 'Helvetica,8' fontscale 3.125 linewidth 2.5 "
                  "pointscale 2.5\n",
                  width * 300, height * 300);
    buffer_printf(text, "if (!exists('file')) file = '%s.'.format\nset output file\n",
                  figure->name);
}

static void append_style(struct buffer *text)
{
    buffer_append_text(text, "set encoding utf8\n"
                             "unset title\n"
                             "set border 3 lw 1\n"
                             "set tics nomirror out scale 0.5,0.25\n"
                             "set pointintervalbox 0\n"
                             "set grid xtics ytics lc rgb '#DDDDDD' lw 0.5 dt 1\n"
                             "set xtics offset 0,0.2\n"
                             "set key at graph 0, graph 1 left bottom horizontal Left "
                             "reverse height 0.3\n");
    for (int i = 0; i < STYLES * STYLES; i++)
        buffer_printf(text,
                      "set linetype %d lc rgb '%s' dt %s pt %d ps 0.4*mark lw 1.5\n",
                      i + 1, colours[i % STYLES], dashes[(i + i / STYLES) % STYLES],
                      points[(i + i / STYLES) % STYLES]);
}

static void append_script(struct buffer *text, struct figure *figure)
{
    buffer_printf(text,
                  "# Run in this directory: gnuplot %s.gp draws %s.pdf,\n"
                  "# gnuplot -e \"format='svg'\" %s.gp draws %s.svg; png likewise.\n"
                  "# The columns of the data are documented in %s.dat.\n",
                  figure->name, figure->name, figure->name, figure->name, figure->name);
    append_terminals(text, figure);
    append_style(text);
    buffer_append_text(text, buffer_text(&figure->script));
    buffer_append_text(text, "unset multiplot\nunset output\n");
}

int figure_check_absent(const char *directory, const char *name, const char *suffix,
                        struct fault *fault)
{
    struct buffer path = BUFFER_INIT;
    int status = STATUS_OK;
    buffer_printf(&path, "%s/%s.%s", directory, name, suffix);
    if (access(buffer_text(&path), F_OK) == 0)
        status = fault_set(fault, STATUS_USAGE, "%s exists; --force overwrites it",
                           buffer_text(&path));
    buffer_release(&path);
    return status;
}

static int write_text(const char *directory, const char *name, const char *suffix,
                      struct buffer *text, struct fault *fault)
{
    struct buffer path = BUFFER_INIT;
    struct output_file file = { 0 };
    buffer_printf(&path, "%s/%s.%s", directory, name, suffix);
    int status = output_file_open(&file, buffer_text(&path), OUTPUT_FORCE, fault);
    if (status == STATUS_OK) {
        fputs(buffer_text(text), file.stream);
        status = output_file_commit(&file, fault);
    }
    buffer_release(&path);
    return status;
}

int figure_write(struct figure *figure, const char *directory, struct fault *fault)
{
    struct buffer script = BUFFER_INIT;
    append_script(&script, figure);
    figure_block_end(figure);
    int status = write_text(directory, figure->name, "dat", &figure->data, fault);
    if (status == STATUS_OK)
        status = write_text(directory, figure->name, "gp", &script, fault);
    buffer_release(&script);
    return status;
}

/* Starts gnuplot in the directory, its output and remarks put aside: they would mix with
 * ours. Returns an errno. */
static int spawn(const char *directory, char *const *words, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addchdir_np(&actions, directory);
    int error = posix_spawnp(child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Runs gnuplot on the script in the directory; STATUS_IO when it does not end well. */
static int draw(const char *directory, const char *script, const char *format,
                const char *part, struct fault *fault)
{
    char choice[2 * FIGURE_NAME_MAX + 64];
    char program[] = "gnuplot";
    char expression[] = "-e";
    char operand[FIGURE_NAME_MAX + 8];
    snprintf(choice, sizeof choice, "format='%s'; file='%s'", format, part);
    snprintf(operand, sizeof operand, "%s", script);
    char *words[] = { program, expression, choice, operand, NULL };
    pid_t child;
    int error = spawn(directory, words, &child);
    if (error == ENOENT)
        return fault_set(fault, STATUS_UNSUPPORTED, "gnuplot is not installed");
    int ended = 0;
    if (error == 0)
        while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
            ;
    if (error != 0 || ended != 0)
        return fault_set(fault, STATUS_IO,
                         "gnuplot did not draw %s/%s; run it on %s "
                         "there to see why",
                         directory, part, script);
    return STATUS_OK;
}

int figure_render(const char *directory, const char *name, const char *format,
                  struct fault *fault)
{
    char script[FIGURE_NAME_MAX + 8];
    char part[FIGURE_NAME_MAX + 16];
    struct buffer from = BUFFER_INIT;
    struct buffer to = BUFFER_INIT;
    snprintf(script, sizeof script, "%s.gp", name);
    snprintf(part, sizeof part, "%s.%s.part", name, format);
    buffer_printf(&from, "%s/%s", directory, part);
    buffer_printf(&to, "%s/%s.%s", directory, name, format);
    int status = draw(directory, script, format, part, fault);
    if (status == STATUS_OK && rename(buffer_text(&from), buffer_text(&to)) < 0)
        status = fault_set_errno(fault, "%s", buffer_text(&to));
    if (status < 0)
        unlink(buffer_text(&from));
    buffer_release(&from);
    buffer_release(&to);
    return status;
}
