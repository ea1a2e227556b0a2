/* spin: states=5 transitions=5 errors=no */
/* else alone is always executable */
byte x;
active proctype P()
{
	if
	:: else -> x = 1
	fi;
	do
	:: else -> break
	od
}
