/* expect: incomplete; reason: in two ways while it is mapped */
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int count, char **words) {
    int file = open(words[2], O_RDWR);
    char *text = mmap(NULL, 4, PROT_READ, MAP_PRIVATE, file, 0);
    assert(pwrite(file, "n", 1, 0) == 1);
    return text[0] == 0;
}
