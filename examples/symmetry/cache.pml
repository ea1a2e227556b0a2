/* Caches with data: the memory and every cache hold a value of the scalarset Data, and a cache writes only where no other has
   a copy; a read must give what was written last.  Symmetric in the caches and in the data: read it with SPIN by `spin -DSPIN -a cache.pml`. */
#ifndef N
#define N 2
#endif
#ifdef SPIN
#define Data byte
#define undefined 0
#define ANY(v) select (v : 1 .. 2)
#else
scalarset(2) Data;
#define ANY(v) select (v : Data)
#endif
Data memory, latest;
Data line[N];          /* undefined: the cache does not have it */

active [N] proctype cache()
{
    Data new;
    do
    :: atomic { line[_pid] == undefined && memory != undefined -> line[_pid] = memory }
    :: atomic { line[_pid] != undefined -> line[_pid] = undefined }
    :: line[_pid] != undefined -> assert(line[_pid] == undefined || line[_pid] == latest)
    :: ANY(new);
       if
       :: atomic {                /* nobody else has a copy */
              ((_pid == 0 || line[0] == undefined) && (_pid == 1 || line[1] == undefined)
#if N > 2
              && (_pid == 2 || line[2] == undefined)
#endif
              ) -> line[_pid] = new; memory = new; latest = new; new = undefined
          }
       :: new = undefined         /* give up */
       fi
    od
}
