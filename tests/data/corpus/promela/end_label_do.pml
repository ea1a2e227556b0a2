/* expect: holds; states: 19; transitions: 25 */
/* end label before a do */
chan c = [0] of { byte };
byte n;
active proctype Server()
{
	byte v;
end_server:
	do
	:: c?v -> n = n + v
	od
}
active [2] proctype Client() { c!_pid }
