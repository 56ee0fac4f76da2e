#include "replay/capture_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/run_directory.h"

static const char CAPTURE_NAME[] = "wire.pcap.zst";
static const char SIDECAR_NAME[] = "wire.json";

/* The tokrecord beside this program, else the one on the PATH. */
static void exec_tokrecord(char *const words[])
{
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - sizeof "tokrecord");
    if (len > 0) {
        self[len] = '\0';
        char *name = strrchr(self, '/');
        memcpy(name == NULL ? self : name + 1, "tokrecord", sizeof "tokrecord");
        execv(self, words);
    }
    execvp("tokrecord", words);
    fprintf(stderr, "tokreplay: cannot run tokrecord: %s\n", strerror(errno));
    _exit(status_exit_code(STATUS_IO));
}

/* Runs tokrecord in a process group of its own: Ctrl-C at the terminal is for the run,
 * which ends the capture when it is over. */
static pid_t spawn_tokrecord(char *const words[])
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    exec_tokrecord(words);
    return -1;
}

/* The exit code, or 128 + the signal. */
static int await_exit(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return status_exit_code(STATUS_IO);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* True when the child wrote before it closed its end. */
static bool await_ready(int fd)
{
    char word[16];
    ssize_t got;
    do {
        got = read(fd, word, sizeof word);
    } while (got < 0 && errno == EINTR);
    return got > 0;
}

int capture_process_start(struct capture_process *capture, const char *interface,
                          uint16_t port, const char *directory, struct fault *fault)
{
    int ends[2];
    if (pipe(ends) != 0 || fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0)
        return fault_set_errno(fault, "cannot make a pipe for the capture");
    char port_text[8];
    char ready_text[16];
    snprintf(port_text, sizeof port_text, "%u", port);
    snprintf(ready_text, sizeof ready_text, "%d", ends[1]);
    char *file = run_directory_file(directory, CAPTURE_NAME);
    /* Who is root because of sudo owns the run directory as root: the capture must not
     * become sudo's caller, who could not write there. */
    const char *const words[] = {
        "tokrecord", "capture",    "--quiet",  "--interface",
        interface,   "--port",     port_text,  "--output",
        file,        "--ready-fd", ready_text, geteuid() == 0 ? "--user" : NULL,
        "0",         NULL
    };
    capture->pid = spawn_tokrecord((char *const *)(uintptr_t)words);
    close(ends[1]);
    int status = STATUS_OK;
    if (capture->pid < 0) {
        status = fault_set_errno(fault, "cannot start tokrecord");
    } else if (!await_ready(ends[0])) {
        await_exit(capture->pid);
        status = fault_set(fault, STATUS_IO, "--capture: nothing is captured on %s",
                           interface);
    }
    if (status != STATUS_OK)
        capture->pid = 0;
    close(ends[0]);
    free(file);
    return status;
}

static int extract(uint16_t port, const char *directory, struct fault *fault)
{
    char server[16];
    snprintf(server, sizeof server, ":%u", port);
    char *file = run_directory_file(directory, CAPTURE_NAME);
    char *log = run_directory_file(directory, "wire.toklog");
    const char *const words[] = { "tokrecord", "extract", "--quiet", "--server", server,
                                  "--output",  log,       file,      NULL };
    pid_t pid = spawn_tokrecord((char *const *)(uintptr_t)words);
    int status = pid > 0 && await_exit(pid) == 0
                     ? STATUS_OK
                     : fault_set(fault, STATUS_IO, "%s could not be extracted", file);
    free(file);
    free(log);
    return status;
}

int capture_process_finish(struct capture_process *capture, uint16_t port,
                           const char *directory, struct fault *fault)
{
    if (capture->pid == 0)
        return STATUS_OK;
    kill(capture->pid, SIGINT);
    int code = await_exit(capture->pid);
    capture->pid = 0;
    if (code != 0)
        return fault_set(fault, STATUS_IO, "the packet capture failed (exit code %d)",
                         code);
    return extract(port, directory, fault);
}

void capture_process_abandon(struct capture_process *capture, const char *directory)
{
    if (capture->pid == 0)
        return;
    kill(capture->pid, SIGINT);
    await_exit(capture->pid);
    capture->pid = 0;
    static const char *const names[] = { CAPTURE_NAME, SIDECAR_NAME };
    for (size_t at = 0; at < 2; at++) {
        char *file = run_directory_file(directory, names[at]);
        unlink(file);
        free(file);
    }
}
