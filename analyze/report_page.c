#include "analyze/report_page.h"

#include <string.h>
#include <time.h>

#include "analyze/html_text.h"
#include "analyze/sheet.h"
#include "analyze/shell_words.h"
#include "analyze/short_text.h"
#include "formats/base/clock.h"
#include "formats/base/read_whole.h"
#include "formats/base/version.h"
#include "formats/run_directory.h"

enum { NAME_MAX_SHOWN = 80, COMMAND_MAX = 1 << 16, ITEM_MAX = 400, TIME_TEXT_MAX = 40 };

/* Curves: blue, vermilion, green, purple, amber, grey, each with its own dashes, dark
 * enough on white and light enough on black. */
static const char style[] =
    ":root{color-scheme:light dark;--back:#fff;--text:#1a1a1a;--line:#d0d0d0;"
    "--good:#00634a;--bad:#a33c00;--c1:#005f9e;--c2:#b84a00;--c3:#007a5a;--c4:#a0468a;"
    "--c5:#8a6100;--c6:#666}\n"
    "@media(prefers-color-scheme:dark){:root{--back:#16181c;--text:#e6e6e6;--line:#"
    "4a4a4a;"
    "--good:#4fc79f;--bad:#ff9a5c;--c1:#5ab4f0;--c2:#ff8c42;--c3:#35c79a;--c4:#e29ac9;"
    "--c5:#e6b422;--c6:#aaa}}\n"
    "@media print{:root{color-scheme:light;--back:#fff;--text:#000;--line:#bbb;"
    "--good:#00634a;--bad:#a33c00;--c1:#005f9e;--c2:#b84a00;--c3:#007a5a;--c4:#a0468a;"
    "--c5:#8a6100;--c6:#666}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;max-width:64rem;padding:1rem;"
    "font:1rem/1.5 system-ui,sans-serif;background:var(--back);color:var(--text);"
    "overflow-wrap:anywhere}\n"
    "h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2.2rem;"
    "border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:1.4rem 0 .3rem}\n"
    "h1,h2,h3,p,li,td,th,pre{unicode-bidi:isolate}\n"
    ".verdict{font-size:1.1rem;font-weight:600;border-left:.4rem solid;"
    "padding:.4rem .8rem}.good{color:var(--good)}.bad{color:var(--bad)}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;"
    "font-variant-numeric:tabular-nums}\n"
    "td,th{text-align:right;vertical-align:top;padding:.2rem .5rem;"
    "border-bottom:1px solid var(--line);white-space:nowrap}"
    "td:first-child,th:first-child,.facts td,.wide,.word{text-align:left}"
    ".facts td,.wide{white-space:normal}.wide{min-width:14rem}"
    "th[scope=row]{font-weight:400}.facts th{font-weight:600;padding-left:0}\n"
    ".charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),"
    "1fr));gap:1rem}figure{margin:0;break-inside:avoid}"
    "figcaption{font-weight:600;font-size:.9rem}\n"
    "svg{display:block;width:100%;height:auto;font-size:12px}svg text{fill:currentColor}"
    ".grid{stroke:var(--line)}.mark{stroke:currentColor;stroke-dasharray:2 3}"
    ".curve{fill:none;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}\n"
    ".curve.c1{stroke:var(--c1)}.curve.c2{stroke:var(--c2);stroke-dasharray:8 4}"
    ".curve.c3{stroke:var(--c3);stroke-dasharray:2 4}"
    ".curve.c4{stroke:var(--c4);stroke-dasharray:9 4 2 4}"
    ".curve.c5{stroke:var(--c5);stroke-dasharray:5 5}"
    ".curve.c6{stroke:var(--c6);stroke-dasharray:1 4}\n"
    ".dots{fill:none;stroke-width:6;stroke-linecap:round}.dots.c6{stroke:var(--c6)}\n"
    ".band{opacity:.2}.band.c1{fill:var(--c1)}.band.c2{fill:var(--c2)}"
    ".band.c3{fill:var(--c3)}.band.c6{fill:var(--c6)}\n"
    "@media(max-width:30rem){table{font-size:.8rem}td,th{padding:.2rem .3rem}}\n"
    "pre{white-space:pre-wrap;border:1px solid var(--line);padding:.6rem;"
    "font-size:.85rem}\n"
    "@media print{body{max-width:none;padding:0;font-size:9.5pt}"
    ".charts{grid-template-columns:1fr 1fr}.scroll{overflow:visible}"
    "table{font-size:7pt}td,th{padding:.1rem .25rem;white-space:normal;"
    "overflow-wrap:normal}tr{break-inside:avoid}"
    "h2,h3{break-after:avoid}.wide{min-width:0}}\n";

void report_page_begin(struct buffer *page, const char *kind, const char *path)
{
    struct buffer title = BUFFER_INIT;
    buffer_printf(&title, "%s ", kind);
    html_append_text(&title, run_directory_name(path), NAME_MAX_SHOWN);
    buffer_printf(page,
                  "<!DOCTYPE html>\n<html lang=\"en\"><head>"
                  "<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" "
                  "content=\"default-src 'none'; style-src 'unsafe-inline'; "
                  "img-src data:\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, "
                  "initial-scale=1\">\n"
                  "<link rel=\"icon\" href=\"data:,\"><title>%s</title>\n"
                  "<style>\n%s</style></head>\n<body><main>\n<h1>%s</h1>\n",
                  buffer_text(&title), style, buffer_text(&title));
    buffer_release(&title);
}

void report_page_end(struct buffer *page)
{
    buffer_append_text(page, "</main></body></html>\n");
}

