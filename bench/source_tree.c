#include "bench/source_tree.h"
#include "base/text.h"
#include <errno.h>
#include <sys/stat.h>

enum { A_FOLDER = 20, WORDS = 6000, LINE = 60 };

static uint64_t next_random(uint64_t *seed)
{
        *seed = *seed * 6364136223846793005U + 1442695040888963407U;
        return *seed >> 24;
}

static void check(pawl_status status)
{
        if (status)
                bench_die("out of memory");
}

/* Words that come the more often the earlier they are, four letters and more. */
static void add_word(pawl__buf *out, uint64_t *seed)
{
        const uint64_t draw = next_random(seed);
        uint64_t word = draw % WORDS * ((draw >> 13) % WORDS) / WORDS;
        word = word * ((draw >> 26) % 256) / 256;
        uint64_t letters = (word + 1) * 2654435761U;
        const size_t len = 3 + letters % 7;
        char text[12];

        for (size_t i = 0; i < len; i++, letters = letters * 31 + 7)
                text[i] = "etaoinsrhldcumfpgwybvk"[(letters >> 8) % 22];
        check(pawl__buf_add(out, text, len));
}

static void add_line(pawl__buf *out, uint64_t *seed)
{
        const size_t start = out->len, indent = next_random(seed) % 4 * 8;

        for (size_t i = 0; i < indent; i++)
                check(pawl__buf_addc(out, ' '));
        while (out->len - start < LINE) {
                add_word(out, seed);
                check(pawl__buf_addc(out, " (,)=.>;"[next_random(seed) % 8]));
                if (next_random(seed) % 8 == 0)
                        check(pawl__buf_addf(out, "%u", (unsigned)(next_random(seed) % 10000)));
        }
        check(pawl__buf_addc(out, '\n'));
}

static void path_of(char *out, size_t len, const char *path, size_t file)
{
        snprintf(out, len, "%s/part%02zu/module%03zu/file-%05zu.%s", path, file / A_FOLDER / 25,
                file / A_FOLDER, file, file % 10 ? "c" : "bin");
}

static void make_folder(const char *path)
{
        if (mkdir(path, 0755) != 0 && errno != EEXIST)
                bench_die("cannot make a folder");
}

/* Those between the tree's own and the file. */
static void make_folders(const char *path, char *file)
{
        for (char *at = file + strlen(path) + 1; (at = strchr(at, '/')); at++) {
                *at = '\0';
                make_folder(file);
                *at = '/';
        }
}

static void write_file(const char *path, const pawl__buf *content)
{
        FILE *file = fopen(path, "wb");

        if (!file || fwrite(content->data, 1, content->len, file) != content->len ||
                fclose(file) != 0)
                bench_die("cannot write a file");
}

/* Most have some kB, one in fifty half a MB. */
static size_t size_of(uint64_t *seed)
{
        const uint64_t draw = next_random(seed);

        return draw % 50 ? 500 + (size_t)(draw >> 8) % 20000
                         : 200000 + (size_t)(draw >> 8) % 600000;
}

uint64_t source_tree_make(const char *path, size_t files)
{
        pawl__buf content = PAWL__BUF_INIT;
        uint64_t bytes = 0;
        char name[512];

        make_folder(path);
        for (size_t i = 0; i < files; i++) {
                uint64_t seed = i + 1;
                const size_t size = size_of(&seed);
                path_of(name, sizeof name, path, i);
                if (i % A_FOLDER == 0)
                        make_folders(path, name);
                pawl__buf_clear(&content);
                while (content.len < size)
                        if (i % 10)
                                add_line(&content, &seed);
                        else
                                check(pawl__buf_addc(&content, (char)next_random(&seed)));
                write_file(name, &content);
                bytes += content.len;
        }
        pawl__buf_free(&content);
        return bytes;
}

void source_tree_change(const char *path, size_t files, size_t n, size_t round)
{
        char name[512], line[64];

        for (size_t i = 0; i < n; i++) {
                path_of(name, sizeof name, path, (round * 7919 + i * (files / n) + 1) % files);
                FILE *file = fopen(name, "r+b");
                snprintf(line, sizeof line, "change %zu of round %zu\n", i, round);
                if (!file || fseek(file, 200, SEEK_SET) != 0 || fputs(line, file) < 0 ||
                        fclose(file) != 0)
                        bench_die("cannot change a file");
        }
}
