/* What an event of another tool says of itself: its members, its hashes, whose it is and when. */
#include "base/error.h"
#include "base/ids.h"
#include "base/json_python.h"
#include "base/sources.h"
#include "glossary/foreign_internal.h"

/* ---- Members --------------------------------------------------------------------------------- */

pawl__node pawl__foreign_member(const pawl__foreign *f, const char *name)
{
        const pawl__node n = pawl__json_get(&f->tree, f->source, name);

        return n == PAWL__NO_NODE ? pawl__json_get(&f->tree, 0, name) : n;
}

pawl_status pawl__foreign_text(pawl_text *out, const pawl__foreign *f, pawl__node object,
        const char *name, pawl_error *err)
{
        const pawl__node n = pawl__json_get(&f->tree, object, name);
        pawl_text text = pawl__json_get_text(&f->tree, object, name);

        if (!text.data && n != PAWL__NO_NODE)
                text = pawl__json_get_text(&f->tree, n, "surface_text");
        if (!text.data)
                return pawl__fail(
                        err, PAWL_EINVAL, "%s: is missing, or is no text; correct it", name);
        *out = text;
        return PAWL_OK;
}

/* Absent where it is missing. */
static pawl_status id_of(pawl_text *out, const pawl__foreign *f, const char *name, pawl_error *err)
{
        const pawl__node n = pawl__foreign_member(f, name);

        *out = pawl__text(NULL);
        if (n == PAWL__NO_NODE || pawl__json_at(&f->tree, n)->type == PAWL__JSON_NULL)
                return PAWL_OK;
        if (pawl__json_at(&f->tree, n)->type != PAWL__JSON_STRING)
                return pawl__fail(err, PAWL_EINVAL, "%s: is no text; correct it", name);
        *out = pawl__json_at(&f->tree, n)->value;
        return pawl__id_check(*out, name, err);
}

static bool digits(pawl_text text, size_t at, size_t n)
{
        for (size_t i = at; i < at + n; i++)
                if (i >= text.len || text.data[i] < '0' || text.data[i] > '9')
                        return false;
        return true;
}

/* Python's isoformat(), or str() of the same: without a zone it is UTC. */
static bool read_time(int64_t *out, pawl_text text)
{
        char form[] = "0000-00-00T00:00:00.000000Z";
        int64_t minutes = 0;
        size_t at = 19;

        if (text.len < 19 || (text.data[10] != 'T' && text.data[10] != ' '))
                return false;
        memcpy(form, text.data, 10);
        memcpy(form + 11, text.data + 11, 8);
        if (at < text.len && text.data[at] == '.') {
                size_t n = 0;
                for (at++; digits(text, at, 1); at++, n++)
                        if (n < 6)
                                form[20 + n] = text.data[at];
                if (n == 0)
                        return false;
        }
        if (at < text.len && (text.data[at] == '+' || text.data[at] == '-')) {
                const char *zone = text.data + at + 1;
                if (text.len - at != 6 || !digits(text, at + 1, 2) || zone[2] != ':' ||
                        !digits(text, at + 4, 2))
                        return false;
                minutes = ((zone[0] - '0') * 10 + zone[1] - '0') * 60 + (zone[3] - '0') * 10 +
                          zone[4] - '0';
                if (text.data[at] == '-')
                        minutes = -minutes;
                at = text.len;
        } else if (at < text.len && text.data[at] == 'Z') {
                at++;
        }
        if (at != text.len || !pawl__time_parse(out, pawl__text_n(form, 27)))
                return false;
        *out -= minutes * 60 * 1000000;
        pawl__time_format(form, *out); /* a zone may lead out of the years 1 to 9999 */
        return pawl__time_parse(&minutes, pawl__text(form)) && minutes == *out;
}

pawl_text pawl__foreign_mission_of(pawl_text file)
{
        static const char end[] = ".events.jsonl";
        const size_t n = sizeof end - 1;

        return file.len > n && memcmp(file.data + file.len - n, end, n) == 0
                       ? pawl__text_n(file.data, file.len - n)
                       : pawl__text(NULL);
}

/* Who did it: of an answer or a change its actor, of a term who observed it. */
static pawl_status actor_of(pawl_text *out, const pawl__foreign *f, pawl_error *err)
{
        pawl_text actor =
                pawl__json_get_text(&f->tree, pawl__foreign_member(f, "actor"), "actor_id");

        if (!actor.data)
                actor = pawl__json_get_text(&f->tree, f->source, "actor_id");
        *out = actor.data ? actor : f->actor;
        return pawl__id_check(*out, "actor_id", err);
}

/* ---- Hashes that an event carries ------------------------------------------------------------ */

