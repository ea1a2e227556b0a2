#define FAST 1

#if FAST
byte speed = 9;
active proctype runner() {
    speed++
}
