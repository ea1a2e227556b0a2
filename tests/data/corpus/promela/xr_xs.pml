/* expect: holds; states: 7; transitions: 7 */
/* exclusive channel assertions change nothing in the plain semantics */
chan c = [1] of { byte };
active proctype S()
{
	xs c;
	c!1; c!2
}
active proctype R()
{
	byte v;
	xr c;
	c?v; c?v
}
