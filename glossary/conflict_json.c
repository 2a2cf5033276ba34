/* Findings as JSON, and back. Members are written in the order of the canonical form, which then
 * has nothing to sort. */
#include "base/error.h"
#include "glossary/conflict.h"
#include "glossary/normal.h"

void pawl__sense_write(pawl__json_writer *w, const pawl__sense *sense)
{
        pawl__json_open_object(w);
        pawl__json_member_number(w, "confidence", sense->confidence);
        pawl__json_member_text(w, "definition", sense->definition);
        pawl__json_member_string(w, "scope", pawl__scope_name(sense->scope));
        pawl__json_member_text(w, "surface", sense->surface);
        pawl__json_close_object(w);
}

void pawl__findings_write(pawl__json_writer *w, const pawl__findings *findings)
{
        pawl__json_open_array(w);
        for (size_t i = 0; i < findings->n; i++) {
                const pawl__finding *finding = &findings->items[i];
                pawl__json_open_object(w);
                pawl__json_name(w, "candidate_senses");
                pawl__json_open_array(w);
                for (size_t j = 0; j < finding->n_candidates; j++)
                        pawl__sense_write(w, &finding->candidates[j]);
                pawl__json_close_array(w);
                pawl__json_member_number(w, "confidence", finding->confidence);
                pawl__json_member_string(
                        w, "conflict_type", pawl__conflict_type_name(finding->type));
                pawl__json_member_text(w, "context", finding->context);
                pawl__json_member_text(w, "original", finding->original);
                pawl__json_member_string(w, "severity", pawl__severity_name(finding->severity));
                pawl__json_member_text(w, "term", finding->term);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Where the reading is: a finding or a candidate of it. */
struct reading {
        const pawl__json_tree *tree;
        pawl__arena *arena;
        pawl_error *err;
        size_t finding, candidate; /* from 1; candidate 0: the finding itself */
};

static pawl_status refuse(const struct reading *r, const char *field, const char *what)
{
        if (r->candidate)
                return pawl__fail(r->err, PAWL_EINVAL,
                        "finding %zu: candidate_senses[%zu].%s: %s; the event does not fit its "
                        "type",
                        r->finding, r->candidate - 1, field, what);
        return pawl__fail(r->err, PAWL_EINVAL,
                "finding %zu: %s: %s; the event does not fit its type", r->finding, field, what);
}

/* A member of one type, or a refusal that names it. */
static pawl_status member(pawl__node *out, const struct reading *r, pawl__node object,
        const char *name, pawl__json_type type)
{
        static const char *const forms[] = {[PAWL__JSON_NUMBER] = "not a number",
                [PAWL__JSON_STRING] = "not a string",
                [PAWL__JSON_ARRAY] = "not an array"};
        pawl__node node = pawl__json_get(r->tree, object, name);

        if (node == PAWL__NO_NODE)
                return refuse(r, name, "missing");
        if (pawl__json_at(r->tree, node)->type != type)
                return refuse(r, name, forms[type]);
        *out = node;
        return PAWL_OK;
}

static pawl_status copy(pawl_text *out, const struct reading *r, pawl_text text)
{
        bool ok = true;
        pawl_text kept = pawl__arena_text(r->arena, text, &ok);

        if (!ok)
                return pawl__nomem(r->err);
        *out = kept;
        return PAWL_OK;
}

static pawl_status text_member(
        pawl_text *out, const struct reading *r, pawl__node object, const char *name)
{
        pawl__node node = PAWL__NO_NODE;
        pawl_status status = member(&node, r, object, name, PAWL__JSON_STRING);

        return status ? status : copy(out, r, pawl__json_at(r->tree, node)->value);
}

/* A text or null. */
static pawl_status open_member(
        pawl_text *out, const struct reading *r, pawl__node object, const char *name, bool required)
{
        pawl__node node = pawl__json_get(r->tree, object, name);
        bool missing = node == PAWL__NO_NODE;

        *out = (pawl_text){NULL, 0};
        if ((missing && !required) ||
                (!missing && pawl__json_at(r->tree, node)->type == PAWL__JSON_NULL))
                return PAWL_OK;
        return text_member(out, r, object, name);
}

static pawl_status confidence_member(double *out, const struct reading *r, pawl__node object)
{
        pawl__node node = PAWL__NO_NODE;
        pawl_status status = member(&node, r, object, "confidence", PAWL__JSON_NUMBER);

        if (status)
                return status;
        double value = pawl__json_double(pawl__json_at(r->tree, node));
        if (!(value >= 0 && value <= 1))
                return refuse(r, "confidence", "not between 0 and 1");
        *out = value;
        return PAWL_OK;
}

static pawl_status read_sense(pawl__sense *sense, const struct reading *r, pawl__node object)
{
        pawl__buf normal = PAWL__BUF_INIT;
        pawl_text scope = {NULL, 0};
        pawl_status status = text_member(&sense->surface, r, object, "surface");

        if (status == PAWL_OK)
                status = text_member(&scope, r, object, "scope");
        if (status == PAWL_OK && !pawl__scope_of(&sense->scope, scope))
                status = refuse(r, "scope", "not a scope");
        if (status == PAWL_OK)
                status = text_member(&sense->definition, r, object, "definition");
        if (status == PAWL_OK)
                status = confidence_member(&sense->confidence, r, object);
        if (status)
                return status;
        sense->status = PAWL__ACTIVE; /* only active senses are candidates */
        if (pawl__normal_form(&normal, sense->surface))
                status = pawl__nomem(r->err);
        else
                status = copy(&sense->normal, r, pawl__buf_text(&normal));
        pawl__buf_free(&normal);
        return status;
}

static pawl_status read_candidates(pawl__finding *finding, struct reading *r, pawl__node object)
{
        pawl__node list = PAWL__NO_NODE;
        pawl_status status = member(&list, r, object, "candidate_senses", PAWL__JSON_ARRAY);

        if (status)
                return status;
        finding->candidates = pawl__arena_array(
                r->arena, pawl__json_at(r->tree, list)->count, sizeof *finding->candidates);
        if (!finding->candidates)
                return pawl__nomem(r->err);
        for (pawl__node i = pawl__json_first(r->tree, list);
                i != PAWL__NO_NODE && status == PAWL_OK; i = pawl__json_after(r->tree, list, i)) {
                r->candidate = finding->n_candidates + 1;
                status = read_sense(&finding->candidates[finding->n_candidates++], r, i);
        }
        r->candidate = 0;
        return status;
}

static pawl_status read_finding(pawl__finding *finding, struct reading *r, pawl__node object)
{
        pawl_text type = {NULL, 0}, severity = {NULL, 0};
        pawl_status status = text_member(&finding->term, r, object, "term");

        if (status == PAWL_OK)
                status = open_member(&finding->original, r, object, "original", false);
        if (status == PAWL_OK)
                status = text_member(&type, r, object, "conflict_type");
        if (status == PAWL_OK && !pawl__conflict_type_of(&finding->type, type))
                status = refuse(r, "conflict_type", "not a type of conflict");
        if (status == PAWL_OK)
                status = text_member(&severity, r, object, "severity");
        if (status == PAWL_OK)
                status = confidence_member(&finding->confidence, r, object);
        if (status == PAWL_OK)
                status = read_candidates(finding, r, object);
        if (status == PAWL_OK)
                status = open_member(&finding->context, r, object, "context", true);
        finding->severity = pawl__severity_of(severity);
        return status;
}

pawl_status pawl__findings_read(pawl__findings *out, pawl__arena *arena,
        const pawl__json_tree *tree, pawl__node array, pawl_error *err)
{
        struct reading r = {tree, arena, err, 0, 0};
        pawl__findings findings = {NULL, 0};
        pawl_status status = PAWL_OK;

        if (array == PAWL__NO_NODE)
                return pawl__fail(
                        err, PAWL_EINVAL, "findings: missing; the event does not fit its type");
        if (pawl__json_at(tree, array)->type != PAWL__JSON_ARRAY)
                return pawl__fail(err, PAWL_EINVAL,
                        "findings: not an array; the event does not fit its type");
        findings.items =
                pawl__arena_array(arena, pawl__json_at(tree, array)->count, sizeof *findings.items);
        if (!findings.items)
                return pawl__nomem(err);
        for (pawl__node i = pawl__json_first(tree, array); i != PAWL__NO_NODE && status == PAWL_OK;
                i = pawl__json_after(tree, array, i)) {
                r.finding = findings.n + 1;
                status = read_finding(&findings.items[findings.n++], &r, i);
        }
        if (status == PAWL_OK)
                *out = findings;
        return status;
}
