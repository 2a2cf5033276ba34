#include "support/scratch.h"
#include "support/test.h"
#include <unistd.h>

static char *folder;

static void remove_it(void)
{
        folder_remove(folder);
        folder = NULL;
}

const char *scratch_folder(void)
{
        static const char in_memory[] = "/dev/shm/pawl-scratch-XXXXXX";

        if (folder)
                return folder;
        if (access("/dev/shm", W_OK) == 0)
                folder = mkdtemp(strdup(in_memory));
        else
                folder = folder_make();
        if (!folder || atexit(remove_it) != 0)
                abort();
        return folder;
}

void scratch_write(const char *path, const void *data, size_t len)
{
        FILE *file = fopen(path, "wb");

        if (!file || fwrite(data, 1, len, file) != len || fclose(file) != 0)
                abort();
}
