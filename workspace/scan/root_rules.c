/* The rules that a scan begins with: those of git's configuration, of the repository around the
 * root and of the directories above it, and what git tracks whatever they say. */
#include "base/error.h"
#include "workspace/git/git_place.h"
#include "workspace/scan/git_config.h"
#include "workspace/scan/git_rules.h"
#include "workspace/scan/scan_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>

/* What is in force beside files of the tree, so that the next scan knows whether that is the same.
 */
static void note(pawl__scanner *s, pawl_text list)
{
        pawl__buf_add_text(&s->lists, list);
        pawl__buf_addc(&s->lists, '\0');
}

/* The list that was read last is kept with the checkpoint, if there are rules in it. */
static void keep(pawl__scanner *s, size_t base, size_t n_before)
{
        if (s->ignore.n > n_before)
                pawl__git_rules_add(&s->in->git_rules, base, pawl__buf_text(&s->rules));
}

/* A list of git's own, which may be a link. */
static pawl_status add_list(pawl__scanner *s, const char *path, pawl_error *err)
{
        const size_t before = s->ignore.n;

        pawl__buf_clear(&s->rules);
        pawl_status status = pawl__git_file(&s->rules, path, PAWL__RULES_MAX, err);

        if (status == PAWL_ENOTFOUND)
                status = PAWL_OK;
        else if (!status)
                status = pawl__ignore_add(&s->ignore, pawl__buf_text(&s->rules), 0, err);
        keep(s, 0, before);
        note(s, pawl__buf_text(&s->rules));
        return status;
}

/* The directories from the top of the work tree down to the root's. PAWL_DONE: one of them is left
 * out by those above, so that git has nothing to do with the root. */
static pawl_status add_all_above(pawl__scanner *s, const pawl__git_place *place, pawl_error *err)
{
        const pawl_text prefix = pawl__buf_text(&place->prefix);
        pawl_status status = PAWL_OK;

        for (size_t at = 0, next; at < prefix.len && !status; at = next) {
                const size_t before = s->ignore.n;
                pawl__buf path = PAWL__BUF_INIT;
                next = (size_t)((const char *)memchr(prefix.data + at, '/', prefix.len - at) -
                                prefix.data) +
                       1;
                pawl__buf_adds(&path, place->top.data);
                pawl__buf_add(&path, prefix.data, at);
                pawl__buf_adds(&path, ".gitignore");
                status = pawl__buf_check(&path, err);
                if (!status)
                        status = pawl__scan_add_rules(s, AT_FDCWD, path.data, at, err);
                if (status == PAWL_DONE)
                        status = pawl__scan_no_rules(s, path.data, errno, err);
                pawl__buf_free(&path);
                keep(s, at, before);
                note(s, pawl__buf_text(&s->rules));
                if (!status && pawl__ignore_match(&s->ignore, (pawl_text){prefix.data, next - 1},
                                       at, true) == PAWL__IGNORE_LEAVE)
                        return PAWL_DONE;
        }
        return status;
}

/* What git says where it is found at @p place; NULL: nowhere. PAWL_DONE as above. */
static pawl_status add_git(
        pawl__scanner *s, const pawl__git_place *place, const char *root, pawl_error *err)
{
        const pawl__git_user user = {s->options->home, s->options->config_home};
        const char *git = place ? place->git.data : NULL;
        const char *common = place ? place->common.data : NULL;
        pawl__buf path = PAWL__BUF_INIT;
        pawl__git_config config;
        pawl_status status = pawl__git_config_read(
                &config, &user, git, common, place ? place->top.data : root, err);

        pawl__git_rules_begin(&s->in->git_rules, config.fold,
                place ? pawl__buf_text(&place->prefix) : pawl__text(""));
        s->ignore.fold = s->exclude.fold = config.fold;
        if (config.fold)
                note(s, pawl__text("core.ignoreCase"));
        if (!status && config.excludes.len)
                status = add_list(s, config.excludes.data, err);
        if (!status && place) {
                pawl__buf_addf(&path, "%s/info/exclude", common);
                status = pawl__buf_check(&path, err);
        }
        if (!status && place)
                status = add_list(s, path.data, err);
        if (!status && place)
                status = add_all_above(s, place, err);
        if (!status && place)
                status = pawl__tracked_read(&s->tracked, git, config.sha256 ? 32 : 20, err);
        if (!status && place) {
                pawl__buf_add_text(&s->full, pawl__buf_text(&place->prefix));
                status = pawl__buf_check(&s->full, err);
        }
        s->prefix_len = s->full.len;
        note(s, pawl__buf_text(&s->full));
        note(s, pawl__buf_text(&s->tracked.names));
        pawl__git_config_free(&config);
        pawl__buf_free(&path);
        return status;
}

pawl_status pawl__scan_root_rules(pawl__scanner *s, pawl_error *err)
{
        const pawl__scan_options *options = s->options;
        char root[PATH_MAX];
        pawl__git_place place;
        pawl_status status;

        if (!realpath(options->root, root))
                return pawl__fail(err, PAWL_EIO, "%s: cannot be scanned: %s; check the path",
                        options->root, strerrordesc_np(errno));
        status = pawl__git_place_find(&place, root, err);
        if (status == PAWL_ENOTFOUND && place.inside)
                status = pawl__fail(err, PAWL_EINVAL,
                        "%s: is in %s, a directory of git's own, whose files no checkpoint has; name "
                        "the work tree as the root",
                        options->root, place.top.data);
        if (!status)
                status = add_git(s, &place, root, err);
        if (status == PAWL_DONE)
                pawl__ignore_cut(&s->ignore, 0);
        if (status == PAWL_DONE || status == PAWL_ENOTFOUND)
                status = add_git(s, NULL, root, err);
        pawl__git_place_free(&place);
        for (size_t i = 0; i < options->n_exclude && !status; i++) {
                status = pawl__ignore_add(&s->exclude, options->exclude[i], 0, err);
                note(s, options->exclude[i]);
        }
        if (options->also) /* an index made now is of no use to a scan without it */
                note(s, pawl__text("also"));
        if (!status)
                status = pawl__buf_check(&s->lists, err);
        pawl__git_rules_end(&s->in->git_rules);
        if (!status)
                status = pawl__buf_check(&s->in->git_rules, err);
        s->scan->git_rules =
                s->in->git_rules.len ? pawl__buf_text(&s->in->git_rules) : pawl__text(NULL);
        if (!status)
                status = pawl__sha256(pawl__contents_hasher(s->contents), s->in->index.of.rules,
                        s->lists.data, s->lists.len, err);
        pawl__buf_free(&s->lists);
        return status;
}
