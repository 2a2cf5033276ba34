#include "document/document.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static pawl_status too_big(const char *path, pawl_error *err)
{
        return pawl__fail(err, PAWL_ETOOBIG, "%s: is larger than 64 MiB; split it", path);
}

static pawl_status system_failure(const char *path, int error, pawl_error *err)
{
        switch (error) {
        case ENOENT:
        case ENOTDIR:
                return pawl__fail(
                        err, PAWL_ENOTFOUND, "%s: there is no such file; check the path", path);
        case EACCES:
        case EPERM:
                return pawl__fail(err, PAWL_EACCESS,
                        "%s: may not be read; give yourself permission to read it", path);
        case EISDIR:
        case ENOTBLK:
                return pawl__fail(err, PAWL_EIO, "%s: is %s; name a regular file", path,
                        error == EISDIR ? "a directory" : "not a regular file");
        case EFBIG:
                return too_big(path, err);
        case ENOMEM:
                return pawl__nomem(err);
        default:
                return pawl__fail(err, PAWL_EIO, "%s: cannot be read: %s; check the file", path,
                        strerrordesc_np(error));
        }
}

/* O_NONBLOCK, so that a FIFO without a writer is refused and not waited for. */
static pawl_status read_file(pawl__buf *out, const char *path, pawl_error *err)
{
        struct stat st;

        if (!path)
                return pawl__fail(err, PAWL_EINVAL, "document: its path is NULL; name a file");
        int error = 0;
        const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (fd < 0)
                return system_failure(path, errno, err);
        if (fstat(fd, &st) != 0)
                error = errno;
        else if (!S_ISREG(st.st_mode))
                error = S_ISDIR(st.st_mode) ? EISDIR : ENOTBLK;
        else if (st.st_size > (off_t)PAWL__DOCUMENT_MAX)
                error = EFBIG;
        else if (pawl__buf_reserve(out, (size_t)st.st_size + 1))
                error = ENOMEM;
        else
                error = pawl__read_all(out, fd, PAWL__DOCUMENT_MAX);
        close(fd);
        return error ? system_failure(path, error, err) : PAWL_OK;
}

static bool is_json(const char *path)
{
        size_t len = strlen(path);

        return len >= 5 && strcmp(path + len - 5, ".json") == 0;
}

/* The line on which the name of the value at that offset ends, where it has one: a name has no line
 * break in it. */
static uint32_t key_line(const char *text, size_t offset, uint32_t line)
{
        while (offset > 0 && memchr(" \t\r\n:", text[offset - 1], 5))
                line -= text[--offset] == '\n';
        return line;
}

/* Nodes are in the order of their text, so that one pass counts all the lines. */
static pawl_status count_lines(pawl__document *document, pawl_error *err)
{
        const char *text = document->json.data;
        size_t at = 0;
        uint32_t line = 1;

        document->lines = malloc((document->tree.n + 1) * sizeof *document->lines);
        if (!document->lines)
                return pawl__nomem(err);
        for (size_t i = 0; i < document->tree.n; i++) {
                size_t end = document->tree.nodes[i].offset;
                const char *found;
                while ((found = memchr(text + at, '\n', end - at))) {
                        line++;
                        at = (size_t)(found - text) + 1;
                }
                at = end;
                document->lines[i] = (pawl__yaml_line){line, key_line(text, end, line)};
        }
        return PAWL_OK;
}

static pawl_status read_tree(pawl__document *document, pawl_error *err)
{
        return pawl__json_tree_read(&document->tree, document->json.data, document->json.len, err);
}

static pawl_status read_yaml(pawl__document *document, pawl__buf *text, pawl_error *err)
{
        size_t n_lines;
        pawl_status status = pawl__yaml_to_json(
                &document->json, &document->lines, &n_lines, text->data, text->len, err);

        if (!status)
                status = read_tree(document, err);
        assert(status || n_lines == document->tree.n);
        return status;
}

