/* expect: holds; states: 16; transitions: 16 */
/* ?? takes the first message that matches, wherever it is */
chan c = [3] of { byte, byte };
byte v;
active proctype P()
{
	c!1, 10; c!2, 20; c!1, 30;
	if
	:: c??2, v -> assert(v == 20)
	:: c??1, v -> assert(v == 10)
	:: c??1, 30 -> v = 30
	:: c??3, v -> assert(false)
	fi;
	c?v, _
}
