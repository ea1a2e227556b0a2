/* expect: holds; why: SPIN counts 7 states for two such processes, the orbits make up 9 when nobody leaves */
active [2] proctype worker() { skip; skip }
