/* Everybody notes whom it has told something: elements that only their places in the array tell apart. */
typedef Row { bool told[3] }
Row row[3];

active [3] proctype P() {
	do
	:: _pid != 0 && !row[_pid].told[0] -> row[_pid].told[0] = 1
	:: _pid != 1 && !row[_pid].told[1] -> row[_pid].told[1] = 1
	:: _pid != 2 && !row[_pid].told[2] -> row[_pid].told[2] = 1
	od
}
