/* spin: states=5 transitions=5 errors=no */
/* declarations from an included file */
#include "include_file.inc"
active proctype P()
{
	INCLUDED_STEP(count);
	bump(count);
	assert(count == 2 + start)
}
