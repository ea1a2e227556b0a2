mtype:colour = { red, green };
mtype:color light = red;

active proctype worker() {
    light = green
}
