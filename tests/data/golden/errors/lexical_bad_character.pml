byte cost;

active proctype shop() {
    cost = $5
}
