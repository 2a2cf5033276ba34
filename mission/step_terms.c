/*
 * What a step's command is told of the glossary: two files beside the log, there while the command
 * runs. One that a killed pawl left behind is replaced when the step is started again.
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

/* Anew: whoever has an old file open keeps what that says. The directory is there from the run's
 * first command on. */
static pawl_status write_file(char *path, size_t dir, pawl_text text, pawl_error *err)
{
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

pawl_status pawl__step_terms_begin(pawl__step_terms *files, pawl__step_run *p)
{
        pawl__runner *r = p->r;
        pawl_glossary_terms terms;

        pawl__pipeline_attach(
                r->pipeline, p->ctx); /* other steps' passes may have loaded the senses anew */
        if (pawl_context_terms(&terms, p->ctx)) {
                r->error = p->ctx->error;
                return r->error.status;
        }
        if (pawl__terms_file_path(
                    &files->json, &files->dir, r->log, r->run_id, p->step->id, "json") ||
                pawl__terms_file_path(
                        &files->markdown, &files->dir, r->log, r->run_id, p->step->id, "md"))
                return pawl__nomem(&r->error);
        return put(files, &terms, &r->error);
}

void pawl__step_terms_end(pawl__step_terms *files)
{
        if (files->json.data)
                unlink(files->json.data);
        if (files->markdown.data)
                unlink(files->markdown.data);
        pawl__buf_free(&files->json);
        pawl__buf_free(&files->markdown);
}

void pawl__step_terms_tidy(const pawl__runner *r)
{
        pawl__buf path = PAWL__BUF_INIT;
        size_t dir;

        if (!pawl__log_file_path(&path, &dir, r->log, r->run_id, r->run_id, 0))
                pawl__log_file_tidy(path.data);
        pawl__buf_free(&path);
}
