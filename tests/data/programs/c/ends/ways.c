/* Ways in which a program can get out of hand: ways NAME. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static const char *way;

static int is(const char *name)
{
    return strcmp(way, name) == 0;
}

static void loop(void)
{
    for (;;)
        ;
}

static void stop_without_us(void)
{
    __asm__ volatile("syscall" : : "a"(62 /* kill */), "D"(getpid()), "S"(SIGSTOP) : "rcx", "r11", "memory");
}

static void signals(void)
{
    if (is("raises SIGSTOP"))
        raise(SIGSTOP);
    else if (is("kills itself"))
        kill(getpid(), SIGKILL);
    else if (is("kills its group"))
        kill(0, SIGKILL);
    else if (is("raises SIGTERM"))
        raise(SIGTERM);
    else if (is("kills another"))
        kill(1, SIGKILL);
    else if (is("stops"))
        stop_without_us();
}

static void processes(void)
{
    if (is("execl"))
        execl("/bin/sleep", "sleep", "100", (char *)NULL);
    else if (is("system"))
        system("sleep 100");
    else if (is("daemon"))
        daemon(0, 0);
    else if (is("closes"))
        closefrom(3);
    else if (is("writes everywhere"))
        for (int i = 3; i < 20; i++)
            dprintf(i, "{\"kind\": \"result\"}\n");
}

static void *work(void *unused)
{
    if (is("loops"))
        loop();
    else if (is("prints"))
        for (;;)
            puts("again and again");
    else if (is("exits"))
        _exit(0);
    else
        signals(), processes();
    return unused;
}

int main(int count, char **words)
{
    pthread_t thread[2];
    way = count > 1 ? words[1] : "";
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
}
