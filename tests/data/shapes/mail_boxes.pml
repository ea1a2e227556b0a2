/* Everybody may write to everybody, through channels that are picked by number. */
chan box[3] = [1] of { pid };
active [3] proctype User() {
  pid from;
  do
  :: if :: box[0]!_pid :: box[1]!_pid :: box[2]!_pid fi
  :: box[_pid]?from
  od
}