void report_page_verdict(struct buffer *page, const char *tone, const char *words)
{
    buffer_printf(page, "<p class=\"verdict %s\">%s</p>\n", tone, words);
}

void report_page_item(struct buffer *page, const char *text)
{
    buffer_append_text(page, "<li>");
    html_append_text(page, text, ITEM_MAX);
    buffer_append_byte(page, '\n');
}

void report_page_heading(struct buffer *page, const char *heading)
{
    buffer_printf(page, "<h2>%s</h2>\n", heading);
}

static void add_text(struct sheet *sheet, const char *name, const char *text)
{
    if (text && text[0] != '\0')
        sheet_fact(sheet, name, "%s", text);
}

static void add_time(struct sheet *sheet, const char *name, int64_t realtime_ns)
{
    char text[TIME_TEXT_MAX];
    struct tm parts;
    time_t seconds = (time_t)(realtime_ns / NS_PER_S);
    if (realtime_ns != TIME_NONE && gmtime_r(&seconds, &parts) &&
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts) > 0)
        sheet_fact(sheet, name, "%s", text);
    else
        sheet_fact(sheet, name, "not known");
}

static void add_plan(struct sheet *sheet, const struct run_manifest *manifest)
{
    const struct run_plan_facts *plan = &manifest->plan;
    sheet_fact(sheet, "Plan", "%s requests, %s tokens in, %s out; seed %llu",
               count_text(plan->requests).text, count_text(plan->input_tokens).text,
               count_text(plan->output_tokens).text, (unsigned long long)manifest->seed);
    add_text(sheet, "Plan hash", plan->hash);
    if (manifest->open_loop)
        sheet_fact(sheet, "Load", "open loop: each request is sent when it is due");
    else
        sheet_fact(sheet, "Load", "closed loop: at most %s requests in flight",
                   count_text(manifest->concurrency).text);
    if (manifest->warm_connections > 0)
        sheet_fact(sheet, "", "%s connections made before the start",
                   count_text(manifest->warm_connections).text);
}

static void add_workers(struct sheet *sheet, const struct run_manifest *manifest)
{
    sheet_fact(sheet, "Workers", "%zu", manifest->worker_count);
    for (size_t i = 0; i < manifest->worker_count; i++) {
        const struct run_worker *worker = &manifest->workers[i];
        if (worker->signal != 0)
            sheet_fact(sheet, "", "worker %zu was ended by signal %d", i, worker->signal);
        else if (worker->exit_code != 0)
            sheet_fact(sheet, "", "worker %zu ended with %d: %s", i, worker->exit_code,
                       worker->error ? worker->error : "it said nothing");
    }
}

static void append_manifest(struct buffer *page, const struct run_manifest *manifest)
{
    struct sheet sheet = { .page = page };
    add_text(&sheet, "Run", manifest->id);
    add_time(&sheet, "Started", manifest->started_realtime_ns);
    add_time(&sheet, "Ended", manifest->ended_realtime_ns);
    if (manifest->interrupted)
        sheet_fact(&sheet, "", "interrupted");
    add_text(&sheet, "URL", manifest->url);
    add_text(&sheet, "API", manifest->api);
    add_text(&sheet, "Model", manifest->model);
    add_text(&sheet, "Emulated client", manifest->emulated_client);
    add_plan(&sheet, manifest);
    add_workers(&sheet, manifest);
    for (size_t i = 0; i < manifest->notes.count; i++)
        add_text(&sheet, "Note", manifest->notes.items[i]);
    sheet_release(&sheet);
}

static void append_command(struct buffer *page, const struct run_texts *words)
{
    struct buffer command = BUFFER_INIT;
    buffer_append_shell_words(&command, words);
    buffer_append_text(page, "<pre>");
    html_append_text(page, buffer_text(&command), COMMAND_MAX);
    buffer_append_text(page, "</pre>\n");
    buffer_release(&command);
}

/* The command line of this process, as the kernel has it. */
static void append_own_command(struct buffer *page)
{
    struct fault unused = { 0 };
    struct buffer bytes = BUFFER_INIT;
    struct run_texts words = { 0 };
    if (read_whole("/proc/self/cmdline", COMMAND_MAX, &bytes, &unused) == STATUS_OK) {
        const char *text = buffer_text(&bytes);
        for (size_t at = 0; at < bytes.len; at += strlen(text + at) + 1)
            run_texts_append(&words, text + at);
        append_command(page, &words);
    }
    run_texts_release(&words);
    buffer_release(&bytes);
}

static void append_versions(struct buffer *page, const struct run_manifest *manifest)
{
    struct sheet sheet = { .page = page };
    char version[VERSION_TEXT_MAX];
    sheet_title(&sheet, "Versions");
    for (size_t i = 0; manifest && i < manifest->producers.count; i++)
        sheet_fact(&sheet, i == 0 ? "Run by" : "", "%s", manifest->producers.items[i]);
    sheet_fact(&sheet, "Analysed by", "tokanalyze %s", version_format(version, ""));
    sheet_release(&sheet);
}

void report_page_origin(struct buffer *page, const struct run_manifest *manifest)
{
    if (manifest) {
        report_page_heading(page, "The manifest");
        append_manifest(page, manifest);
    }
    report_page_heading(page, "How to reproduce");
    if (manifest && manifest->command.count > 0) {
        buffer_printf(page, "<p>The load; the same plan has the hash <code>");
        html_append_text(page, manifest->plan.hash ? manifest->plan.hash : "unknown",
                         NAME_MAX_SHOWN);
        buffer_append_text(page, "</code>:</p>\n");
        append_command(page, &manifest->command);
    }
    buffer_append_text(page, "<p>This page:</p>\n");
    append_own_command(page);
    append_versions(page, manifest);
}
