mtype:fruit = { apple, pear };
mtype:colour = { red, green };
mtype:fruit f = apple;

active proctype worker() {
    f = red
}