pawl_status pawl__foreign_hash(char hex[65], pawl__foreign *f, pawl__node of, const char *without,
        bool ascii, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = pawl__json_python(&text, &f->tree, of, without, ascii, err);

        if (!status)
                status = pawl__sha256(f->hasher, hash, text.data, text.len, err);
        if (!status)
                pawl__hex(hex, hash, sizeof hash);
        pawl__buf_free(&text);
        return status;
}

/* A hash of the event's own is of Python's form of what it is over, with or without ensure_ascii:
 * spec-kitty writes its lines with, and hashes inputs without. */
static pawl_status check_hash(
        pawl__foreign *f, const char *name, pawl__node of, const char *without, pawl_error *err)
{
        const pawl__node n =
                without ? pawl__json_get(&f->tree, of, name) : pawl__foreign_member(f, name);
        pawl_text said;
        char hex[65];

        if (n == PAWL__NO_NODE || of == PAWL__NO_NODE ||
                pawl__json_at(&f->tree, n)->type == PAWL__JSON_NULL)
                return PAWL_OK;
        said = pawl__json_at(&f->tree, n)->value;
        if (pawl__text_starts(said, "sha256:"))
                said = pawl__text_n(said.data + 7, said.len - 7);
        for (int ascii = 1; ascii >= 0; ascii--) {
                const pawl_status status = pawl__foreign_hash(hex, f, of, without, ascii, err);
                if (status || pawl__text_is(said, hex))
                        return status;
        }
        return pawl__fail(err, PAWL_EDAMAGED,
                "%s: does not fit what it was made from, which was changed since; put back what it "
                "was",
                name);
}

pawl_status pawl__foreign_check_hashes(pawl__foreign *f, pawl_error *err)
{
        static const char *const own[] = {"hash", "event_hash"};
        static const struct {
                const char *name, *of;
        } over[] = {{"payload_hash", "payload"}, {"input_hash", "inputs"},
                {"input_hash", "step_input"}};
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < sizeof own / sizeof own[0] && !status; i++)
                status = check_hash(f, own[i], 0, own[i], err);
        for (size_t i = 0; i < sizeof over / sizeof over[0] && !status; i++)
                status =
                        check_hash(f, over[i].name, pawl__foreign_member(f, over[i].of), NULL, err);
        return status;
}

/* ---- Its envelope ---------------------------------------------------------------------------- */

/* An answer belongs to the step of its question. */
static pawl_status ids_of_conflict(pawl__foreign *f, pawl_error *err)
{
        pawl__row row = {
                .v[PAWL__CON_ID].text = pawl__json_get_text(&f->tree, f->source, "conflict_id")};

        if (!row.v[PAWL__CON_ID].text.data)
                return PAWL_OK;
        const pawl_status status =
                f->applier.store->get(f->applier.store, PAWL__CONFLICTS, &row, err);
        if (status)
                return status == PAWL_ENOTFOUND
                               ? pawl__fail(err, PAWL_ENOTFOUND,
                                         "conflict_id: no line before asks about %.*s; put that "
                                         "line back",
                                         PAWL__FMT(row.v[PAWL__CON_ID].text))
                               : status;
        f->like.mission_id = pawl__arena_copy(&f->arena, row.v[PAWL__CON_MISSION].text);
        f->like.run_id = pawl__arena_copy(&f->arena, row.v[PAWL__CON_RUN].text);
        f->like.step_id = pawl__arena_copy(&f->arena, row.v[PAWL__CON_STEP].text);
        return pawl__arena_check(&f->arena, err);
}

pawl_status pawl__foreign_envelope(
        pawl__foreign *f, const pawl__foreign_type *type, pawl_error *err)
{
        pawl_text time;
        pawl_status status = id_of(&f->like.mission_id, f, "mission_id", err);

        if (!status)
                status = id_of(&f->like.run_id, f, "run_id", err);
        if (!status)
                status = id_of(&f->like.step_id, f,
                        type->type == PAWL__TERM_OBSERVED ? "source_step" : "step_id", err);
        if (!status)
                status = actor_of(&f->like.actor, f, err);
        if (status)
                return status;
        time = pawl__json_get_text(&f->tree, 0, "timestamp");
        if (!time.data || !read_time(&f->like.time_us, time))
                return pawl__fail(err, PAWL_EINVAL,
                        "timestamp: is missing, or no time by ISO 8601; correct it");
        if (f->like.mission_id.data)
                f->mission = pawl__arena_copy(&f->arena, f->like.mission_id);
        else
                f->like.mission_id = f->mission;
        if (type->of_step &&
                (!f->like.mission_id.data || !f->like.run_id.data || !f->like.step_id.data))
                return pawl__fail(err, PAWL_EINVAL,
                        "mission_id, run_id or step_id: is missing; an event of this type needs "
                        "them");
        status = pawl__arena_check(&f->arena, err);
        return status || type->type != PAWL__CLARIFICATION_RESOLVED ? status
                                                                    : ids_of_conflict(f, err);
}
