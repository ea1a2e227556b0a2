/* expect: holds */
/* System V: who asks for a type gets it, whatever came first. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/wait.h>
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
            struct message mine = {type, "number"};
            mine.text[6] = (char)('0' + type);
            if (msgsnd(queue, &mine, sizeof mine.text, 0)) abort();
            exit(0);
        }
    struct message second, first;
    if (msgrcv(queue, &second, sizeof second.text, 2, 0) != sizeof second.text) abort();
    if (msgrcv(queue, &first, sizeof first.text, -5, 0) != sizeof first.text) abort();
    assert(strcmp(second.text, "number2") == 0 && strcmp(first.text, "number1") == 0 && first.type == 1);
    while (wait(NULL) > 0) {}
    msgctl(queue, IPC_RMID, NULL);
}
