/* expect: violated assertion; why: the text that threads with numbers print into memory says in which order */
#include <isospin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *stream;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *given)
{
    long number = (long)given;
    pthread_mutex_lock(&lock);
    fprintf(stream, "%ld", number);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    char *text;
    size_t size;
    stream = open_memstream(&text, &size);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    fclose(stream);
    isospin_assert(strcmp(text, "10"));
    free(text);
    return 0;
}
