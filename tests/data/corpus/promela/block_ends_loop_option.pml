/* expect: holds; states: 33; transitions: 49 */
/* a block at the end of an option of do in an atomic sequence, with a break in it */
byte c;
active [2] proctype P()
{
	atomic { do :: c < 2 -> { c++ } :: c >= 2 -> { c = 0; break } od }
	c++;
	assert(c < 3)
}
