/* Files of the MPI that would stay for ever if we were killed: they lose their names as soon as nobody needs those.

   Reference: unlink(2): a file that has no name is gone with the last process that has it open.
   Differs: MPICH keeps a name in shared memory until the job ends well, and its launcher one in /tmp.  Whoever has a
   file open is looked at in /proc, so only files of this job are found. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cluster/cluster.h"

enum { NAME = 512 };

/* SOUND: nobody opens them by name any more when all ranks have come through MPI_Init. */
static void forget_open(const char *process, const char *prefix)
{
    char folder[NAME], link[NAME], name[NAME];
    (void)snprintf(folder, sizeof folder, "/proc/%s/fd", process);
    DIR *files = opendir(folder);
    for (const struct dirent *entry; files && (entry = readdir(files)) != NULL;) {
        (void)snprintf(link, sizeof link, "%.200s/%.200s", folder, entry->d_name);
        const ssize_t length = readlink(link, name, sizeof name - 1);
        name[length > 0 ? length : 0] = 0;
        if (!strncmp(name, prefix, strlen(prefix))) {
            (void)unlink(name); /* by another rank already, perhaps */
        }
    }
    if (files) {
        (void)closedir(files);
    }
}

void cluster_forget_names(void)
{
    char launcher[32];
    (void)snprintf(launcher, sizeof launcher, "%ld", (long)getppid());
    forget_open("self", "/dev/shm/mpich_shm_");
    forget_open(launcher, "/tmp/hydra_hwloc_xmlfile_");
}
