/* expect: holds; states: 25; transitions: 25 */
/* for over a range; the value after the loop; a range that turns out empty */
byte s;
active proctype P()
{
	byte i;
	for (i : 1 .. 3) { s = s + i }
	assert(i == 4 && s == 6);
	for (i : s .. 4) { s = 100 }
	assert(i == 6 && s == 6);
	for (i : s .. s + 1) { skip }
}
