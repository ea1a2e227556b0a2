/* expect: incomplete; reason: tsearch at; why: what tsearch does to the tree is not seen, and two threads call it */
#include <pthread.h>
#include <search.h>
#include <assert.h>
static void *root;
static int keys[2] = {1, 2};
static int compare(const void *a, const void *b) { return (a > b) - (a < b); }
static void *insert(void *key) { tsearch(key, &root, compare); return 0; }
static int count;
static void visit(const void *n, VISIT v, int d) { (void)n,(void)d; if (v == leaf || v == postorder) count++; }
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, insert, &keys[i]);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    twalk(root, visit);
    assert(count == 2);
}
