/* expect: violated assertion; line: 22 */
/* One of three requests is not answered. */
#include <assert.h>
#include <isospin.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    int to[2], from[2];
    char request, answer = 0;
    if (pipe(to) || pipe(from)) abort();
    if (fork() == 0) {
        close(to[1]), close(from[0]);
        if (read(to[0], &request, 1) != 1) abort();
        if (request != 2 && write(from[1], &request, 1) != 1) abort();
        exit(0);
    }
    close(to[0]), close(from[1]);
    request = (char)isospin_toss(3);
    if (write(to[1], &request, 1) != 1) abort();
    assert(read(from[0], &answer, 1) == 1 && answer == request);
}
