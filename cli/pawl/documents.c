#include "cli/pawl/documents.h"
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "command/find.h"
#include "workspace/scan/ignore.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIB = 1 << 20, TEXT_MAX = 64 * MIB, IGNORE_MAX = MIB, DEPTH_MAX = 64 };

static const char *const endings[] = {".md", ".markdown", ".mdown", ".mdx", ".rst", ".adoc",
        ".asciidoc", ".txt", ".text", ".org", ".textile", ".wiki"};

typedef struct reading {
        cli_documents *to;
        const cli_call *cli;
        pawl__ignore ignore;
        pawl__buf path, text;
        size_t root; /* bytes of the path up to what the rules are about */
        pawl_error *err;
} reading;

void cli_documents_free(cli_documents *documents)
{
        pawl__arena_free(&documents->arena);
        free(documents->texts);
        free(documents->names);
}

static pawl_status fail_errno(const reading *r, const char *name, int error)
{
        return pawl__fail(r->err, pawl__errno_status(error),
                "%.300s: %s; name a document that can be read, or - for standard input", name,
                strerror(error));
}

static pawl_status take_text(reading *r, const char *name)
{
        static const char mark[] = "\xef\xbb\xbf";
        cli_documents *to = r->to;
        pawl_text text = pawl__buf_text(&r->text);

        if (text.len > TEXT_MAX) {
                cli_noticef(r->cli, "%s: is longer than 64 MiB; left out", name);
                return PAWL_OK;
        }
        if (memchr(text.data, '\0', text.len)) {
                cli_noticef(r->cli, "%s: is no text; left out", name);
                return PAWL_OK;
        }
        const size_t valid = pawl__utf8_span(text.data, text.len);
        if (valid < text.len) {
                cli_noticef(r->cli, "%s: byte %zu: invalid UTF-8; left out", name, valid + 1);
                return PAWL_OK;
        }
        if (pawl__text_starts(text, mark))
                text = pawl__text_n(text.data + 3, text.len - 3);
        if (pawl__grow(&to->texts, &to->cap_texts, to->n + 1, sizeof *to->texts) ||
                pawl__grow(&to->names, &to->cap_names, to->n + 1, sizeof *to->names))
                return pawl__nomem(r->err);
        to->texts[to->n] = pawl__arena_copy(&to->arena, text);
        to->names[to->n] = pawl__arena_copy(&to->arena, pawl__text(name)).data;
        to->n++;
        return pawl__arena_check(&to->arena, r->err);
}

/* All of a file into r->text, at most a byte more than @p most. */
static int read_file(reading *r, int fd, size_t most)
{
        pawl__buf_clear(&r->text);
        const int error = pawl__read_all(&r->text, fd, most);
        return error == EFBIG ? 0 : error;
}

static pawl_status take_file(reading *r, const char *name, int fd)
{
        const int error = read_file(r, fd, TEXT_MAX);

        if (fd != STDIN_FILENO)
                close(fd);
        if (error)
                return error == ENOMEM ? pawl__nomem(r->err) : fail_errno(r, name, error);
        return take_text(r, name);
}

/* ---- Directories ----------------------------------------------------------------------------- */

static int compare(const struct dirent **a, const struct dirent **b)
{
        return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *entry)
{
        return entry->d_name[0] != '.';
}

static bool is_document(const char *name)
{
        const size_t len = strlen(name);

        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
                const size_t n = strlen(endings[i]);
                if (len > n && strcasecmp(name + len - n, endings[i]) == 0)
                        return true;
        }
        return false;
}

