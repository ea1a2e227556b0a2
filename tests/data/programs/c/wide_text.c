// expect: violated race
#include <pthread.h>
#include <wchar.h>

static wchar_t text[4];

static void *first(void *unused)
{
    wcscpy(text, L"ab");
    return unused;
}

static void *second(void *unused)
{
    if (wcslen(text) == 1)
        wcscpy(text, L"c");
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
