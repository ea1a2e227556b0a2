/* expect: holds; states: 26; transitions: 40 */
/* an expression as a statement waits until it is not zero, negative values included */
int n = -2;
byte done;
active proctype W()
{
	n;
	n + 1;
	done = 1;
	n - 5
}
active proctype V() { n++; n++; n = 6 }
