/* eventlog tiles: the log's tree and its leaves as files that others can fetch and check (C2SP
 * tlog-tiles). */
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "cli/eventlog/commands.h"
#include "cli/eventlog/evidence.h"
#include "events/own_files.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH = 256, LEVELS = 8, TILE = WIDTH * PAWL__HASH_LEN, LEAF_MAX = 0xffff };

/* The tile of a level that is being filled. Full ones are written, and passed on as one hash. */
typedef struct tile {
        unsigned char hashes[TILE];
        size_t n;
        uint64_t index;
} tile;

typedef struct tiles {
        const char *directory, *log_place;
        pawl__hasher *hasher;
        tile levels[LEVELS];
        pawl__buf entries; /* of the tile of leaves */
        pawl__buf path, there;
        uint64_t written;
} tiles;

static pawl_status failed(const tiles *t, int number, pawl_error *err)
{
        return pawl__fail(err, pawl__errno_status(number),
                "%.300s: %s; name a directory that you may write, with room", t->path.data,
                strerror(number));
}

/* Every directory of the path. */
static pawl_status make_directories(const tiles *t, pawl_error *err)
{
        char *path = t->path.data;

        for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
                *at = '\0';
                const int number = mkdir(path, 0777) && errno != EEXIST ? errno : 0;
                *at = '/';
                if (number)
                        return failed(t, number, err);
        }
        return PAWL_OK;
}

/* Is it there, as it should be? One that is other is never written over. */
static pawl_status is_there(bool *there, tiles *t, pawl_text content, pawl_error *err)
{
        const int fd = open(t->path.data, O_RDONLY | O_CLOEXEC);

        *there = fd >= 0;
        if (fd < 0)
                return errno == ENOENT ? PAWL_OK : failed(t, errno, err);
        pawl__buf_clear(&t->there);
        const int number = pawl__read_all(&t->there, fd, content.len);
        close(fd);
        if (number && number != EFBIG)
                return failed(t, number, err);
        if (number == EFBIG || !pawl__text_eq(pawl__buf_text(&t->there), content))
                return pawl__fail(err, PAWL_EDAMAGED,
                        "%.300s: is not what the log has there: the log was rewritten, or the "
                        "directory is of another; name a new directory, or put back the log that "
                        "it is of",
                        t->path.data);
        return PAWL_OK;
}

/* At the path that is set. */
static pawl_status put(tiles *t, pawl_text content, pawl_error *err)
{
        bool there;
        pawl_status status = pawl__buf_check(&t->path, err);

        if (!status)
                status = make_directories(t, err);
        if (!status)
                status = pawl__own_files_spare(t->log_place, t->path.data, err);
        if (!status)
                status = is_there(&there, t, content, err);
        if (status || there)
                return status;
        const int number = pawl__replace_file(t->path.data, content.data, content.len, 0666);
        t->written++;
        return number ? failed(t, number, err) : PAWL_OK;
}

/* "DIRECTORY/tile/LEVEL/x001/x234/067.p/WIDTH"; @p level NULL: of leaves' texts. */
static void set_path(tiles *t, const size_t *level, uint64_t index, size_t n)
{
        pawl__buf_clear(&t->path);
        pawl__buf_addf(&t->path, "%s/tile/", t->directory);
        if (level)
                pawl__buf_addf(&t->path, "%zu/", *level);
        else
                pawl__buf_adds(&t->path, "entries/");
        for (uint64_t unit = UINT64_C(1000000000000000000); unit > 1; unit /= 1000)
                if (index >= unit)
                        pawl__buf_addf(&t->path, "x%03u/", (unsigned)(index / unit % 1000));
        pawl__buf_addf(&t->path, "%03u", (unsigned)(index % 1000));
        if (n < WIDTH)
                pawl__buf_addf(&t->path, ".p/%zu", n);
}

static pawl_status write_level(tiles *t, size_t level, pawl_error *err)
{
        const tile *at = &t->levels[level];
        pawl_status status = PAWL_OK;

        if (level == 0) {
                set_path(t, NULL, at->index, at->n);
                status = pawl__buf_check(&t->entries, err);
                if (!status)
                        status = put(t, pawl__buf_text(&t->entries), err);
                pawl__buf_clear(&t->entries);
        }
        if (status)
                return status;
        set_path(t, &level, at->index, at->n);
        return put(t, pawl__text_n((const char *)at->hashes, at->n * PAWL__HASH_LEN), err);
}

static pawl_status root_of(unsigned char *out, const tiles *t, const tile *of, pawl_error *err)
{
        pawl__merkle tree = {0};
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < of->n && !status; i++)
                status = pawl__merkle_add(&tree, t->hasher, of->hashes + i * PAWL__HASH_LEN, err);
        return status ? status : pawl__merkle_root(out, &tree, t->hasher, err);
}

static pawl_status add_hash(tiles *t, const unsigned char *leaf_hash, pawl_error *err)
{
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = PAWL_OK;
        bool full = true;

        memcpy(hash, leaf_hash, sizeof hash);
        for (size_t level = 0; level < LEVELS && full && !status; level++) {
                tile *at = &t->levels[level];
                memcpy(at->hashes + at->n++ * PAWL__HASH_LEN, hash, sizeof hash);
                full = at->n == WIDTH;
                if (!full)
                        break;
                status = write_level(t, level, err);
                if (!status)
                        status = root_of(hash, t, at, err);
                at->n = 0;
                at->index++;
        }
        return status;
}

