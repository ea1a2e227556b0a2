/* The server: one copy of the program stands before its beginning, and forks a fresh process whenever one is wanted. */
#define _GNU_SOURCE
#include "runtime.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int isospin_user_main(int argc, char **argv, char **environment);

static void end(int status, void *unused)
{
    (void)unused;
    ends((status & 0xff) << 8);
}

/* The two descriptors of the next process that is wanted: its channel and its output; false: no more. */
static bool wanted(int server, int descriptors[2])
{
    char byte, room[CMSG_SPACE(2 * sizeof(int))];
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    long got;
    do
        got = recvmsg(server, &message, 0);
    while (got < 0 && errno == EINTR);
    struct cmsghdr *control = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!control || control->cmsg_type != SCM_RIGHTS)
        return false;
    memcpy(descriptors, CMSG_DATA(control), 2 * sizeof(int));
    return true;
}

static void begin(int server, int descriptors[2])
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(descriptors[0], CHANNEL);
    dup2(descriptors[1], 1);
    dup2(descriptors[1], 2);
    close(descriptors[0]), close(descriptors[1]), close(server);
    memory_start();
    fault_start();
    on_exit(end, NULL); /* the first to be registered is the last to be called */
    watch_time();
}

static void serve(int server)
{
    int descriptors[2];
    handle(SIGCHLD, NULL); /* nobody waits for them */
    while (wanted(server, descriptors)) {
        if (syscall(SYS_fork) == 0) {
            begin(server, descriptors);
            return;
        }
        syscall(SYS_close, descriptors[0]), syscall(SYS_close, descriptors[1]);
    }
    _Exit(0);
}

/* Addresses that differ from run to run would make a program that looks at them behave differently. */
static void without_randomness(void)
{
    char *arguments[64], buffer[1 << 16];
    int set = personality(0xffffffff);
    if (set < 0 || set & ADDR_NO_RANDOMIZE || personality((unsigned long)set | ADDR_NO_RANDOMIZE) < 0)
        return;
    int file = open("/proc/self/cmdline", O_RDONLY);
    long size = file < 0 ? 0 : syscall(SYS_read, file, buffer, sizeof buffer - 1);
    int count = 0;
    for (long at = 0; at < size && count < 63; at += (long)strlen(buffer + at) + 1)
        arguments[count++] = buffer + at;
    arguments[count] = NULL;
    if (file >= 0)
        syscall(SYS_close, file);
    if (count && size < (long)sizeof buffer - 1)
        syscall(SYS_execve, "/proc/self/exe", arguments, environ);
}

__attribute__((constructor)) static void start(void)
{
    const char *server = getenv("ISOSPIN_PROCESSES"), *seconds = getenv("ISOSPIN_SECONDS");
    if (!server) {
        fputs("this program was built to be checked; run it with `isospin check`\n", stderr);
        syscall(SYS_exit_group, 2);
    }
    without_randomness();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever asked is gone */
    if (seconds)
        cpu_seconds = strtoul(seconds, NULL, 10);
    find_program();
    int number = atoi(server);
    unsetenv("ISOSPIN_PROCESSES"), unsetenv("ISOSPIN_SECONDS");
    serve(number);
}

EXPORT int main(int argc, char **argv, char **environment) { return isospin_user_main(argc, argv, environment); }
