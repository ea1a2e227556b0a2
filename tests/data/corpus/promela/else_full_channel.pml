/* expect: holds; states: 10; transitions: 13 */
/* else beside a send to a channel that may be full, and beside timeout */
chan c = [1] of { byte };
byte lost;
active [2] proctype P() { if :: c!1 :: else -> lost++ fi }
