chan link;

active proctype sender() {
    link ! 1
}
