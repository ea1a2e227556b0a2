/* expect: holds; executions: 1; why: nobody knows what hcreate and twalk do, but they run while no other thread does */
#include <assert.h>
#include <pthread.h>
#include <search.h>

static void *root;
static int keys[2], count;

static int compare(const void *a, const void *b) { return (a > b) - (a < b); }

static void *touch(void *key)
{
    ++*(int *)key;
    return 0;
}

static void visit(const void *node, VISIT when, int depth)
{
    (void)node, (void)depth;
    count += when == leaf || when == postorder;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        tsearch(&keys[i], &root, compare);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, touch, &keys[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    twalk(root, visit);
    assert(count == 2 && keys[0] == 1 && keys[1] == 1);
}
