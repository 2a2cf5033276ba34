#include "workspace/rollback/ignored_then.h"
#include "base/error.h"

static bool matches(pawl__ignored_then *t, pawl_text path, size_t name_at, bool directory)
{
        pawl__ignore_verdict verdict = PAWL__IGNORE_TAKE;

        if (pawl__ignore_match(&t->included, path, name_at, directory) != PAWL__IGNORE_LEAVE) {
                verdict = pawl__ignore_match(&t->excluded, path, name_at, directory);
                if (verdict != PAWL__IGNORE_LEAVE)
                        verdict = pawl__ignore_match(&t->rules, path, name_at, directory);
        }
        return verdict == PAWL__IGNORE_LEAVE || verdict == PAWL__IGNORE_LEAVE_OWN;
}

/* Rules that are lost leave nothing out. */
static pawl_status add_rules(
        pawl__ignored_then *t, const pawl__entry *file, size_t base, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;
        pawl_status status = pawl__contents_read(
                t->ws->contents, file->hash, file->size, pawl__content_to_buf, &text, err);

        if (status == PAWL_ENOTFOUND || status == PAWL_EDAMAGED)
                pawl__buf_clear(&text), status = PAWL_OK;
        if (!status)
                status = pawl__ignore_add(&t->rules, pawl__buf_text(&text), base, err);
        pawl__buf_free(&text);
        return status;
}

/* Take in the rules of one directory of the tree, of that hash. *found: the entry of @p name, whose
 * texts are not valid any more. */
static pawl_status enter(pawl__entry *found, pawl__ignored_then *t, const unsigned char hash[32],
        size_t base, pawl_text name, pawl_error *err)
{
        static const char *const files[] = {".gitignore", ".pawlignore"};
        pawl__buf encoded = PAWL__BUF_INIT;
        pawl__tree_reader reader;
        pawl__entry entry, rules[2] = {{.kind = PAWL__ENTRY_NONE}, {.kind = PAWL__ENTRY_NONE}};
        pawl_status status = t->directories->get(&encoded, hash, t->directories->user, err);

        found->kind = PAWL__ENTRY_NONE;
        if (!status)
                status = pawl__tree_open(&reader, pawl__buf_text(&encoded), err);
        while (!status && (status = pawl__tree_next(&entry, &reader, err)) == PAWL_OK) {
                for (size_t i = 0; i < 2; i++)
                        if (pawl__text_is(entry.name, files[i]) && entry.kind == PAWL__ENTRY_FILE)
                                rules[i] = entry;
                if (pawl__text_eq(entry.name, name))
                        *found = entry;
        }
        status = status == PAWL_DONE ? PAWL_OK : status;
        for (size_t i = 0; i < 2 && !status; i++) {
                const size_t before = t->rules.n;
                if (rules[i].kind == PAWL__ENTRY_FILE)
                        status = add_rules(t, &rules[i], base, err);
                if (i == 1)
                        pawl__ignore_own(&t->rules, before);
        }
        pawl__buf_free(&encoded);
        return status;
}

/* Take in the rules from the root to the directory, as far as the tree has one there. */
static pawl_status read_rules(pawl__ignored_then *t, pawl_text directory, pawl_error *err)
{
        pawl__entry at = {.kind = PAWL__ENTRY_DIRECTORY};
        size_t base = 0;

        t->all = t->read = false;
        pawl__ignore_cut(&t->rules, 0);
        pawl__buf_clear(&t->directory);
        pawl__buf_add_text(&t->directory, directory);
        TRY(pawl__buf_check(&t->directory, err));
        memcpy(at.hash, t->tree, sizeof at.hash);
        for (;;) {
                const pawl_text rest = pawl__text_n(directory.data + base, directory.len - base);
                const char *slash = rest.len ? memchr(rest.data, '/', rest.len) : NULL;
                const pawl_text name = slash ? pawl__text_n(rest.data, (size_t)(slash - rest.data))
                                             : pawl__text("");
                unsigned char hash[32];
                memcpy(hash, at.hash, sizeof hash);
                if (at.kind == PAWL__ENTRY_DIRECTORY)
                        TRY(enter(&at, t, hash, base, name, err));
                if (!slash)
                        break;
                if (matches(t, pawl__text_n(directory.data, base + name.len), base, true)) {
                        t->all = true;
                        break;
                }
                base += name.len + 1;
        }
        t->read = true;
        return PAWL_OK;
}

/* The lists that the checkpoint was taken with. */
static pawl_status read_lists(pawl__ignored_then *t, pawl_error *err)
{
        pawl__workspace_lists lists = {NULL, NULL, 0, 0};
        pawl_status status = pawl__workspace_lists_of(&lists, t->ws, t->checkpoint, err);

        for (size_t i = 0; i < lists.n_include && !status; i++)
                status = pawl__ignore_add(&t->included, lists.include[i], 0, err);
        for (size_t i = 0; i < lists.n_exclude && !status; i++)
                status = pawl__ignore_add(&t->excluded, lists.exclude[i], 0, err);
        t->listed = true;
        return status;
}

pawl_status pawl__ignored_then_has(
        bool *yes, pawl__ignored_then *t, pawl_text path, bool directory, pawl_error *err)
{
        const char *slash = memrchr(path.data, '/', path.len);
        const size_t name_at = slash ? (size_t)(slash + 1 - path.data) : 0;
        const pawl_text above = pawl__text_n(path.data, name_at);

        if (!t->listed)
                TRY(read_lists(t, err));
        if (!t->read || !pawl__text_eq(pawl__buf_text(&t->directory), above))
                TRY(read_rules(t, above, err));
        *yes = t->all || matches(t, path, name_at, directory);
        return PAWL_OK;
}

void pawl__ignored_then_free(pawl__ignored_then *t)
{
        pawl__buf_free(&t->directory);
        pawl__ignore_free(&t->rules);
        pawl__ignore_free(&t->included);
        pawl__ignore_free(&t->excluded);
}