static pawl_status take_leaf(
        uint64_t index, pawl_text leaf, const unsigned char *hash, void *user, pawl_error *err)
{
        tiles *t = user;

        if (leaf.len > LEAF_MAX)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "seq %" PRIu64 ": its envelope has %zu bytes, and a tile takes %d at most; "
                        "prove the event with `eventlog prove`",
                        index + 1, leaf.len, LEAF_MAX);
        pawl__buf_addc(&t->entries, (char)(leaf.len >> 8));
        pawl__buf_addc(&t->entries, (char)(leaf.len & 255));
        pawl__buf_add_text(&t->entries, leaf);
        return add_hash(t, hash, err);
}

static pawl_status write_rest(tiles *t, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (size_t level = 0; level < LEVELS && !status; level++)
                if (t->levels[level].n)
                        status = write_level(t, level, err);
        return status;
}

/* Last, so that whoever sees it finds all that it speaks of. */
static pawl_status write_checkpoint(tiles *t, const cli_evidence *evidence, pawl_error *err)
{
        pawl__buf note = PAWL__BUF_INIT;
        pawl_status status = cli_evidence_note(&note, evidence, err);

        pawl__buf_clear(&t->path);
        pawl__buf_addf(&t->path, "%s/checkpoint", t->directory);
        if (!status)
                status = pawl__buf_check(&t->path, err);
        if (!status)
                status = make_directories(t, err);
        if (!status)
                status = pawl__own_files_spare(t->log_place, t->path.data, err);
        if (!status) {
                const int number = pawl__replace_file(t->path.data, note.data, note.len, 0666);
                status = number ? failed(t, number, err) : PAWL_OK;
        }
        pawl__buf_free(&note);
        return status;
}

/* What the directory's checkpoint says of the log: a note that does not hold any more is found
 * before anything is written. */
static pawl_status read_checkpoint(pawl__note *out, bool *there, tiles *t, pawl__buf *text,
        const cli_evidence *evidence, pawl_error *err)
{
        pawl__buf_clear(&t->path);
        pawl__buf_addf(&t->path, "%s/checkpoint", t->directory);
        pawl_status status = pawl__buf_check(&t->path, err);
        if (!status)
                *there = access(t->path.data, F_OK) == 0;
        if (!status && *there)
                status = cli_evidence_read_note(out, text, t->path.data, err);
        if (!status && *there)
                status = cli_evidence_reaches(out, t->path.data, evidence->note.size, err);
        return status;
}

static pawl_status export_tiles(tiles *t, cli_evidence *evidence, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;
        pawl__note before = {0};
        bool there = false;
        pawl_status status = read_checkpoint(&before, &there, t, &text, evidence, err);

        if (!status && there) {
                pawl__merkle_reading old = {.size = before.size};
                status = pawl__merkle_read(&old, evidence->log, err);
                if (!status)
                        status = cli_evidence_compare(&before, t->path.data, old.root, err);
        }
        pawl__merkle_reading reading = {
                .size = evidence->note.size, .on_leaf = take_leaf, .user = t};
        if (!status)
                status = pawl__merkle_read(&reading, evidence->log, err);
        if (!status)
                status = write_rest(t, err);
        memcpy(evidence->note.root, reading.root, sizeof reading.root);
        if (!status && evidence->has_key)
                status = write_checkpoint(t, evidence, err);
        pawl__buf_free(&text);
        return status;
}

static pawl_status write_tiles(cli_call *cli, pawl_log *log, pawl_error *err)
{
        tiles *t = pawl__arena_array(cli->arena, 1, sizeof *t);
        cli_evidence evidence = {0};

        if (!t)
                return pawl__nomem(err);
        t->directory = cli->args[0];
        t->log_place = pawl__log_place(log);
        if (!*t->directory) /* tiles lie beneath it: not beneath / */
                return pawl__fail(err, PAWL_EINVAL, "tiles: DIR is empty; name a directory");
        pawl_status status = pawl__hasher_new(&t->hasher, err);
        if (!status)
                status = cli_evidence_begin(&evidence, cli, log, err);
        if (!status)
                status = export_tiles(t, &evidence, err);
        if (!status)
                fprintf(cli->in->out, "%" PRIu64 " events, %" PRIu64 " new files in %s%s\n",
                        evidence.note.size, t->written, t->directory,
                        evidence.has_key ? "" : "; without --key there is no checkpoint");
        cli_evidence_end(&evidence);
        pawl__hasher_free(t->hasher);
        pawl__buf_free(&t->entries);
        pawl__buf_free(&t->path);
        pawl__buf_free(&t->there);
        return status;
}

static const cli_option tiles_options[] = {
        {"key", 0, 0, CLI_FILE, "FILE", NULL,
                "sign the checkpoint, which tells others how far the tiles go"},
        {"origin", 0, 0, CLI_TEXT, "NAME", NULL,
                "how others know the log; left out: the hash of its first event"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd eventlog_tiles_cmd = {
        .name = "tiles",
        .args = "DIR",
        .arg_help = {"the directory; what is there already is kept"},
        .options = tiles_options,
        .help = "Write the log's tree as files that others can fetch and check",
        .on_log = write_tiles,
        .access = CLI_READ,
};
