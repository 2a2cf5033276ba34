#include "bench/write.h"
#include "bench/measure.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 1024 };

static int open_file(void)
{
        static const char zero[PAGE];
        int file = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

        for (int i = 0; i < PAGES; i++)
                if (write(file, zero, PAGE) != PAGE)
                        bench_die("cannot write");
        if (fsync(file) != 0)
                bench_die("cannot sync");
        return file;
}

double bench_write_ns(void)
{
        static int file = -1, page;
        static char bytes[PAGE];

        if (file < 0)
                file = open_file();
        memset(bytes, page & 0xff, sizeof bytes);
        double start = bench_now_ns();
        if (pwrite(file, bytes, PAGE, (off_t)(page++ % PAGES) * PAGE) != PAGE ||
                fdatasync(file) != 0)
                bench_die("cannot write");
        return bench_now_ns() - start;
}
