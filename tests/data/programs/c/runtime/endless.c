/* expect: violated divergence; runtime: seconds=0 */
/* No access that the compiler tells: found by a clock. */
int main(void) {
    int i = 0;
    for (;;)
        i++;
}
