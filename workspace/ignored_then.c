#include "workspace/ignored_then.h"
#include "base/error.h"
#include "workspace/scan/git_rules.h"
#include <stdlib.h>

/* A directory that a path lies in. */
struct pawl__then_level {
        size_t path_len, rules; /* of its path, with a '/' at its end; in force above it */
        bool all;               /* it is ignored, with all that is in it */
        pawl__buf encoded;      /* empty: the tree has no such directory */
        pawl__tree_reader reader;
        pawl__entry next; /* the first that was not passed over; PAWL__ENTRY_NONE: there is none */
        pawl__buf asked;  /* the name that was looked for last */
};

static bool matches(pawl__ignored_then *t, pawl_text path, size_t name_at, bool directory)
{
        const pawl_text own = pawl__text_n(path.data + t->root_len, path.len - t->root_len);
        const size_t at = name_at - t->root_len;
        pawl__ignore_verdict verdict = PAWL__IGNORE_TAKE;

        if (pawl__ignore_match(&t->included, own, at, directory) != PAWL__IGNORE_LEAVE) {
                verdict = pawl__ignore_match(&t->excluded, own, at, directory);
                if (verdict != PAWL__IGNORE_LEAVE)
                        verdict = pawl__ignore_match(&t->rules, path, name_at, directory);
        }
        return verdict == PAWL__IGNORE_LEAVE || verdict == PAWL__IGNORE_LEAVE_OWN;
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* Rules that are lost leave nothing out. */
static pawl_status add_rules(
        pawl__ignored_then *t, const pawl__entry *file, size_t base, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;
        pawl_status status = pawl__contents_read(
                t->contents, file->hash, file->size, pawl__content_to_buf, &text, err);

        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED)
                pawl__buf_clear(&text), status = PAWL_OK;
        if (!status)
                status = pawl__ignore_add(&t->rules, pawl__buf_text(&text), base, err);
        pawl__buf_free(&text);
        return status;
}

/* The lists that the checkpoint was taken with. */
static pawl_status read_lists(pawl__ignored_then *t, pawl_error *err)
{
        pawl__workspace_lists lists = {.n_include = 0};
        pawl_text prefix = {"", 0};
        pawl_status status = pawl__workspace_lists_of(
                &lists, pawl__contents_log(t->contents), t->seq, &t->arena, err);

        if (!status && lists.git_rules.data)
                status = pawl__git_rules_read(&t->rules, &prefix, lists.git_rules, err);
        if (status == PAWL_EDAMAGED) { /* lost, too */
                pawl__ignore_cut(&t->rules, 0);
                prefix.len = 0;
                status = PAWL_OK;
        }
        t->included.fold = t->excluded.fold = t->rules.fold;
        for (size_t i = 0; i < lists.n_include && !status; i++)
                status = pawl__ignore_add(&t->included, lists.include[i], 0, err);
        for (size_t i = 0; i < lists.n_exclude && !status; i++)
                status = pawl__ignore_add(&t->excluded, lists.exclude[i], 0, err);
        pawl__buf_add_text(&t->path, prefix);
        t->root_len = prefix.len;
        return status ? status : pawl__buf_check(&t->path, err);
}

/* ---- Directories ----------------------------------------------------------------------------- */

static pawl_status begin(struct pawl__then_level *level, pawl_error *err)
{
        level->next.kind = PAWL__ENTRY_NONE;
        return level->encoded.len
                       ? pawl__tree_open(&level->reader, pawl__buf_text(&level->encoded), err)
                       : PAWL_OK;
}

static pawl_status step(struct pawl__then_level *level, pawl_error *err)
{
        const pawl_status status = pawl__tree_next(&level->next, &level->reader, err);

        if (status == PAWL_DONE)
                level->next.kind = PAWL__ENTRY_NONE;
        return status;
}

/* Its own rules, which come into force. */
static pawl_status read_rules(
        pawl__ignored_then *t, struct pawl__then_level *level, pawl_error *err)
{
        static const char *const files[] = {".gitignore", ".pawlignore"};
        pawl__entry rules[2] = {{.kind = PAWL__ENTRY_NONE}, {.kind = PAWL__ENTRY_NONE}};
        pawl_status status = begin(level, err);

        while (!status && level->encoded.len && (status = step(level, err)) == PAWL_OK)
                for (size_t i = 0; i < 2; i++)
                        if (pawl__text_is(level->next.name, files[i]) &&
                                level->next.kind == PAWL__ENTRY_FILE)
                                rules[i] = level->next;
        status = status == PAWL_DONE ? PAWL_OK : status;
        for (size_t i = 0; i < 2 && !status; i++) {
                const size_t before = t->rules.n;
                if (rules[i].kind == PAWL__ENTRY_FILE)
                        status = add_rules(t, &rules[i], level->path_len, err);
                if (i == 1)
                        pawl__ignore_own(&t->rules, before);
        }
        return status ? status : begin(level, err);
}

