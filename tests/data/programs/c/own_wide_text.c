// expect: holds
#include <assert.h>
#include <getopt.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <wchar.h>

static void *work(void *unused)
{
    int exponent;
    double whole;
    unsigned seed = 1;
    wchar_t text[4], other[4];
    assert(frexp(8.0, &exponent) == 0.5 && exponent == 4);
    assert(modf(1.5, &whole) == 0.5 && whole == 1.0);
    assert(rand_r(&seed) >= 0 && seed != 1);
    wcscpy(text, L"ab");
    wcscat(text, L"c");
    assert(wcslen(text) == 3 && wcschr(text, L'c') == text + 2);
    wmemcpy(other, text, 4);
    assert(!wcscmp(other, text) && !wmemcmp(other, text, 4));
    wmemset(wmemmove(other + 1, other, 2), L'x', 1);
    assert(other[0] == L'a' && other[1] == L'x' && other[2] == L'b');
    wcsncpy(other, L"z", 4);
    assert(other[0] == L'z' && !other[3]);
    return unused;
}

int main(int count, char **words)
{
    while (getopt(count, words, "a:") != -1)
        ;
    assert(optind == 1);
    assert(lgamma(-0.5) > 1 && signgam == -1);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
