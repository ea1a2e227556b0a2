/* expect: holds; states: 38; transitions: 57 */
/* eval turns a variable into a pattern; the pattern is not cut to the type of the field */
chan c = [2] of { byte, byte };
byte k, v;
active proctype S() { c!0, 10; c!1, 11; c!2, 12; c!0, 13 }
active proctype R()
{
	do
	:: c?eval(k), v -> assert(v == 10 + k || v == 13); k++; if :: k == 3 -> break :: else fi
	:: c?eval(k + 256), _ -> assert(false)
	od
}
