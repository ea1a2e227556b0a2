active proctype A() { B[1]@nolabel }
active proctype B() { skip }
