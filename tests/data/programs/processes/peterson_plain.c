/* expect: incomplete; reason: peterson_plain.c */
/* Peterson's algorithm without atomics: right in every interleaving, and wrong on processors that delay stores. */
#include <assert.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    volatile int wants[2], turn, inside;
};

static void enter(struct shared *s, int me)
{
    s->wants[me] = 1;
    s->turn = 1 - me;
    for (int tries = 0; s->wants[1 - me] && s->turn == 1 - me; tries++)
        if (tries == 1) return;
    s->inside++;
    assert(s->inside == 1);
    s->inside--;
    s->wants[me] = 0;
}

int main(void)
{
    struct shared *s = mmap(0, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        enter(s, 0);
        _exit(0);
    }
    enter(s, 1);
    wait(0);
    return 0;
}
