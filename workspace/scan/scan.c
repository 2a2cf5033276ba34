/* A scan from its beginning to its end; what lies between is in walk.c and stage_entry.c. */
#include "workspace/scan/scan.h"
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "workspace/scan/preload.h"
#include "workspace/scan/read.h"
#include "workspace/scan/scan_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* How often a scan is begun anew when directories are moved under it. */
enum { TRIES = 3 };

void pawl__scan_free(pawl__scan *scan)
{
        if (!scan)
                return;
        struct pawl__scan_inside *in = scan->inside;
        if (in) {
                pawl__index_free(&in->index);
                pawl__new_objects_free(&in->new_objects);
                pawl__buf_free(&in->spool);
                pawl__buf_free(&in->git_rules);
                pawl__arena_free(&in->arena);
                free(in->root);
                free(in->index_path);
                free(in);
        }
        free(scan->not_captured);
        free(scan);
}

bool pawl__scan_heals(const pawl__scan *scan)
{
        return scan->inside->heals;
}

static pawl__scan *scan_new(void)
{
        pawl__scan *scan = calloc(1, sizeof *scan);

        if (scan && !(scan->inside = calloc(1, sizeof *scan->inside))) {
                free(scan);
                scan = NULL;
        }
        return scan;
}

static void scanner_end(pawl__scanner *s)
{
        pawl__index_free(&s->old);
        free(s->levels);
        pawl__buf_free(&s->path);
        pawl__listing_free(&s->listing);
        pawl__ignore_free(&s->ignore);
        pawl__ignore_free(&s->exclude);
        pawl__buf_free(&s->rules);
        pawl__buf_free(&s->lists);
        pawl__buf_free(&s->full);
        pawl__tracked_free(&s->tracked);
        pawl__scan_leave_repositories(s, 0);
        free(s->repositories);
        pawl__buf_free(&s->encoding);
        pawl__chunk_writer_free(&s->large.writer);
}

/* ---- The root -------------------------------------------------------------------------------- */

static pawl_status cannot(pawl_error *err, const char *path, int error)
{
        return pawl__fail(err, pawl__errno_status(error),
                "%s: cannot be scanned: %s; name a directory that can be read", path,
                strerrordesc_np(error));
}

static bool is_at(const struct stat *st, const char *path)
{
        struct stat other;

        return path && stat(path, &other) == 0 && other.st_dev == st->st_dev &&
               other.st_ino == st->st_ino;
}

/* By what it is, not by how it is called. */
static pawl_status allowed(
        const struct stat *st, const pawl__scan_options *options, pawl_error *err)
{
        const char *what = is_at(st, "/")             ? "the root of all files"
                           : is_at(st, options->home) ? "the home directory"
                                                      : NULL;

        if (!what || options->force_root)
                return PAWL_OK;
        return pawl__fail(err, PAWL_EINVAL,
                "%s: is %s; name a directory in it as the root, or force this one: `pawl checkpoint "
                "--force-root`",
                options->root, what);
}

/* ---- Time ------------------------------------------------------------------------------------ */

/* What is not older than this may change once more without its times telling. The clock of the file
 * system that the log is on may be another than ours: a file without a name tells that one. */
