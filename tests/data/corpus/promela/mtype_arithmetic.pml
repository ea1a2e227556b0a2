/* expect: holds; states: 8; transitions: 8 */
/* mtype constants in expressions, comparisons and array indices */
mtype = { low, mid, high };
byte a[4];
mtype m = low;
active proctype P()
{
	assert(low > mid && mid > high);
	a[m] = mid + high;
	m = a[low] - 1;
	assert(m == mid);
	if
	:: m != high -> a[high] = m * 2
	:: else
	fi
}
