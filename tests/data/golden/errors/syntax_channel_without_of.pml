chan link = [2] { byte };

active proctype sender() {
    link ! 1
}
