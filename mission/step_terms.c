/*
 * What a step's command is told of the glossary: two files beside the log, there while the command
 * runs. They stay until the run's steps end, since to make and remove them takes longer than to see
 * that they say already what the next command is to be told, most often nothing. So there are as
 * many pairs as commands are at work at once, numbered. What a killed pawl left behind is replaced,
 * or is right, when the run goes on.
 */
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "glossary/terms.h"
#include "mission/attempts.h"
#include "mission/runner.h"
#include "pipeline/object.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int create(const char *path)
{
        return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Is it such a file as create() makes, with this text? */
static bool says(const char *path, pawl_text text)
{
        pawl__buf now = PAWL__BUF_INIT;
        const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        struct stat st;
        bool same = fd >= 0 && fstat(fd, &st) == 0 && st.st_mode == (S_IFREG | 0600) &&
                    st.st_nlink == 1 && st.st_size == (off_t)text.len;

        same = same && !pawl__read_all(&now, fd, text.len) &&
               pawl__text_eq(pawl__buf_text(&now), text);
        if (fd >= 0)
                close(fd);
        pawl__buf_free(&now);
        return same;
}

/* Anew: whoever has an old file open keeps what that says. The directory is there from the run's
 * first command on. */
static pawl_status write_file(char *path, size_t dir, pawl_text text, pawl_error *err)
{
        if (says(path, text))
                return PAWL_OK;
        int fd = create(path);
        int error = fd < 0 ? errno : 0;

        if (error == ENOENT) {
                error = pawl__log_file_directories(path, dir);
                if (error)
                        return pawl__fail_errno(
                                err, error, path, "make the directory for what a command is told");
        } else if (error == EEXIST && unlink(path) != 0 && errno != ENOENT) {
                return pawl__fail_errno(err, errno, path, "replace what a command is told");
        }
        if (fd < 0)
                fd = create(path);
        error = fd < 0 ? errno : pawl__fill_file(fd, 0, text.data, text.len, false);
        return error ? pawl__fail_errno(err, error, path, "write what a command is told") : PAWL_OK;
}

static pawl_status put(
        const pawl__step_terms *files, const pawl_glossary_terms *terms, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__buf markdown = PAWL__BUF_INIT;

        pawl__json_open_object(&w);
        pawl__json_name(&w, "terms");
        pawl__terms_write(&w, terms);
        pawl__json_close_object(&w);
        pawl_status status = pawl__json_end_writer(&w) ? pawl__nomem(err) : PAWL_OK;
        if (!status)
                status = write_file(files->json.data, files->dir, pawl__buf_text(&w.buf), err);
        if (!status)
                status = pawl__terms_markdown(&markdown, terms, err);
        if (!status)
                status = write_file(
                        files->markdown.data, files->dir, pawl__buf_text(&markdown), err);
        pawl__json_writer_free(&w);
        pawl__buf_free(&markdown);
        return status;
}

static pawl_status find_paths(pawl__step_terms *files, const pawl_log *log, pawl_text run_id)
{
        if (pawl__terms_file_path(&files->json, &files->dir, log, run_id, files->number, "json") ||
                pawl__terms_file_path(
                        &files->markdown, &files->dir, log, run_id, files->number, "md"))
                return PAWL_ENOMEM;
        return PAWL_OK;
}

static void free_paths(pawl__step_terms *files)
{
        pawl__buf_free(&files->json);
        pawl__buf_free(&files->markdown);
}

pawl_status pawl__step_terms_begin(pawl__step_terms *files, pawl__step_run *p)
{
        pawl__runner *r = p->r;
        pawl_glossary_terms terms;
        unsigned number = 0;

        pawl__pipeline_attach(
                r->pipeline, p->ctx); /* other steps' passes may have loaded the senses anew */
        if (pawl_context_terms(&terms, p->ctx)) {
                r->error = p->ctx->error;
                return r->error.status;
        }
        while (r->terms_taken[number])
                number++;
        r->terms_taken[number] = true;
        files->number = number + 1;
        if (r->n_terms < files->number)
                r->n_terms = files->number;
        if (find_paths(files, r->log, r->run_id))
                return pawl__nomem(&r->error);
        pawl_status status = put(files, &terms, &r->error);
        if (status == PAWL_ENOTFOUND) { /* the log's directory was removed since the last commit */
                status = pawl__log_keep(r->log);
                if (status)
                        r->error = *pawl__log_error(r->log);
                else
                        status = put(files, &terms, &r->error);
        }
        return status;
}

void pawl__step_terms_end(pawl__step_terms *files, pawl__runner *r)
{
        if (files->number)
                r->terms_taken[files->number - 1] = false;
        free_paths(files);
}

void pawl__step_terms_tidy(const pawl_log *log, pawl_text run_id, unsigned n)
{
        bool more = true; /* a pawl that was killed may have had more */

        for (unsigned number = 1; number <= PAWL__COMMANDS_MOST && more; number++) {
                pawl__step_terms files = {.number = number};
                if (!find_paths(&files, log, run_id)) {
                        const bool there = unlink(files.json.data) == 0;
                        more = unlink(files.markdown.data) == 0 || there || number < n;
                        if (!more)
                                pawl__log_file_tidy(files.json.data);
                }
                free_paths(&files);
        }
}
