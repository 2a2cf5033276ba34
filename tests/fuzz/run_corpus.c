/*
 * A fuzz target without a fuzzer: run_corpus FOLDER gives every file of the directory to the
 * target, in the order of their names, and then beginnings and small changes of it.
 */
#include "support/test.h"
#include <dirent.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In memory of its own, so that a sanitizer sees a byte read beyond it. */
static void feed(const char *data, size_t len)
{
        uint8_t *copy = malloc(len ? len : 1);

        if (!copy)
                abort();
        memcpy(copy, data, len);
        LLVMFuzzerTestOneInput(copy, len);
        free(copy);
}

static void feed_changed(char *data, size_t len)
{
        const size_t step = len / 64 + 1; /* a large file is no slower than a small one */

        for (size_t i = 0; i < len; i += step) {
                const char was = data[i];
                feed(data, i);
                data[i] = (char)(was ^ 1 << i / step % 8);
                feed(data, len);
                data[i] = was;
        }
}

static int is_file(const struct dirent *entry)
{
        return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
        struct dirent **entries;
        const int n = argc == 2 ? scandir(argv[1], &entries, is_file, alphasort) : 0;

        if (n <= 0) {
                fprintf(stderr, "usage: %s FOLDER, with files in it\n", argv[0]);
                return 2;
        }
        for (int i = 0; i < n; i++) {
                char *path = path_in(argv[1], entries[i]->d_name);
                size_t len;
                char *data = file_read(path, &len);

                feed(data, len);
                feed_changed(data, len);
                free(entries[i]);
        }
        free(entries);
        printf("%d files\n", n);
        return 0;
}
