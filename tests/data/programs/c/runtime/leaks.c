/* expect: violated leak; runtime: leaks=1 */
#include <stdlib.h>

static struct node { struct node *next; } *head;

int main(void) {
    for (int i = 0; i < 2; i++) {
        struct node *node = malloc(sizeof *node);
        node->next = head;
        head = node;
    }
    head = head->next;
    return 0;
}
