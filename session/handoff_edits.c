/*
 * What people wrote into a document: in NOTES, in sections of their own, before the first heading
 * and below the command. The other sections are derived from the log, and edits there are not kept.
 */
#include "base/error.h"
#include "base/map.h"
#include "session/handoff_text.h"

typedef struct comparing {
        pawl__edits *out;
        const pawl__handoff_text *text;
        pawl_text mission_id;
        pawl__map known; /* notes, collapsed; keys lie in the arena */
        pawl__arena *arena;
        pawl_error *err;
} comparing;

/* ---- Notes that the log has ------------------------------------------------------------------ */

/* What two texts that differ in white space alone share. */
static pawl_status key_of(pawl_text *key, comparing *c, pawl_text text)
{
        pawl__buf buf = PAWL__BUF_INIT;

        pawl__collapse(&buf, text);
        pawl_status status = pawl__buf_check(&buf, c->err);
        *key = pawl__arena_copy(c->arena, pawl__buf_text(&buf));
        pawl__buf_free(&buf);
        return status ? status : pawl__arena_check(c->arena, c->err);
}

static pawl_status is_known(bool *known, comparing *c, pawl_text text)
{
        pawl_text key;
        pawl_status status = key_of(&key, c, text);

        if (!status)
                *known = pawl__map_get(&c->known, key) != PAWL__MAP_NONE;
        return status;
}

static pawl_status know(comparing *c, pawl_text text)
{
        pawl_text key;
        pawl_status status = key_of(&key, c, text);

        if (!status && pawl__map_put(&c->known, key, 0))
                status = pawl__nomem(c->err);
        return status;
}

/* The entry that NOTES has for a note: printed, and read as people's documents are. */
static pawl_status shown(pawl_text *out, comparing *c, const pawl__note *note)
{
        const pawl__notes one = {(pawl__note *)note, 1};
        pawl__handoff_text text = {.n = 0};
        pawl__buf printed = PAWL__BUF_INIT;
        pawl_status status = pawl__handoff_print_notes(&printed, &one, c->err);

        if (!status)
                status = pawl__handoff_read(&text, pawl__buf_text(&printed), c->err);
        if (!status) {
                *out = text.n ? pawl__arena_copy(c->arena, text.list[0].text) : note->text;
                status = pawl__arena_check(c->arena, c->err);
        }
        pawl__handoff_text_free(&text);
        pawl__buf_free(&printed);
        return status;
}

static pawl_status know_notes(comparing *c, const pawl__notes *notes)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < notes->n && !status; i++) {
                pawl_text entry;
                status = know(c, notes->list[i].text);
                if (!status)
                        status = shown(&entry, c, &notes->list[i]);
                if (!status)
                        status = know(c, entry);
        }
        return status;
}

static pawl_status know_done(
        const pawl_event *event, pawl__event_type type, void *user, pawl_error *err)
{
        comparing *c = user;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__notes done;

        if (type != PAWL__SESSION_NOTED || !pawl__text_eq(event->mission_id, c->mission_id) ||
                !event->payload.data)
                return PAWL_OK;
        pawl_status status =
                pawl__json_tree_read(&tree, event->payload.data, event->payload.len, err);
        if (!status)
                status = pawl__notes_read(&done, &tree, "done", c->arena, err);
        pawl__json_tree_free(&tree);
        return status ? status : know_notes(c, &done);
}

/* ---- Notes of the document ------------------------------------------------------------------- */

/* The text without its first line, if that is the document's own. */
static pawl_text below_command(pawl_text text)
{
        static const char *const own[] = {"Nothing is left to do: it is c",
                "When the issues above are answered:", "It was ended with steps still to be done:",
                "It was ended; what is left to do it did not tell:",
                "Run the program that began it again.", "A worker has it.",
                "It is at work; this waits for it", "Its work tree ",
                "It is active; this takes it over:",
                "Another session of its mission is active; this", "pawl resume ",
                "pawl session resume ", "pawl work"};
        const char *end;

        for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
                if (pawl__text_starts(text, own[i]) ||
                        (pawl__text_starts(text, "cd ") &&
                                memmem(text.data, text.len, " && pawl ", 9))) {
                        end = memchr(text.data, '\n', text.len);
                        return end ? pawl__text_n(end + 1, text.len - (size_t)(end + 1 - text.data))
                                   : (pawl_text){NULL, 0};
                }
        return text;
}

