/* Somebody asks all, one after the other, and others move meanwhile. */
mtype = { ask, yes };
chan line[3] = [1] of { mtype };
byte votes;

active [3] proctype Voter() {
	do
	:: line[_pid]?ask -> line[_pid]!yes
	od
}

active proctype Chair() {
	byte i;
	do
	:: i < 3 -> line[i]!ask; line[i]?yes; votes++; i++  /* breaks */
	:: else -> assert(votes == 3); votes = 0; i = 0
	od
}
