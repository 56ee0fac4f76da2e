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
static const char *const dashes[] = { "1", "(8,3)", "(3,3)", "(10,3,2,3)",
                                      "(5,5)", "(12,3,2,3,2,3)", "(2,2)" };
static const int points[] = { 7, 5, 9, 11, 13, 4, 6 };

enum { STYLES = sizeof colours / sizeof *colours };

/* Text of 8 points at true size: this takes a font scale of 0.75 on cairo's PDF, and
 * pixels of 1/96 inch in SVG. PNG has 300 pixels per inch. */
static void append_terminals(struct buffer *text, const struct figure *figure)
{
    double width = figure->width_in;
    double height = figure->height_in;
    buffer_append_text(text, "if (!exists('format')) format = 'pdf'\n");
    buffer_printf(text, "if (format eq 'pdf') set terminal pdfcairo noenhanced color "
                  "size %.4gin,%.4gin font 'Helvetica,8' fontscale 0.75\n",
                  width, height);
    buffer_printf(text, "if (format eq 'svg') set terminal svg noenhanced "
                  "size %.0f,%.0f dynamic font 'Helvetica,10.67' name '%s' "
                  "background 'white'\n",
                  width * 96, height * 96, figure->name);
    buffer_printf(text, "if (format eq 'png') set terminal pngcairo noenhanced color "
                  "size %.0f,%.0f font 'Helvetica,8' fontscale 3.125 linewidth 2.5 "
                  "pointscale 2.5\n",
                  width * 300, height * 300);
    buffer_printf(text, "set output '%s.'.format\n", figure->name);
}

static void append_style(struct buffer *text)
{
    buffer_append_text(text,
                       "set encoding utf8\n"
                       "unset title\n"
                       "set border 3 lw 1\n"
                       "set tics nomirror out scale 0.5,0.25\n"
                       "set grid xtics ytics lc rgb '#DDDDDD' lw 0.5 dt 1\n"
                       "set xlabel offset 0,0.5\n"
                       "set key at graph 0, graph 1.02 left bottom horizontal Left "
                       "reverse samplen 2.5 width 1\n");
    for (int i = 0; i < STYLES; i++)
        buffer_printf(text, "set linetype %d lc rgb '%s' dt %s pt %d ps 0.4 lw 1.5\n",
                      i + 1, colours[i], dashes[i], points[i]);
    buffer_printf(text, "set linetype cycle %d\n", STYLES);
}

static void append_script(struct buffer *text, struct figure *figure)
{
    buffer_printf(text, "# Run in this directory: gnuplot %s.gp draws %s.pdf,\n"
                  "# gnuplot -e \"format='svg'\" %s.gp draws %s.svg; png likewise.\n"
                  "# The columns of the data are documented in %s.dat.\n",
                  figure->name, figure->name, figure->name, figure->name, figure->name);
    append_terminals(text, figure);
    append_style(text);
    buffer_append_text(text, buffer_text(&figure->script));
    buffer_append_text(text, "unset multiplot\nunset output\n");
}

static int write_text(const char *directory, const char *name, const char *suffix,
                      struct buffer *text, bool force, struct fault *fault)
{
    struct buffer path = BUFFER_INIT;
    struct output_file file = { 0 };
    buffer_printf(&path, "%s/%s.%s", directory, name, suffix);
    int status =
        output_file_open(&file, buffer_text(&path), force ? OUTPUT_FORCE : 0, fault);
    if (status == STATUS_OK) {
        fputs(buffer_text(text), file.stream);
        status = output_file_commit(&file, fault);
    }
    buffer_release(&path);
    return status;
}

int figure_write(struct figure *figure, const char *directory, bool force,
                 struct fault *fault)
{
    struct buffer script = BUFFER_INIT;
    append_script(&script, figure);
    int status =
        write_text(directory, figure->name, "dat", &figure->data, force, fault);
    if (status == STATUS_OK)
        status = write_text(directory, figure->name, "gp", &script, force, fault);
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

int figure_render(const char *directory, const char *name, const char *format,
                  struct fault *fault)
{
    char choice[32];
    char script[64];
    char program[] = "gnuplot";
    char expression[] = "-e";
    snprintf(choice, sizeof choice, "format='%s'", format);
    snprintf(script, sizeof script, "%s.gp", name);
    char *words[] = { program, expression, choice, script, NULL };
    pid_t child;
    int error = spawn(directory, words, &child);
    if (error == ENOENT)
        return fault_set(fault, STATUS_UNSUPPORTED, "gnuplot is not installed");
    int ended = 0;
    if (error == 0)
        while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
            ;
    if (error != 0 || ended != 0)
        return fault_set(fault, STATUS_IO, "gnuplot did not draw %s/%s.%s; run it on %s "
                         "there to see why", directory, name, format, script);
    return STATUS_OK;
}
