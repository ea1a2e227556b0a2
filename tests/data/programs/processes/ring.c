/* Processes in a ring, all of which do what the argument of their place says; made for random tests of permutations.
 *   a b        take my semaphore, that of the next       A B        give it back
 *   w o r      write one more than the last number to my cell; read mine, that of the next
 *   t T        toss how far the target is; toss which one it is
 *   c R g      write the target's cell, read it, give back its semaphore
 *   q Q        send the number to my queue; receive one from that of the target (without waiting)
 *   x y        the last number must not be 2, 1
 */
#include <isospin.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <unistd.h>

struct message {
    long type;
    int number;
};

static int set, queues[8], count;
static volatile char *cells;

static void change(int number, int amount)
{
    struct sembuf operation = {(unsigned short)number, (short)amount, 0};
    if (semop(set, &operation, 1)) abort();
}

static void run(int me, const char *script)
{
    int last = 0, next = (me + 1) % count, target = me;
    struct message message = {1, 0};
    for (; *script; script++) switch (*script) {
        case 'a': change(me, -1); break;
        case 'b': change(next, -1); break;
        case 'A': change(me, 1); break;
        case 'B': change(next, 1); break;
        case 'w': cells[me] = (char)(last + 1); break;
        case 'o': last = cells[me]; break;
        case 'r': last = cells[next]; break;
        case 't': target = (me + VS_toss(count - 1)) % count; break;
        case 'T': target = VS_toss(count - 1); break;
        case 'c': cells[target] = (char)(last + 1); break;
        case 'R': last = cells[target]; break;
        case 'g': change(target, 1); break;
        case 'q': message.number = last; if (msgsnd(queues[me], &message, sizeof last, 0)) abort(); break;
        case 'Q':
            if (msgrcv(queues[target], &message, sizeof last, 0, IPC_NOWAIT) > 0) last = message.number + 1;
            break;
        case 'x': VS_assert(last != 2); break;
        case 'y': VS_assert(last != 1); break;
        default: abort();
    }
    _exit(0);
}

int main(int arguments, char **scripts)
{
    count = arguments - 1;
    set = semget(IPC_PRIVATE, count, 0600);
    for (int i = 0; i < count; i++) semctl(set, i, SETVAL, 1), queues[i] = msgget(IPC_PRIVATE, 0600);
    cells = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 1; i < count; i++)
        if (fork() == 0) run(i, scripts[i + 1]);
    run(0, scripts[1]);
}
