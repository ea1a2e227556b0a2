/* expect: holds; states: 4; transitions: 4 */
/* conditional compilation, undef, continued lines */
#define A 1
#define B (A + 1)
#ifdef A
byte x = B;
#else
byte x = 200;
#endif
#if B > 1 && !defined(C)
byte y = 7;
#elif defined(C)
byte y = 8;
#endif
#undef A
#ifndef A
#define SUM(p, q) \
	((p) + \
	 (q))
#endif
active proctype P() { x = SUM(x + 0, 1); y = x }
#if 0
this is no Promela
#endif
#define A 2
