/* expect: violated deadlock; line: 18 */
/* The sender does not wait for room, and does not look: with a slow receiver a message is lost, and the receiver waits for ever. */
#include <fcntl.h>
#include <mqueue.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    struct mq_attr small = {.mq_maxmsg = 1, .mq_msgsize = 8};
    mqd_t queue = mq_open("/isospin-test", O_RDWR | O_CREAT | O_NONBLOCK, 0600, &small);
    if (queue == (mqd_t)-1) abort();
    if (fork() == 0) {
        char message[8];
        mqd_t mine = mq_open("/isospin-test", O_RDONLY);
        for (int i = 0; i < 2; i++)
            if (mq_receive(mine, message, sizeof message, NULL) < 0) abort();
        exit(0);
    }
    for (char i = 0; i < 2; i++) mq_send(queue, &i, 1, 0);
    wait(NULL);
    mq_unlink("/isospin-test");
}
