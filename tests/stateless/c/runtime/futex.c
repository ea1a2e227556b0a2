/* expect: holds */
/* incomplete: syscall */
/* A system call by number could stop the whole process: it is not made. */
#include <assert.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    int word = 0;
    flockfile(stdout);
    assert(syscall(SYS_futex, &word, 0, 0, NULL) == -1);
    funlockfile(stdout);
    return 0;
}
