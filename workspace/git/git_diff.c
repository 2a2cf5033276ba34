#include "workspace/git/git_diff.h"
#include "workspace/git/git_library.h"

static int tell_hunk(const git_diff_delta *delta, const git_diff_hunk *hunk, void *user)
{
        const pawl__git_sink *sink = user;
        const pawl__git_hunk told = {(uint64_t)hunk->old_start, (uint64_t)hunk->old_lines,
                (uint64_t)hunk->new_start, (uint64_t)hunk->new_lines};

        (void)delta;
        sink->hunk(&told, sink->user);
        return 0;
}

static int tell_line(const git_diff_delta *delta, const git_diff_hunk *hunk,
        const git_diff_line *line, void *user)
{
        const pawl__git_sink *sink = user;

        (void)delta;
        (void)hunk;
        /* that a newline is missing, the line shows */
        if (line->origin == GIT_DIFF_LINE_ADDITION || line->origin == GIT_DIFF_LINE_DELETION ||
                line->origin == GIT_DIFF_LINE_CONTEXT)
                sink->line(
                        line->origin, pawl__text_n(line->content, line->content_len), sink->user);
        return 0;
}

pawl_status pawl__git_compare(pawl_text before, pawl_text after, unsigned context,
        const pawl__git_sink *sink, pawl_error *err)
{
        const pawl__git_library *git;
        git_diff_options options = {.version = GIT_DIFF_OPTIONS_VERSION};
        pawl_status status = pawl__git_load(&git, err);

        if (status)
                return status;
        options.flags = GIT_DIFF_FORCE_TEXT;
        options.context_lines = context;
        int code = git->git_diff_buffers(before.data, before.len, NULL, after.data, after.len, NULL,
                &options, NULL, NULL, tell_hunk, tell_line, (void *)(uintptr_t)sink);
        return code ? pawl__git_fail(err, code, "two texts", "comparing them") : PAWL_OK;
}
