typedef Message {
    byte sender;
    byte value
}

Message last;

active proctype worker() {
    last.sendr = 1
}
