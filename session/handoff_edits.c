/*
 * What people changed in a document: the entries that the log does not know. Only where there is
 * one, the log is asked for what it once knew, too.
 */
#include "base/error.h"
#include "base/printable.h"
#include "session/handoff_known.h"

typedef struct comparing {
        pawl__edits *out;
        const pawl__handoff_text *text;
        pawl__known known;
} comparing;

static bool is_theirs(pawl__section section)
{
        return section == PAWL__SECTION_TITLE || section == PAWL__SECTION_NEXT ||
               section == PAWL__SECTION_ISSUES || section == PAWL__SECTION_NOTES ||
               section == PAWL__SECTION_GO_ON || section == PAWL__SECTION_OTHER;
}

static bool starts_with(pawl_text text, const char *with)
{
        size_t len = strlen(with);

        return text.len >= len && memcmp(text.data, with, len) == 0;
}

/* Its lines that are not known, after the first one, which says what they are about. */
static pawl_status theirs_of(pawl_text *out, const pawl__handoff_entry *entry, comparing *c)
{
        pawl_text rest = entry->text, line;
        pawl__buf kept = PAWL__BUF_INIT;
        bool first = true, some = false, ok = true;
        pawl_status status = PAWL_OK;

        while (!status && pawl__next_line(&line, &rest)) {
                bool known = false;
                status = pawl__known_is(&known, &c->known, line);
                if (!status && entry->section == PAWL__SECTION_GO_ON)
                        known = known || starts_with(line, "pawl resume ") ||
                                starts_with(line, "pawl session resume ");
                some = some || !known;
                if (!status && (!known || first) &&
                        ((!first && pawl__buf_addc(&kept, '\n')) ||
                                pawl__buf_add(&kept, line.data, line.len)))
                        status = pawl__nomem(c->known.err);
                first = false;
        }
        *out = (pawl_text){NULL, 0};
        if (!status && some) {
                *out = pawl__arena_text(c->known.arena, pawl__buf_text(&kept), &ok);
                if (!ok)
                        status = pawl__nomem(c->known.err);
        }
        pawl__buf_free(&kept);
        return status;
}

/* The text of the note that an entry is; absent: it is none. */
static pawl_status note_of(pawl_text *out, const pawl__handoff_entry *entry, comparing *c)
{
        bool known = false, ok = true,
             by_line =
                     entry->section != PAWL__SECTION_NOTES && entry->section != PAWL__SECTION_OTHER;
        pawl__buf ticked = PAWL__BUF_INIT;
        pawl_status status;

        *out = (pawl_text){NULL, 0};
        if (!is_theirs(entry->section) || (entry->section == PAWL__SECTION_NOTES && entry->ticked))
                return PAWL_OK;
        status = pawl__known_is(&known, &c->known, entry->text);
        if (!status && !known && by_line)
                status = theirs_of(out, entry, c);
        else if (!known)
                *out = entry->text;
        if (status || !out->data)
                return status;
        if (entry->ticked) {
                if (pawl__buf_adds(&ticked, "[x] ") || pawl__buf_add(&ticked, out->data, out->len))
                        ok = false;
                else
                        *out = pawl__arena_text(c->known.arena, pawl__buf_text(&ticked), &ok);
                pawl__buf_free(&ticked);
        }
        if (!ok)
                return pawl__nomem(c->known.err);
        status = pawl__known_is(&known, &c->known, *out);
        if (!status && known)
                *out = (pawl_text){NULL, 0};
        return status;
}

static pawl_status any_new(bool *any, comparing *c)
{
        pawl_status status = PAWL_OK;

        *any = false;
        for (size_t i = 0; i < c->text->n && !status && !*any; i++) {
                pawl_text note;
                status = note_of(&note, &c->text->list[i], c);
                *any = note.data != NULL;
        }
        return status;
}

