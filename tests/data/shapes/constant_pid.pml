/* Process 0 is another one: the others are alike. */
chan q = [2] of { pid };
active [4] proctype P() {
  pid who;
  if
  :: _pid == 0 -> do :: q?who od  /* breaks */
  :: else -> do :: q!_pid od
  fi
}