/* The rules of the directory at the path, if it has any. */
static pawl_status read_rules(reading *r)
{
        const size_t len = r->path.len;

        pawl__buf_adds(&r->path, "/.gitignore");
        if (r->path.failed)
                return pawl__nomem(r->err);
        const int fd = open(r->path.data, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        r->path.len = len;
        r->path.data[len] = '\0';
        if (fd < 0)
                return PAWL_OK;
        const int error = read_file(r, fd, IGNORE_MAX);
        close(fd);
        if (error || r->text.len > IGNORE_MAX)
                return error == ENOMEM ? pawl__nomem(r->err) : PAWL_OK;
        return pawl__ignore_add(&r->ignore, pawl__buf_text(&r->text),
                len > r->root ? len + 1 - r->root : 0, r->err);
}

static bool is_left(reading *r, size_t name_at, bool directory)
{
        const pawl_text path = pawl__text_n(r->path.data + r->root, r->path.len - r->root);
        const pawl__ignore_verdict verdict =
                pawl__ignore_match(&r->ignore, path, name_at - r->root, directory);

        return verdict == PAWL__IGNORE_LEAVE || verdict == PAWL__IGNORE_LEAVE_OWN;
}

static pawl_status take_directory(reading *r, unsigned depth);

/* The entry whose path is r->path. */
static pawl_status take_entry(reading *r, size_t name_at, unsigned depth)
{
        struct stat st;

        if (lstat(r->path.data, &st) != 0)
                return errno == ENOENT ? PAWL_OK : fail_errno(r, r->path.data, errno);
        const bool directory = S_ISDIR(st.st_mode);
        if ((!directory && !S_ISREG(st.st_mode)) || is_left(r, name_at, directory))
                return PAWL_OK;
        if (directory)
                return take_directory(r, depth + 1);
        if (!is_document(r->path.data + name_at)) {
                r->to->left_out++;
                return PAWL_OK;
        }
        const int fd = open(r->path.data, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        return fd < 0 ? fail_errno(r, r->path.data, errno) : take_file(r, r->path.data, fd);
}

static pawl_status take_directory(reading *r, unsigned depth)
{
        const size_t rules = r->ignore.n, len = r->path.len;
        struct dirent **entries;
        pawl_status status = PAWL_OK;

        if (depth > DEPTH_MAX) {
                cli_noticef(r->cli, "%s: is too deep; left out", r->path.data);
                return PAWL_OK;
        }
        const int n = scandir(r->path.data, &entries, is_shown, compare);
        if (n < 0)
                return fail_errno(r, r->path.data, errno);
        status = read_rules(r);
        for (int i = 0; i < n; i++) {
                if (!status) {
                        pawl__buf_addc(&r->path, '/');
                        pawl__buf_adds(&r->path, entries[i]->d_name);
                        status = pawl__buf_check(&r->path, r->err);
                }
                if (!status)
                        status = take_entry(r, len + 1, depth);
                if (!status) {
                        r->path.len = len;
                        r->path.data[len] = '\0';
                }
                free(entries[i]);
        }
        free(entries);
        pawl__ignore_cut(&r->ignore, rules);
        return status;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static pawl_status take(reading *r, const char *name)
{
        struct stat st;

        if (strcmp(name, "-") == 0)
                return take_file(r, "standard input", STDIN_FILENO);
        const int fd = open(name, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return fail_errno(r, name, errno);
        if (fstat(fd, &st) != 0 || !S_ISDIR(st.st_mode))
                return take_file(r, name, fd);
        close(fd);
        pawl__buf_clear(&r->path);
        pawl__buf_adds(&r->path, name);
        while (r->path.len > 1 && r->path.data[r->path.len - 1] == '/')
                r->path.data[--r->path.len] = '\0';
        r->root = r->path.len + 1;
        return r->path.failed ? pawl__nomem(r->err) : take_directory(r, 0);
}

pawl_status cli_documents_read(cli_documents *out, const cli_call *cli, pawl_error *err)
{
        cli_documents documents = {.n = 0};
        reading r = {.to = &documents, .cli = cli, .err = err};
        pawl_status status = PAWL_OK;

        for (int i = 0; i < cli->n_args && !status; i++)
                status = take(&r, cli->args[i]);
        if (!status && documents.left_out)
                cli_noticef(cli,
                        "%zu files in directories: are no documents by their names; name "
                        "them to have them read",
                        documents.left_out);
        if (!status && documents.n == 0)
                status = pawl__fail(err, PAWL_EINVAL,
                        "%.300s: holds no document; name text files, or directories of .md, .rst, "
                        ".adoc or .txt files",
                        cli->args[0]);
        pawl__ignore_free(&r.ignore);
        pawl__buf_free(&r.path);
        pawl__buf_free(&r.text);
        if (status)
                cli_documents_free(&documents);
        else
                *out = documents;
        return status;
}
