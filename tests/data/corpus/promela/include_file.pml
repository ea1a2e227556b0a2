/* expect: holds; states: 5; transitions: 5 */
/* declarations from an included file */
#include "include_file.inc"
active proctype P()
{
	INCLUDED_STEP(count);
	bump(count);
	assert(count == 2 + start)
}
