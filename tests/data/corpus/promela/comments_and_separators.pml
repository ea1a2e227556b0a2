/* expect: holds; states: 46; transitions: 74 */
/* comments everywhere, doubled separators, arrows as separators, none after braces */
byte x /* , y */ ;
// a line comment
active proctype P ( ) {
	x = 1 -> x = 2 ;; x++ ;
	{ x++ ; }
	if /* first */ :: x == 4 -> x = 5 ; :: else -> skip ; fi
	do :: x < 7 ; x++ ; // next
	:: x == 7 -> break ; od
	atomic { x++ ; } d_step { x++ ; }
	x = 0 ;
} ;
active proctype Q() { skip ; } ;
