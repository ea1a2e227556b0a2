/* expect: violated crash */
static int zero;

int main(void) {
    return 7 % zero;
}
