/* What the events of the glossary change. */
#include "base/error.h"
#include "state/apply_ctx.h"

/* A version of a scope is in force from this event on; the first time, it comes to be. */
static pawl_status use_scope(const pawl__apply_ctx *a, pawl_text scope, pawl_text version)
{
        pawl__row row = {0};

        row.v[PAWL__SCOPE_ID].text = scope;
        row.v[PAWL__SCOPE_VERSION].text = version;
        pawl_status status = a->store->get(a->store, PAWL__SCOPES, &row, a->err);
        if (status == PAWL_ENOTFOUND)
                row.v[PAWL__SCOPE_SEQ].integer = (int64_t)a->event->seq;
        else if (status)
                return status;
        row.v[PAWL__SCOPE_USED_SEQ].integer = (int64_t)a->event->seq;
        return pawl__apply_put(a, PAWL__SCOPES, &row);
}

/* ---- A version that depends on another (state/versions.h) ------------------------------------ */

static pawl_status check_removed(const pawl__apply_ctx *a, pawl__node removed)
{
        pawl_status status = PAWL_OK;
        pawl_text text;

        if (removed == PAWL__NO_NODE)
                return PAWL_OK;
        if (pawl__json_at(a->tree, removed)->type != PAWL__JSON_ARRAY)
                return pawl__apply_refuse(
                        a, PAWL_EINVAL, "payload.removed", "is no array; write one of senses");
        for (pawl__node n = pawl__json_first(a->tree, removed); n != PAWL__NO_NODE && !status;
                n = pawl__json_after(a->tree, removed, n)) {
                status = pawl__apply_text(&text, a, n, "payload.removed[]", "normal");
                if (!status)
                        status = pawl__apply_text(&text, a, n, "payload.removed[]", "definition");
        }
        return status;
}

/* The base was there before this version was first named: so none depends on itself. */
static pawl_status check_base(
        const pawl__apply_ctx *a, pawl_text scope, pawl_text version, pawl_text base)
{
        pawl__row row = {.v[PAWL__SCOPE_ID].text = scope};
        int64_t first = (int64_t)a->event->seq;

        if (pawl__text_is(scope, "mission_local"))
                return pawl__apply_refuse(a, PAWL_EINVAL, "payload.base_version_id",
                        "is there, but a version of mission_local is each mission's own; name all "
                        "senses");
        row.v[PAWL__SCOPE_VERSION].text = version;
        pawl_status status = a->store->get(a->store, PAWL__SCOPES, &row, a->err);
        if (status && status != PAWL_ENOTFOUND)
                return status;
        if (!status)
                first = row.v[PAWL__SCOPE_SEQ].integer;
        row.v[PAWL__SCOPE_VERSION].text = base;
        status = a->store->get(a->store, PAWL__SCOPES, &row, a->err);
        if (status == PAWL_ENOTFOUND || (!status && row.v[PAWL__SCOPE_SEQ].integer >= first))
                return pawl__apply_refuse(a, PAWL_ESTATE, "payload.base_version_id",
                        "names a version that was not there before; append that one first");
        return status;
}

static pawl_status put_mark(const pawl__apply_ctx *a, pawl_text scope, pawl_text version,
        pawl_text normal, pawl_text definition, const char *mark)
{
        const bool base = normal.len == 0;
        pawl__row row = {0};

        row.v[PAWL__SENSE_MISSION].text = pawl__text("");
        row.v[PAWL__SENSE_SCOPE].text = scope;
        row.v[PAWL__SENSE_VERSION].text = version;
        row.v[PAWL__SENSE_NORMAL].text = normal;
        row.v[PAWL__SENSE_IDENTITY].text = base ? pawl__text("") : definition;
        row.v[PAWL__SENSE_SEQ].integer = (int64_t)a->event->seq;
        row.v[PAWL__SENSE_DEFINITION].text = definition;
        row.v[PAWL__SENSE_STATUS].text = pawl__text(mark);
        row.v[PAWL__SENSE_ACTOR].text = a->event->actor;
        return pawl__apply_put(a, PAWL__SENSES, &row);
}

static pawl_status rest_on(
        const pawl__apply_ctx *a, pawl_text scope, pawl_text version, pawl_text base)
{
        const pawl__node removed = pawl__json_get(a->tree, 0, "removed");
        pawl_status status = check_base(a, scope, version, base);

        if (!status)
                status = check_removed(a, removed);
        if (!status)
                status = put_mark(a, scope, version, pawl__text(""), base, "base");
        if (removed == PAWL__NO_NODE)
                return status;
        for (pawl__node n = pawl__json_first(a->tree, removed); n != PAWL__NO_NODE && !status;
                n = pawl__json_after(a->tree, removed, n))
                status = put_mark(a, scope, version, pawl__json_get_text(a->tree, n, "normal"),
                        pawl__json_get_text(a->tree, n, "definition"), "removed");
        return status;
}

pawl_status pawl__apply_scope_activated(pawl__apply_ctx *a)
{
        const pawl_text scope = pawl__apply_optional(a, "scope_id");
        const pawl_text version = pawl__apply_optional(a, "glossary_version_id");
        pawl_text base;
        pawl_status status = pawl__apply_maybe_text(&base, a, "base_version_id");

        if (!status && base.data)
                status = rest_on(a, scope, version, base);
        return status ? status : use_scope(a, scope, version);
}