static pawl_status read_json(pawl__document *document, pawl__buf *text, pawl_error *err)
{
        document->json = *text;
        *text = (pawl__buf)PAWL__BUF_INIT;
        pawl_status status = read_tree(document, err);
        return status ? status : count_lines(document, err);
}

/* Frees the text in any case. */
static pawl_status parse(pawl__document *out, const char *path, pawl__buf *text, pawl_error *err)
{
        pawl__document document = {NULL, PAWL__BUF_INIT, PAWL__JSON_TREE_INIT, NULL, {0}};
        size_t path_size = strlen(path) + 1;
        pawl_status status = PAWL_OK;

        document.path = malloc(path_size);
        if (document.path)
                memcpy(document.path, path, path_size);
        else
                status = pawl__nomem(err);
        if (!status)
                status = pawl__sha256(NULL, document.hash, text->data, text->len, err);
        if (!status) {
                status = is_json(path) ? read_json(&document, text, err)
                                       : read_yaml(&document, text, err);
                if (status == PAWL_EPARSE || status == PAWL_ETOOBIG)
                        pawl__fail_prefix(err, status, "%s", path);
        }
        pawl__buf_free(text);
        if (status)
                pawl__document_free(&document);
        else
                *out = document;
        return status;
}

pawl_status pawl__document_parse(
        pawl__document *out, const char *path, const char *text, size_t len, pawl_error *err)
{
        pawl__buf copy = PAWL__BUF_INIT;

        if (len > PAWL__DOCUMENT_MAX)
                return too_big(path, err);
        if (pawl__buf_add(&copy, text, len))
                return pawl__nomem(err);
        return parse(out, path, &copy, err);
}

pawl_status pawl__document_load(pawl__document *out, const char *path, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;
        pawl_status status = read_file(&text, path, err);

        if (status) {
                pawl__buf_free(&text);
                return status;
        }
        return parse(out, path, &text, err);
}

pawl_status pawl__document_hash(unsigned char hash[32], const char *path, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;
        pawl_status status = read_file(&text, path, err);

        if (!status)
                status = pawl__sha256(NULL, hash, text.data, text.len, err);
        pawl__buf_free(&text);
        return status;
}

void pawl__document_free(pawl__document *document)
{
        free(document->path);
        pawl__buf_free(&document->json);
        pawl__json_tree_free(&document->tree);
        free(document->lines);
        *document = (pawl__document){NULL, PAWL__BUF_INIT, PAWL__JSON_TREE_INIT, NULL, {0}};
}

void pawl__document_drop_tree(pawl__document *document)
{
        pawl__json_tree_free(&document->tree);
        free(document->lines);
        document->lines = NULL;
}

pawl_status pawl__document_reread(pawl__document *document, pawl_error *err)
{
        return document->tree.n ? PAWL_OK : read_tree(document, err);
}

uint32_t pawl__document_line(const pawl__document *document, pawl__node node)
{
        return document->lines[node].value & ~PAWL__YAML_REWRITTEN;
}

uint32_t pawl__document_key_line(const pawl__document *document, pawl__node node)
{
        return document->lines[node].key;
}

pawl_text pawl__document_word(const pawl__document *document, pawl__node node)
{
        const pawl__json_node *value = pawl__json_at(&document->tree, node);

        if (document->lines[node].value & PAWL__YAML_REWRITTEN)
                return (pawl_text){NULL, 0};
        switch (value->type) {
        case PAWL__JSON_STRING:
        case PAWL__JSON_NUMBER:
                return value->value;
        case PAWL__JSON_TRUE:
                return pawl__text("true");
        case PAWL__JSON_FALSE:
                return pawl__text("false");
        default:
                return (pawl_text){NULL, 0};
        }
}

pawl_status pawl__document_fail(
        const pawl__document *document, pawl__node node, pawl_error *err, const char *format, ...)
{
        char what[PAWL_ERROR_MAX];
        va_list args;

        va_start(args, format);
        vsnprintf(what, sizeof what, format, args);
        va_end(args);
        return pawl__fail(err, PAWL_EPARSE, "%s: line %u: %s", document->path,
                (unsigned)pawl__document_line(document, node), what);
}