/* A note that stands there twice is one. A NOTES entry keeps no section but what it says itself. */
static pawl_status collect(comparing *c)
{
        pawl__edits *out = c->out;
        pawl_status status = PAWL_OK;

        out->fresh.list = pawl__arena_array(c->known.arena, c->text->n, sizeof *out->fresh.list);
        out->entry = pawl__arena_array(c->known.arena, c->text->n, sizeof *out->entry);
        if (!out->fresh.list || !out->entry)
                return pawl__nomem(c->known.err);
        for (size_t i = 0; i < c->text->n && !status; i++) {
                const pawl__handoff_entry *entry = &c->text->list[i];
                pawl_text text;
                status = note_of(&text, entry, c);
                if (status || !text.data)
                        continue;
                out->entry[out->fresh.n] = i;
                out->fresh.list[out->fresh.n++] =
                        (pawl__note){entry->section == PAWL__SECTION_NOTES ||
                                                     entry->section == PAWL__SECTION_GO_ON
                                             ? pawl__text("")
                                             : entry->heading,
                                text};
                status = pawl__known_add(&c->known, text);
        }
        return status;
}

/* The notes in force that NOTES has with "[x]". */
static pawl_status find_done(comparing *c)
{
        pawl__edits *out = c->out;
        pawl__map ticked = PAWL__MAP_INIT;
        pawl__buf shown = PAWL__BUF_INIT;
        pawl_status status = PAWL_OK;

        out->is_done = pawl__arena_array(c->known.arena, out->in_force.n, sizeof *out->is_done);
        if (!out->is_done)
                return pawl__nomem(c->known.err);
        for (size_t i = 0; i < c->text->n && !status; i++) {
                const pawl__handoff_entry *entry = &c->text->list[i];
                pawl_text key;
                if (entry->section != PAWL__SECTION_NOTES || !entry->ticked)
                        continue;
                status = pawl__known_key(&key, &c->known, entry->text);
                if (!status && pawl__map_put(&ticked, key, 0))
                        status = pawl__nomem(c->known.err);
        }
        for (size_t i = 0; i < out->in_force.n && !status && ticked.count; i++) {
                const pawl__note *note = &out->in_force.list[i];
                pawl_text key;
                pawl__buf_clear(&shown);
                status = pawl__known_key(&key, &c->known, note->text);
                if (status)
                        break;
                if ((note->section.len && (pawl__buf_adds(&shown, "(") ||
                                                  pawl__printable(&shown, note->section) ||
                                                  pawl__buf_adds(&shown, ") "))) ||
                        pawl__printable(&shown, key)) {
                        status = pawl__nomem(c->known.err);
                        break;
                }
                out->is_done[i] =
                        pawl__map_get(&ticked, pawl__buf_text(&shown)) != PAWL__MAP_NONE ||
                        pawl__map_get(&ticked, key) != PAWL__MAP_NONE;
                out->n_done += out->is_done[i];
        }
        pawl__buf_free(&shown);
        pawl__map_free(&ticked);
        return status;
}

pawl_status pawl__handoff_edits(pawl__edits *out, const pawl__handoff_text *text, pawl_log *log,
        pawl__state *state, const pawl__row *session, pawl_text mission_id, pawl__arena *arena,
        pawl_error *err)
{
        comparing c = {out, text,
                {.log = log,
                        .state = state,
                        .session = session,
                        .mission_id = mission_id,
                        .arena = arena,
                        .err = err}};
        bool any;
        pawl_status status;

        *out = (pawl__edits){.n_done = 0};
        status = pawl__notes_in_force(&out->in_force, log, state, mission_id, arena, err);
        c.known.in_force = out->in_force;
        if (!status)
                status = pawl__known_present(&c.known);
        if (!status)
                status = any_new(&any, &c);
        if (!status && any)
                status = pawl__known_past(&c.known);
        if (!status)
                status = collect(&c);
        if (!status)
                status = find_done(&c);
        pawl__map_free(&c.known.map);
        return status;
}
