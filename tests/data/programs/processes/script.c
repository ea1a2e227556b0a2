/* A process for each argument, which says what it does: made for random tests, so that one program is many.
 *   0 1        take the semaphore                    2 3        give it back
 *   4          take both at once                     5          wait until the first one is 0
 *   r R        read shared cell 0, 1                 w W        write one more than the last number to cell 0, 1
 *   i          read the cell that the last number names
 *   s c        send the last number; receive one (c waits, C does not)
 *   + -        post and take a POSIX semaphore (- does not wait)
 *   x          add to cell 0 in one step             t          toss a number below 2
 *   a A        the last number must not be 1, 2      p          write the number to a pipe, q read one from it
 *   e          end with the number, and f waits for a child (main only)
 */
#include <assert.h>
#include <isospin.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

struct message {
    long type;
    int number;
};

struct shared {
    sem_t semaphore;
    int cells[2];
    atomic_int counter;
};

static int set, queue, ends[2];
static struct shared *shared;

static void change(int number, int amount)
{
    struct sembuf operation = {(unsigned short)number, (short)amount, 0};
    if (semop(set, &operation, 1)) abort();
}

static int receive(int flags, int last)
{
    struct message message;
    return msgrcv(queue, &message, sizeof message.number, 0, flags) < 0 ? last : message.number;
}

static void send_number(int number)
{
    struct message message = {1, number};
    if (msgsnd(queue, &message, sizeof message.number, 0)) abort();
}

static int run(const char *script)
{
    int last = 0, status = 0;
    struct sembuf both[2] = {{0, -1, 0}, {1, -1, 0}};
    for (; *script; script++) switch (*script) {
        case '0': case '1': change(*script - '0', -1); break;
        case '2': case '3': change(*script - '2', 1); break;
        case '4': if (semop(set, both, 2)) abort(); break;
        case '5': change(0, 0); break;
        case 'r': last = shared->cells[0]; break;
        case 'R': last = shared->cells[1]; break;
        case 'i': last = shared->cells[last & 1]; break;
        case 'w': shared->cells[0] = last + 1; break;
        case 'W': shared->cells[1] = last + 1; break;
        case 's': send_number(last); break;
        case 'c': last = receive(0, last); break;
        case 'C': last = receive(IPC_NOWAIT, last); break;
        case '+': sem_post(&shared->semaphore); break;
        case '-': last = sem_trywait(&shared->semaphore) ? last : 2; break;
        case 'x': last = atomic_fetch_add(&shared->counter, 1); break;
        case 't': last = isospin_toss(2); break;
        case 'p': if (write(ends[1], &last, sizeof last) != sizeof last) abort(); break;
        case 'q': if (read(ends[0], &last, sizeof last) != sizeof last) last = 2; break;
        case 'a': assert(last != 1); break;
        case 'A': assert(last != 2); break;
        case 'e': return last;
        case 'f': if (wait(&status) > 0) last = WEXITSTATUS(status); break;
        default: abort();
    }
    return 0;
}

int main(int count, char **arguments)
{
    unsigned short values[2] = {1, 1};
    set = semget(IPC_PRIVATE, 2, 0600);
    semctl(set, 0, SETALL, values);
    queue = msgget(IPC_PRIVATE, 0600);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(&shared->semaphore, 1, 0);
    if (arguments[1][0] == '|' && pipe(ends)) abort();
    for (int i = 2; i < count; i++)
        if (fork() == 0) _exit(run(arguments[i]));
    _exit(run(arguments[1] + (arguments[1][0] == '|')));
}
