/* expect: violated assertion; line: 25 */
/* System V: who asks for any message may get either. */
#include <assert.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <unistd.h>

struct message {
    long type;
    char text[8];
};

int main(void)
{
    int queue = msgget(IPC_PRIVATE, 0600);
    for (long type = 1; type <= 2; type++)
        if (fork() == 0) {
            struct message mine = {type, "text"};
            if (msgsnd(queue, &mine, sizeof mine.text, 0)) abort();
            exit(0);
        }
    struct message any;
    if (msgrcv(queue, &any, sizeof any.text, 0, 0) != sizeof any.text) abort();
    assert(any.type == 1);
}
