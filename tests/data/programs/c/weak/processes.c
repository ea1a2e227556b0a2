/* Store buffering in shared memory of two processes: processes ORDER. */
#include <assert.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared { atomic_int x, y, seen; };

int main(int count, char **words)
{
    struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memory_order order = count > 1 && !strcmp(words[1], "relaxed") ? memory_order_relaxed : memory_order_seq_cst;
    atomic_store_explicit(&s->seen, 0, memory_order_relaxed); /* alone */
    if (fork() == 0) {
        atomic_store_explicit(&s->x, 1, order);
        if (atomic_load_explicit(&s->y, order))
            atomic_fetch_add(&s->seen, 1);
        _exit(0);
    }
    atomic_store_explicit(&s->y, 1, order);
    if (atomic_load_explicit(&s->x, order))
        atomic_fetch_add(&s->seen, 1);
    wait(NULL);
    assert(atomic_load_explicit(&s->seen, memory_order_relaxed) > 0); /* alone again */
}
