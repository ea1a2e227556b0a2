byte balance;

active proctype bank() {
    balance = 10;
    balence = balance - 1
}
