/* expect: holds; states: 43; transitions: 51 */
/* set_priority and get_priority */
byte x, p;
active [2] proctype P()
{
	x++;
	p = get_priority(_pid);
	set_priority(_pid, 3 - _pid);
	p = get_priority(_pid);
	x++
}
