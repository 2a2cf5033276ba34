#include "support/crash.h"
#include "support/test.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECTOR = 512 };

const char *const crash_names[CRASH_KINDS] = {
        "all of", "none of", "all but one of", "one of", "some of", "torn"};

uint64_t crash_random(uint64_t *seed) /* splitmix64 */
{
        uint64_t x = *seed += UINT64_C(0x9e3779b97f4a7c15);

        x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
        return x ^ x >> 31;
}

/* ---- What is durable ------------------------------------------------------------------------ */

static bool changes_names(const recorder_op *op)
{
        return op->kind == RECORDER_MAKE || op->kind == RECORDER_RENAME ||
               op->kind == RECORDER_DELETE;
}

/* A file's content lives by the sync of the file, its name by that of the directory. */
static bool durable(const crash_disk *disk, size_t i)
{
        const recorder_op *op = &disk->r->ops[i];
        int by = changes_names(op) ? disk->r->nodes[op->node].parent : op->node;

        return i < disk->synced[by];
}

static void find_syncs(crash_disk *disk, const recording *r, size_t n_ops)
{
        if (disk->r != r) {
                crash_free(disk);
                disk->r = r;
                disk->n_files = r->n_nodes;
                disk->files = calloc(r->n_nodes, sizeof *disk->files);
                disk->synced = calloc(r->n_nodes, sizeof *disk->synced);
                assert_true(disk->files && disk->synced);
        }
        memset(disk->synced, 0, r->n_nodes * sizeof *disk->synced);
        for (size_t i = 0; i < n_ops; i++)
                if (r->ops[i].kind == RECORDER_SYNC)
                        disk->synced[r->ops[i].node] = i;
}

size_t crash_pending(crash_disk *disk, const recording *r, size_t n_ops)
{
        size_t n = 0;

        find_syncs(disk, r, n_ops);
        for (size_t i = 0; i < n_ops; i++)
                n += r->ops[i].kind != RECORDER_SYNC && !durable(disk, i);
        return n;
}

/* ---- Building ------------------------------------------------------------------------------- */

static void set_len(crash_file *file, size_t len)
{
        if (len > file->cap) {
                file->cap = len + len / 2;
                file->data = realloc(file->data, file->cap);
                assert_non_null(file->data);
        }
        if (len > file->len)
                memset(file->data + file->len, 0, len - file->len);
        file->len = len;
}

static void put(crash_file *file, const recorder_op *op, size_t from, size_t len)
{
        size_t at = (size_t)op->offset + from;

        if (at + len > file->len)
                set_len(file, at + len);
        memcpy(file->data + at, op->data + from, len);
}

static void write_torn(crash_file *file, const recorder_op *op, uint64_t *seed)
{
        for (size_t from = 0, len; from < op->len; from += len) {
                len = SECTOR - ((size_t)op->offset + from) % SECTOR;
                if (len > op->len - from)
                        len = op->len - from;
                if (crash_random(seed) & 1)
                        put(file, op, from, len);
        }
        /* The size of a file is kept apart from its content: it may be there alone. */
        size_t end = (size_t)op->offset + op->len;
        if (end > file->len && (crash_random(seed) & 3) == 0)
                set_len(file, end);
}

/* Whatever had the name before has it no more. */
static void give_name(crash_disk *disk, crash_file *file, const char *name)
{
        for (size_t i = 0; i < disk->n_files; i++)
                if (disk->files[i].name && strcmp(disk->files[i].name, name) == 0)
                        disk->files[i].name = NULL;
        file->name = name;
}

static void apply(crash_disk *disk, const recorder_op *op)
{
        crash_file *file = &disk->files[op->node];

        switch (op->kind) {
        case RECORDER_MAKE:
                give_name(disk, file, disk->r->nodes[op->node].born);
                break;
        case RECORDER_RENAME:
                give_name(disk, file, (const char *)op->data);
                break;
        case RECORDER_DELETE:
                file->name = NULL;
                break;
        case RECORDER_WRITE:
                put(file, op, 0, op->len);
                break;
        case RECORDER_TRUNCATE:
                set_len(file, (size_t)op->offset);
                break;
        case RECORDER_SYNC:
                break;
        }
}

static bool chosen(const crash_choice *choice, size_t pending, uint64_t *seed, unsigned eighths)
{
        switch (choice->kind) {
        case CRASH_ALL:
                return true;
        case CRASH_NONE:
                return false;
        case CRASH_WITHOUT:
                return pending != choice->index;
        case CRASH_ONLY:
                return pending == choice->index;
        default:
                return (crash_random(seed) & 7) < eighths;
        }
}

void crash_build(crash_disk *disk, const recording *r, size_t n_ops, const crash_choice *choice)
{
        uint64_t seed = choice->seed;
        unsigned eighths = 1 + (unsigned)(crash_random(&seed) % 7); /* how much is there at all */
        size_t pending = 0;

        find_syncs(disk, r, n_ops);
        for (size_t i = 0; i < r->n_nodes; i++) {
                crash_file *file = &disk->files[i];
                const recorder_node *node = &r->nodes[i];
                file->name = node->at_start ? node->born : NULL;
                file->len = 0;
                set_len(file, node->len);
                if (node->len)
                        memcpy(file->data, node->data, node->len);
        }
        for (size_t i = 0; i < n_ops; i++) {
                const recorder_op *op = &r->ops[i];
                if (op->kind == RECORDER_SYNC)
                        continue;
                if (durable(disk, i))
                        apply(disk, op);
                else if (op->kind == RECORDER_WRITE && choice->kind == CRASH_TORN)
                        write_torn(&disk->files[op->node], op, &seed);
                else if (chosen(choice, pending++, &seed, eighths))
                        apply(disk, op);
        }
}

/* Is it reached from the top, all directories above it being there? */
static bool reached(const crash_disk *disk, size_t i)
{
        for (int node = (int)i; node >= 0; node = disk->r->nodes[node].parent)
                if (!disk->files[node].name)
                        return false;
        return true;
}

uint64_t crash_hash(const crash_disk *disk)
{
        uint64_t h = 1;

        for (size_t i = 0; i < disk->n_files; i++) {
                const crash_file *file = &disk->files[i];
                if (!reached(disk, i))
                        continue;
                for (const char *c = file->name; *c; c++)
                        h = h * 31 + (unsigned char)*c;
                h = crash_random(&h) + file->len;
                for (size_t at = 0; at < file->len; at += 8) {
                        uint64_t word = 0;
                        memcpy(&word, file->data + at, file->len - at < 8 ? file->len - at : 8);
                        h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
                        h ^= h >> 32;
                }
        }
        return h;
}

void crash_write(const crash_disk *disk, const char *directory)
{
        char path[4096];

        for (size_t i = 0; i < disk->n_files; i++) {
                const crash_file *file = &disk->files[i];
                if (!reached(disk, i) || disk->r->nodes[i].parent < 0)
                        continue;
                snprintf(path, sizeof path, "%s/%s", directory, file->name);
                if (disk->r->nodes[i].directory) {
                        assert_int_equal(mkdir(path, 0700), 0);
                        continue;
                }
                int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
                assert_true(fd >= 0);
                assert_int_equal(write(fd, file->data, file->len), file->len);
                assert_int_equal(close(fd), 0);
        }
}

void crash_free(crash_disk *disk)
{
        for (size_t i = 0; i < disk->n_files; i++)
                free(disk->files[i].data);
        free(disk->files);
        free(disk->synced);
        memset(disk, 0, sizeof *disk);
}
