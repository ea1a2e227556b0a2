/* N threads take blocks for their inodes: 1, 2, 8, 32, 128 traces for N = 13, 14, 16, 18, 20.
   Flanagan, Godefroid, POPL 2005. */
#include <pthread.h>

#ifndef N
#define N 13
#endif
enum { BLOCKS = 26, INODES = 32 };

static pthread_mutex_t locki[INODES], lockb[BLOCKS];
static int inode[INODES], busy[BLOCKS];

static void take_block(int i)
{
    int b = i * 2 % BLOCKS, taken = 0;
    while (!taken) {
        pthread_mutex_lock(&lockb[b]);
        if (!busy[b]) {
            busy[b] = 1;
            inode[i] = b + 1;
            taken = 1;
        }
        pthread_mutex_unlock(&lockb[b]);
        b = (b + 1) % BLOCKS;
    }
}

static void *run(void *argument)
{
    int i = (int)(long)argument % INODES;
    pthread_mutex_lock(&locki[i]);
    if (inode[i] == 0)
        take_block(i);
    pthread_mutex_unlock(&locki[i]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < INODES; i++)
        pthread_mutex_init(&locki[i], NULL);
    for (int i = 0; i < BLOCKS; i++)
        pthread_mutex_init(&lockb[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
