/* expect: incomplete; reason: syscall */
/* A system call by number could stop the whole process: it is not made. */
#include <assert.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    flockfile(stdout);
    assert(syscall(SYS_pause) == -1);
    funlockfile(stdout);
    return 0;
}
