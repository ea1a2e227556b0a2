active proctype greeter() {
    printf("hello);
    skip
}
