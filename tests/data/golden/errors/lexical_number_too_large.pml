int far = 3000000000;

active proctype walker() {
    far = 0
}