pawl_status pawl__apply_scope_refs(const pawl__apply_ctx *a, pawl__node refs, bool check_only)
{
        pawl_status status = PAWL_OK;

        for (pawl__node n = pawl__json_first(a->tree, refs);
                n != PAWL__NO_NODE && status == PAWL_OK; n = pawl__json_after(a->tree, refs, n)) {
                pawl_text scope, version;
                status = pawl__apply_text(&scope, a, n, "payload.scope_refs[]", "scope");
                if (status == PAWL_OK)
                        status = pawl__apply_text(
                                &version, a, n, "payload.scope_refs[]", "version_id");
                if (status == PAWL_OK && !check_only)
                        status = use_scope(a, scope, version);
        }
        return status;
}

/* The normal form, by which a surface is looked up, comes with the event: it is made above. An
 * event without one is looked up by its surface, ASCII letters in lower case. */
static pawl_status normal_of(pawl_text *out, const pawl__apply_ctx *a, pawl_text surface)
{
        pawl_text normal = pawl__apply_optional(a, "normal");

        if (normal.data) {
                *out = normal;
                return PAWL_OK;
        }
        char *lower = pawl__arena_alloc(a->arena, surface.len);
        if (!lower)
                return pawl__nomem(a->err);
        for (size_t i = 0; i < surface.len; i++) {
                char c = surface.data[i];
                lower[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        }
        *out = (pawl_text){lower, surface.len};
        return PAWL_OK;
}

/* Who and where from, as both events say it. */
static pawl_status origin(pawl__row *sense, const pawl__apply_ctx *a)
{
        pawl_status status = pawl__apply_text(&sense->v[PAWL__SENSE_SOURCE].text, a,
                pawl__json_get(a->tree, 0, "provenance"), "payload.provenance", "source");

        if (status == PAWL_OK)
                status = pawl__apply_text(&sense->v[PAWL__SENSE_ACTOR].text, a,
                        pawl__json_get(a->tree, 0, "actor"), "payload.actor", "actor_id");
        return status;
}

pawl_status pawl__apply_sense_updated(pawl__apply_ctx *a)
{
        static const char *const path = "payload.new_sense";
        pawl__node node = pawl__json_get(a->tree, 0, "new_sense");
        pawl_text scope = pawl__apply_optional(a, "scope");
        bool local = pawl__text_is(scope, "mission_local");
        pawl__row sense = {0};
        pawl_text version = pawl__apply_optional(a, "version_id");

        if (local && !a->event->mission_id.data)
                return pawl__apply_refuse(a, PAWL_EINVAL, "mission_id",
                        "is missing; a mission_local sense needs it in its envelope");
        pawl_status status = pawl__apply_text(
                &sense.v[PAWL__SENSE_DEFINITION].text, a, node, path, "definition");
        if (status == PAWL_OK)
                status = pawl__apply_text(
                        &sense.v[PAWL__SENSE_STATUS].text, a, node, path, "status");
        if (status == PAWL_OK)
                status = pawl__apply_confidence(
                        &sense.v[PAWL__SENSE_CONFIDENCE].real, a, node, path);
        if (status == PAWL_OK)
                status = origin(&sense, a);
        sense.v[PAWL__SENSE_SURFACE].text = pawl__apply_optional(a, "term_surface");
        if (status == PAWL_OK)
                status = normal_of(
                        &sense.v[PAWL__SENSE_NORMAL].text, a, sense.v[PAWL__SENSE_SURFACE].text);
        if (status)
                return status;
        sense.v[PAWL__SENSE_MISSION].text = local ? a->event->mission_id : pawl__text("");
        sense.v[PAWL__SENSE_SCOPE].text = scope;
        sense.v[PAWL__SENSE_VERSION].text = version.data ? version : pawl__text("");
        sense.v[PAWL__SENSE_IDENTITY].text =
                local && !version.len ? pawl__text("") : sense.v[PAWL__SENSE_DEFINITION].text;
        sense.v[PAWL__SENSE_SEQ].integer = (int64_t)a->event->seq;
        return pawl__apply_put(a, PAWL__SENSES, &sense);
}

pawl_status pawl__apply_local_sense(pawl__row *sense, const pawl__apply_ctx *a, pawl_text mission)
{
        static const char *const path = "payload.selected_sense";
        pawl__node node = pawl__json_get(a->tree, 0, "selected_sense");

        memset(sense, 0, sizeof *sense);
        sense->v[PAWL__SENSE_SURFACE].text = pawl__apply_optional(a, "term_surface");
        pawl_status status = pawl__apply_text(
                &sense->v[PAWL__SENSE_DEFINITION].text, a, node, path, "definition");
        if (status == PAWL_OK)
                status = pawl__apply_confidence(
                        &sense->v[PAWL__SENSE_CONFIDENCE].real, a, node, path);
        if (status == PAWL_OK)
                status = origin(sense, a);
        if (status == PAWL_OK)
                status = normal_of(
                        &sense->v[PAWL__SENSE_NORMAL].text, a, sense->v[PAWL__SENSE_SURFACE].text);
        sense->v[PAWL__SENSE_MISSION].text = mission;
        sense->v[PAWL__SENSE_SCOPE].text = pawl__text("mission_local");
        sense->v[PAWL__SENSE_VERSION].text = pawl__text("");
        sense->v[PAWL__SENSE_IDENTITY].text = pawl__text("");
        sense->v[PAWL__SENSE_SEQ].integer = (int64_t)a->event->seq;
        sense->v[PAWL__SENSE_STATUS].text = pawl__json_get_text(a->tree, node, "status");
        if (!sense->v[PAWL__SENSE_STATUS].text.data)
                sense->v[PAWL__SENSE_STATUS].text = pawl__text("active");
        return status;
}