/* The directory that t->path names by now, of that hash; NULL: the tree has none there. */
static pawl_status push(pawl__ignored_then *t, const unsigned char *hash, bool all, pawl_error *err)
{
        if (pawl__grow(&t->levels, &t->cap_levels, t->n_levels + 1, sizeof *t->levels))
                return pawl__nomem(err);
        struct pawl__then_level *level = &t->levels[t->n_levels++];
        *level = (struct pawl__then_level){.path_len = t->path.len,
                .rules = t->rules.n,
                .all = all,
                .encoded = PAWL__BUF_INIT,
                .asked = PAWL__BUF_INIT};
        if (all || !hash)
                return PAWL_OK;
        TRY(t->directories->get(&level->encoded, hash, t->directories->user, err));
        return read_rules(t, level, err);
}

static void pop(pawl__ignored_then *t)
{
        struct pawl__then_level *level = &t->levels[--t->n_levels];

        pawl__ignore_cut(&t->rules, level->rules);
        pawl__buf_free(&level->encoded);
        pawl__buf_free(&level->asked);
}

/* *out: the hash of the directory of that name in the level; NULL: there is none. */
static pawl_status find(
        const unsigned char **out, struct pawl__then_level *level, pawl_text name, pawl_error *err)
{
        pawl_status status = PAWL_OK;
        int order = -1;

        *out = NULL;
        if (!level->encoded.len)
                return PAWL_OK;
        if (level->asked.len && pawl__text_cmp(name, pawl__buf_text(&level->asked)) < 0)
                status = begin(level, err); /* not in the order of a walk */
        pawl__buf_clear(&level->asked);
        pawl__buf_add_text(&level->asked, name);
        if (!status)
                status = pawl__buf_check(&level->asked, err);
        while (!status &&
                (!level->next.kind || (order = pawl__text_cmp(level->next.name, name)) < 0))
                status = step(level, err);
        if (!status && order == 0 && level->next.kind == PAWL__ENTRY_DIRECTORY)
                *out = level->next.hash;
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* Go down into the directory of that name, whose path ends so. */
static pawl_status enter(pawl__ignored_then *t, pawl_text name, pawl_error *err)
{
        struct pawl__then_level *above = &t->levels[t->n_levels - 1];
        const size_t name_at = t->path.len;
        const unsigned char *hash = NULL;
        unsigned char copy[32];
        bool all = above->all;

        pawl__buf_add_text(&t->path, name);
        TRY(pawl__buf_check(&t->path, err));
        all = all || matches(t, pawl__buf_text(&t->path), name_at, true);
        if (!all)
                TRY(find(&hash, above, name, err));
        if (hash) /* the levels may move */
                memcpy(copy, hash, sizeof copy);
        pawl__buf_addc(&t->path, '/');
        TRY(pawl__buf_check(&t->path, err));
        return push(t, hash ? copy : NULL, all, err);
}

/* Let the innermost level be that directory, "" or "a/b/". */
static pawl_status go_to(pawl__ignored_then *t, pawl_text directory, pawl_error *err)
{
        if (!t->n_levels) {
                TRY(read_lists(t, err));
                TRY(push(t, t->tree, false, err));
        }
        for (;;) {
                const size_t len = t->levels[t->n_levels - 1].path_len - t->root_len;
                if (len <= directory.len &&
                        memcmp(t->path.data + t->root_len, directory.data, len) == 0)
                        break;
                pop(t);
        }
        t->path.len = t->levels[t->n_levels - 1].path_len;
        for (size_t at; (at = t->path.len - t->root_len) < directory.len;) {
                const char *slash = memchr(directory.data + at, '/', directory.len - at);
                TRY(enter(t,
                        pawl__text_n(directory.data + at, (size_t)(slash - directory.data) - at),
                        err));
        }
        return PAWL_OK;
}

pawl_status pawl__ignored_then_has(
        bool *yes, pawl__ignored_then *t, pawl_text path, bool directory, pawl_error *err)
{
        const char *slash = memrchr(path.data, '/', path.len);
        const size_t name_at = slash ? (size_t)(slash + 1 - path.data) : 0;

        *yes = false;
        if (!t->tree)
                return PAWL_OK;
        TRY(go_to(t, pawl__text_n(path.data, name_at), err));
        pawl__buf_add(&t->path, path.data + name_at, path.len - name_at);
        TRY(pawl__buf_check(&t->path, err));
        *yes = t->levels[t->n_levels - 1].all ||
               matches(t, pawl__buf_text(&t->path), t->root_len + name_at, directory);
        t->path.len = t->levels[t->n_levels - 1].path_len;
        return PAWL_OK;
}

pawl_status pawl__ignored_then_change(
        bool *yes, pawl__ignored_then sides[2], const pawl__change *change, pawl_error *err)
{
        const pawl__entry *only = change->from ? change->from : change->to;

        *yes = false;
        if (change->from && change->to)
                return PAWL_OK;
        return pawl__ignored_then_has(yes, &sides[change->from ? 1 : 0], change->path,
                only->kind == PAWL__ENTRY_DIRECTORY, err);
}

void pawl__ignored_then_free(pawl__ignored_then *t)
{
        while (t->n_levels)
                pop(t);
        free(t->levels);
        pawl__buf_free(&t->path);
        pawl__ignore_free(&t->rules);
        pawl__ignore_free(&t->included);
        pawl__ignore_free(&t->excluded);
        pawl__arena_free(&t->arena);
        t->levels = NULL;
}