static int64_t tick_now(const char *log_directory)
{
        struct timespec now;
        struct stat st;

        clock_gettime(CLOCK_REALTIME_COARSE, &now);
        int64_t tick = pawl__time_ns(&now);
        const int fd = open(log_directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
        if (fd >= 0) {
                if (fstat(fd, &st) == 0 && pawl__time_ns(&st.st_mtim) < tick)
                        tick = pawl__time_ns(&st.st_mtim);
                close(fd);
        }
        return tick;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* The former index, if it is of use: the log must still have what it speaks of. */
static pawl_status load_index(pawl__scanner *s, pawl_error *err)
{
        struct pawl__scan_inside *in = s->in;
        pawl_error useless = PAWL_ERROR_INIT;
        bool has = false;

        if (!s->options->base)
                return PAWL_OK;
        memcpy(in->index.of.event, s->options->base, 32);
        pawl_status status = pawl__index_load(&s->old, in->index_path, &in->index.of,
                pawl__contents_hasher(s->contents), &useless);
        if (status == PAWL_ENOTFOUND)
                return PAWL_OK;
        if (!status)
                status = pawl__contents_intact(&has, NULL, s->contents, s->old.of.tree, &useless);
        if (status && err)
                *err = useless;
        if (!has)
                pawl__index_free(&s->old);
        in->based = has;
        memcpy(in->base_tree, s->old.of.tree, 32);
        return status;
}

static pawl_status prepare(pawl__scanner *s, int root, pawl_error *err)
{
        const pawl__scan_options *options = s->options;
        struct pawl__scan_inside *in = s->in;
        const size_t len = pawl__directory_len(options->log_path);
        struct stat st;

        if (fstat(root, &st) != 0)
                return cannot(err, options->root, errno);
        pawl_status status = allowed(&st, options, err);
        if (status)
                return status;
        in->max_file = options->max_file ? options->max_file : PAWL__SCAN_MAX_FILE;
        in->root = strdup(options->root);
        if (pawl__buf_add(&s->path, options->log_path, len) || !in->root)
                return pawl__nomem(err);
        if (len > 0) /* a directory that is not there is no part of the root, either */
                (void)pawl__own_files_find(&s->own, options->log_path, root);
        s->tick_ns = tick_now(len > 0 ? s->path.data : ".");
        if (options->index_in_root) {
                pawl__buf_clear(&s->path);
                pawl__buf_addf(&s->path, "%s/.pawl/", options->root);
        }
        pawl__buf_adds(&s->path, "workspace.index");
        if (options->worktree && *options->worktree)
                pawl__buf_addf(&s->path, "-%s", options->worktree);
        if (s->path.failed)
                return pawl__nomem(err);
        in->index_path = pawl__buf_take(&s->path, NULL);
        in->index.of.device = (uint64_t)st.st_dev;
        in->index.of.inode = (uint64_t)st.st_ino;
        in->index.of.tick_ns = s->tick_ns;
        status = load_index(s, err);
        return status ? status : pawl__scan_root_rules(s, err);
}

/* Has it come to the very bytes of the former index? Then only the head of its file is to be
 * written. */
static void compare_index(pawl__scanner *s)
{
        pawl__index *now = &s->in->index;
        const size_t len = now->bytes.len - PAWL__INDEX_HEAD;

        if (s->in->new_objects.count > 0 || s->old.bytes.len != now->bytes.len)
                return;
        pawl__index_settle(&s->old);
        now->summed = memcmp(now->bytes.data + PAWL__INDEX_HEAD,
                              s->old.bytes.data + PAWL__INDEX_HEAD, len) == 0;
        memcpy(now->sum, s->old.sum, sizeof now->sum);
}

static int by_path(const void *a, const void *b)
{
        return pawl__text_cmp(
                ((const pawl__not_captured *)a)->path, ((const pawl__not_captured *)b)->path);
}

static pawl_status measure(const pawl__scanner *whole, pawl_error *err);

static pawl_status scan_root(pawl__scanner *s, pawl_error *err)
{
        const pawl__scan_options *options = s->options;
        const int root = open(options->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (root < 0)
                return cannot(err, options->root, errno);
        pawl_status status = prepare(s, root, err);
        if (!status && !s->old.bytes.data && !s->measuring &&
                (options->max_files || options->max_bytes))
                status = measure(s, err);
        if (status) {
                close(root);
                return status;
        }
        if (s->old.bytes.data)
                s->preload = pawl__preload_start(&s->old, root);
        status = pawl__scan_walk(s, root, err);
        pawl__preload_end(s->preload);
        return status;
}

/* Is the root beyond a bound? It is seen before the first byte is read and kept. Half of a time
 * budget is left for that; what is not seen in the other half is seen as it is read. */
static pawl_status measure(const pawl__scanner *whole, pawl_error *err)
{
        const int64_t now_ms = pawl__boot_ms(pawl__contents_log(whole->contents));
        pawl__scanner s = {.options = whole->options,
                .contents = whole->contents,
                .scan = scan_new(),
                .measuring = true,
                .deadline_ms = whole->deadline_ms};

        if (!s.scan)
                return pawl__nomem(err);
        s.in = s.scan->inside;
        if (s.deadline_ms > now_ms)
                s.deadline_ms = now_ms + (s.deadline_ms - now_ms) / 2;
        const pawl_status status = scan_root(&s, err);
        scanner_end(&s);
        pawl__scan_free(s.scan);
        return status;
}

static pawl_status scan_once(pawl__scan **out, pawl__contents *contents,
        const pawl__scan_options *options, pawl_error *err)
{
        pawl__scanner s = {.options = options,
                .contents = contents,
                .scan = scan_new(),
                .deadline_ms = options->deadline_ms};
        pawl_status status;

        if (!s.scan)
                return pawl__nomem(err);
        s.in = s.scan->inside;
        status = scan_root(&s, err);
        if (!status)
                compare_index(&s);
        scanner_end(&s);
        if (status) {
                pawl__scan_free(s.scan);
                return status;
        }
        if (s.scan->n_not_captured > 1)
                qsort(s.scan->not_captured, s.scan->n_not_captured, sizeof *s.scan->not_captured,
                        by_path);
        memcpy(s.in->index.of.tree, s.scan->tree, 32);
        *out = s.scan;
        return PAWL_OK;
}

pawl_status pawl__scan_run(pawl__scan **out, pawl__contents *contents,
        const pawl__scan_options *options, pawl_error *err)
{
        pawl_status status = PAWL_EINPUTS;

        for (int i = 0; i < TRIES && status == PAWL_EINPUTS; i++)
                status = scan_once(out, contents, options, err);
        return status;
}
