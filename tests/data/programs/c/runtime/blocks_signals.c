/* expect: incomplete; reason: has blocked some */
#include <signal.h>
#include <stddef.h>

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    signal(SIGUSR1, SIG_IGN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    return 0;
}
