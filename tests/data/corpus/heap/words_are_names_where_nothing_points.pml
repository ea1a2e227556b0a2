/* expect: holds */
byte new, delete, null = 2;
active proctype P() {
    new = delete + null;
    delete = new;
    assert(delete == 2)
}
