#include "support/scratch.h"
#include "support/test.h"
#include <unistd.h>

static char *directory;

static void remove_it(void)
{
        directory_remove(directory);
        directory = NULL;
}

const char *scratch_directory(void)
{
        static const char in_memory[] = "/dev/shm/pawl-scratch-XXXXXX";

        if (directory)
                return directory;
        if (access("/dev/shm", W_OK) == 0)
                directory = mkdtemp(strdup(in_memory));
        else
                directory = directory_make();
        if (!directory || atexit(remove_it) != 0)
                abort();
        return directory;
}

void scratch_write(const char *path, const void *data, size_t len)
{
        FILE *file = fopen(path, "wb");

        if (!file || fwrite(data, 1, len, file) != len || fclose(file) != 0)
                abort();
}
