#include "bench/syncs.h"
#include <pawl/base.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_size_t syncs;

/* The ones that SQLite finds when it is linked with this program. */
PAWL_EXTERN int counted_fdatasync(int fd) __asm__("fdatasync");
PAWL_EXTERN int counted_fsync(int fd) __asm__("fsync");

int counted_fdatasync(int fd)
{
        syncs++;
        return (int)syscall(SYS_fdatasync, fd);
}

int counted_fsync(int fd)
{
        syncs++;
        return (int)syscall(SYS_fsync, fd);
}

size_t bench_syncs(void)
{
        return syncs;
}
