#include "parsers/pdftotext.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    READ_BYTES = 64 << 10,
    MAX_COMPLAINT_BYTES = 4096,
    EXIT_NOT_ALLOWED = 3,
    EXIT_NO_START = 126
};

/* Never the caller's PATH. */
static const char *program(void)
{
    static const char *const places[] = {"/usr/bin/pdftotext", "/usr/local/bin/pdftotext"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

static int memory_file(str bytes)
{
    int fd = memfd_create("engram-pdf", MFD_CLOEXEC);
    for (size_t at = 0; fd >= 0 && at < bytes.len;) {
        ssize_t n = write(fd, bytes.at + at, bytes.len - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            close(fd);
            return -1;
        }
        at += (size_t)n;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

/* ---- the child ---- */

static bool limit(int resource, rlim_t most)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0)
        return false;
    rlim_t bound = now.rlim_max == RLIM_INFINITY || most < now.rlim_max ? most : now.rlim_max;
    return setrlimit(resource, &(struct rlimit){bound, bound}) == 0;
}

/* Between fork and exec. */
_Noreturn static void become_pdftotext(const char *path, int in, int out, int complaints, int pages,
                                       pid_t parent)
{
    char last[16];
    snprintf(last, sizeof last, "%d", pages);
    char *arguments[] = {"pdftotext", "-enc", "UTF-8",      "-eol", "unix",
                         "-l",        last,   "/dev/stdin", "-",    NULL};
    char *environment[] = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", NULL};
    bool ok = prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
              prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && dup2(in, STDIN_FILENO) >= 0 &&
              dup2(out, STDOUT_FILENO) >= 0 && dup2(complaints, STDERR_FILENO) >= 0 &&
              close_range(STDERR_FILENO + 1, ~0U, 0) == 0 && chdir("/") == 0 &&
              limit(RLIMIT_CPU, MAX_PDFTOTEXT_CPU_SECONDS) && limit(RLIMIT_CORE, 0) &&
              limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_AS, (rlim_t)MAX_PDFTOTEXT_MIB << 20);
    if (ok)
        execve(path, arguments, environment);
    _exit(EXIT_NO_START);
}

/* ---- its parent ---- */

/* What fits goes to *out. false: it has ended. */
static bool take(int fd, struct buf *out)
{
    char bytes[READ_BYTES];
    ssize_t n = read(fd, bytes, sizeof bytes);
    if (n > 0)
        buf_add(out, str_from(bytes, (size_t)n));
    return n > 0 || (n < 0 && errno == EINTR);
}

/* Until both have ended, or there is more text than is wanted. */
static void listen_to(pid_t child, int text, int complaints, struct buf *out, struct buf *said)
{
    struct pollfd fds[] = {{.fd = text, .events = POLLIN}, {.fd = complaints, .events = POLLIN}};
    struct buf *to[] = {out, said};
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            break;
        for (int i = 0; i < 2; i++)
            if (fds[i].fd >= 0 && fds[i].revents && !take(fds[i].fd, to[i]))
                fds[i].fd = -1; /* poll passes it by */
        if (out->overflow)
            break;
    }
    if (fds[0].fd >= 0 || fds[1].fd >= 0)
        kill(child, SIGKILL);
}

static bool judge(int status, const struct buf *out, str said, struct err *e)
{
    if (out->overflow || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return true;
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
        return fail(e, ERR_LIMIT, "reading it takes more than %d s; attach it in parts",
                    MAX_PDFTOTEXT_CPU_SECONDS);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_START)
        return fail(e, ERR_IO, "pdftotext can't be started");
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_ALLOWED)
        return fail(e, ERR_INPUT, "its owner doesn't allow to copy its text");
    if (str_find(said, S("Incorrect password"), 0) < said.len)
        return fail(e, ERR_INPUT, "it is encrypted; remove the password first");
    return fail(e, ERR_INPUT, "it can't be read as PDF: damaged or cut off");
}

static bool run(const char *path, int in, int pages, struct buf *out, struct err *e)
{
    int text[2], complaints[2];
    if (pipe2(text, O_CLOEXEC) != 0)
        return fail(e, ERR_IO, "starting pdftotext: %s", strerror(errno));
    if (pipe2(complaints, O_CLOEXEC) != 0) {
        close(text[0]);
        close(text[1]);
        return fail(e, ERR_IO, "starting pdftotext: %s", strerror(errno));
    }
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        become_pdftotext(path, in, text[1], complaints[1], pages, parent);
    close(text[1]);
    close(complaints[1]);
    struct buf said = {.max_bytes = MAX_COMPLAINT_BYTES};
    bool ok = child > 0 || fail(e, ERR_IO, "starting pdftotext: %s", strerror(errno));
    if (ok) {
        int status = 0;
        listen_to(child, text[0], complaints[0], out, &said);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        ok = judge(status, out, buf_str(&said), e);
    }
    buf_free(&said);
    close(text[0]);
    close(complaints[0]);
    return ok;
}

bool pdftotext_run(str pdf, int pages, struct buf *out, struct err *e)
{
    const char *path = program();
    if (!path)
        return fail(e, ERR_INPUT, "PDF needs pdftotext; install poppler-utils");
    int in = memory_file(pdf);
    if (in < 0)
        return fail(e, ERR_IO, "keeping the PDF: %s", strerror(errno));
    bool ok = run(path, in, pages, out, e);
    close(in);
    return ok;
}