/* The text of the note that an entry is; absent: it is none. */
static pawl_text note_of(const pawl__handoff_entry *entry)
{
        switch (entry->section) {
        case PAWL__SECTION_NOTES:
                return entry->ticked ? (pawl_text){NULL, 0} : entry->text;
        case PAWL__SECTION_GO_ON:
                return below_command(entry->text);
        case PAWL__SECTION_TITLE:
        case PAWL__SECTION_OTHER:
                return entry->text;
        default:
                return (pawl_text){NULL, 0};
        }
}

/* Those that are not known. A note that is there twice is one. */
static pawl_status collect(comparing *c)
{
        pawl__edits *out = c->out;
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < c->text->n && !status; i++) {
                const pawl__handoff_entry *entry = &c->text->list[i];
                pawl_text text = note_of(entry);
                bool known = false;
                if (!text.data)
                        continue;
                status = is_known(&known, c, text);
                if (status || known)
                        continue;
                out->entry[out->fresh.n] = i;
                out->fresh.list[out->fresh.n++] = (pawl__note){
                        entry->section == PAWL__SECTION_OTHER ? entry->heading : pawl__text(""),
                        text};
                status = know(c, text);
        }
        return status;
}

/* An old copy of a document does not bring back what was done since. */
static pawl_status drop_done(comparing *c, pawl_log *log, int64_t since)
{
        pawl__edits *out = c->out;
        size_t kept = 0;

        pawl__map_free(&c->known);
        pawl_status status = pawl__log_each(log, (uint64_t)since, know_done, c, c->err);
        for (size_t i = 0; i < out->fresh.n && !status; i++) {
                bool known = false;
                status = is_known(&known, c, out->fresh.list[i].text);
                if (known)
                        continue;
                out->entry[kept] = out->entry[i];
                out->fresh.list[kept++] = out->fresh.list[i];
        }
        out->fresh.n = kept;
        return status;
}

/* The notes in force that NOTES has with "[x]". */
static pawl_status find_done(comparing *c)
{
        pawl__edits *out = c->out;
        pawl_status status = PAWL_OK;

        pawl__map_free(&c->known);
        for (size_t i = 0; i < c->text->n && !status; i++)
                if (c->text->list[i].section == PAWL__SECTION_NOTES && c->text->list[i].ticked)
                        status = know(c, c->text->list[i].text);
        for (size_t i = 0; i < out->in_force.n && !status && c->known.count; i++) {
                pawl_text entry;
                status = is_known(&out->is_done[i], c, out->in_force.list[i].text);
                if (!status && !out->is_done[i]) {
                        status = shown(&entry, c, &out->in_force.list[i]);
                        if (!status)
                                status = is_known(&out->is_done[i], c, entry);
                }
                out->n_done += out->is_done[i];
        }
        return status;
}

pawl_status pawl__handoff_edits(pawl__edits *out, const pawl__handoff_text *text, pawl_log *log,
        pawl__state *state, const pawl__row *session, pawl_text mission_id, pawl__arena *arena,
        pawl_error *err)
{
        comparing c = {out, text, mission_id, PAWL__MAP_INIT, arena, err};
        pawl_status status;

        *out = (pawl__edits){.n_done = 0};
        status = pawl__notes_in_force(&out->in_force, log, state, mission_id, arena, err);
        if (status)
                return status;
        out->is_done = pawl__arena_array(arena, out->in_force.n, sizeof *out->is_done);
        out->fresh.list = pawl__arena_array(arena, text->n, sizeof *out->fresh.list);
        out->entry = pawl__arena_array(arena, text->n, sizeof *out->entry);
        if (!out->is_done || !out->fresh.list || !out->entry)
                return pawl__nomem(err);
        memset(out->is_done, 0, out->in_force.n * sizeof *out->is_done);
        status = know_notes(&c, &out->in_force);
        if (!status)
                status = know(&c, pawl__text("None"));
        if (!status)
                status = collect(&c);
        if (!status && out->fresh.n && session)
                status = drop_done(&c, log, session->v[PAWL__SES_SEQ].integer);
        if (!status)
                status = find_done(&c);
        pawl__map_free(&c.known);
        return status;
}
