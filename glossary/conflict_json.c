/* Conflicts as JSON, and back. Members are written in canonical order, so that an append has
 * nothing to sort. */
#include "base/error.h"
#include "glossary/conflict.h"
#include "glossary/normal.h"

pawl_sense pawl__sense_public(const pawl__sense *sense)
{
        return (pawl_sense){sense->surface, pawl__text(pawl__scope_name(sense->scope)),
                sense->definition, sense->confidence};
}

void pawl__sense_write(pawl__json_writer *w, const pawl_sense *sense)
{
        pawl__json_open_object(w);
        pawl__json_member_number(w, "confidence", sense->confidence);
        pawl__json_member_text(w, "definition", sense->definition);
        pawl__json_member_text(w, "scope", sense->scope);
        pawl__json_member_text(w, "surface", sense->surface);
        pawl__json_close_object(w);
}

void pawl__finding_write(pawl__json_writer *w, const pawl__finding *finding, pawl_text conflict_id)
{
        pawl__json_open_object(w);
        pawl__json_name(w, "candidate_senses");
        pawl__json_open_array(w);
        for (size_t i = 0; i < finding->n_candidates; i++) {
                const pawl_sense sense = pawl__sense_public(&finding->candidates[i]);
                pawl__sense_write(w, &sense);
        }
        pawl__json_close_array(w);
        pawl__json_member_number(w, "confidence", finding->confidence);
        if (conflict_id.data)
                pawl__json_member_text(w, "conflict_id", conflict_id);
        pawl__json_member_string(w, "conflict_type", pawl__conflict_type_name(finding->type));
        pawl__json_member_text(w, "context", finding->context);
        pawl__json_member_text(w, "original", finding->original);
        pawl__json_member_string(w, "severity", pawl__severity_name(finding->severity));
        pawl__json_member_text(w, "term", finding->term);
        pawl__json_close_object(w);
}

void pawl__findings_write(pawl__json_writer *w, const pawl__findings *findings)
{
        pawl__json_open_array(w);
        for (size_t i = 0; i < findings->n; i++)
                pawl__finding_write(w, &findings->items[i], (pawl_text){NULL, 0});
        pawl__json_close_array(w);
}

/* ---- Reading --------------------------------------------------------------------------------- */

pawl_status pawl__candidates_read(
        pawl_sense **out, size_t *n, pawl__arena *arena, pawl_text json, pawl_error *err)
{
        static const char *const names[] = {"surface", "scope", "definition"};
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;

        TRY(pawl__json_tree_read(&tree, json.data, json.len, err));
        *n = 0;
        *out = pawl__arena_array(arena, pawl__json_at(&tree, 0)->count, sizeof **out);
        for (pawl__node i = pawl__json_first(&tree, 0); i != PAWL__NO_NODE && *out;
                i = pawl__json_after(&tree, 0, i)) {
                const pawl__node confidence = pawl__json_get(&tree, i, "confidence");
                pawl_sense *sense = &(*out)[(*n)++];
                pawl_text *const texts[] = {&sense->surface, &sense->scope, &sense->definition};
                for (size_t t = 0; t < 3; t++)
                        *texts[t] =
                                pawl__arena_copy(arena, pawl__json_get_text(&tree, i, names[t]));
                sense->confidence = 1;
                if (confidence != PAWL__NO_NODE &&
                        pawl__json_at(&tree, confidence)->type == PAWL__JSON_NUMBER)
                        sense->confidence = pawl__json_double(pawl__json_at(&tree, confidence));
        }
        pawl__json_tree_free(&tree);
        return pawl__arena_check(arena, err);
}

/* Where the reading is: a finding or a candidate of it. After the first failure nothing is read. */
struct reading {
        const pawl__json_tree *tree;
        pawl__arena *arena;
        pawl_error *err;
        pawl_status status;
        size_t finding, candidate; /* from 1; candidate 0: the finding itself */
};

static void refuse(struct reading *r, const char *field, const char *what)
{
        if (r->status || (r->status = pawl__arena_check(r->arena, r->err)))
                return;
        if (r->candidate)
                r->status = pawl__fail(r->err, PAWL_EINVAL,
                        "finding %zu: candidate_senses[%zu].%s: %s; the event does not fit its "
                        "type",
                        r->finding, r->candidate - 1, field, what);
        else
                r->status = pawl__fail(r->err, PAWL_EINVAL,
                        "finding %zu: %s: %s; the event does not fit its type", r->finding, field,
                        what);
}

/* A member of one type; PAWL__NO_NODE: refused. */
static pawl__node member(
        struct reading *r, pawl__node object, const char *name, pawl__json_type type)
{
        static const char *const forms[] = {[PAWL__JSON_NUMBER] = "not a number",
                [PAWL__JSON_STRING] = "not a string",
                [PAWL__JSON_ARRAY] = "not an array"};
        const pawl__node node = pawl__json_get(r->tree, object, name);

        if (node != PAWL__NO_NODE && pawl__json_at(r->tree, node)->type == type)
                return r->status ? PAWL__NO_NODE : node;
        refuse(r, name, node == PAWL__NO_NODE ? "missing" : forms[type]);
        return PAWL__NO_NODE;
}

static pawl_text text_member(struct reading *r, pawl__node object, const char *name)
{
        const pawl__node node = member(r, object, name, PAWL__JSON_STRING);

        if (node == PAWL__NO_NODE)
                return (pawl_text){NULL, 0};
        return pawl__arena_copy(r->arena, pawl__json_at(r->tree, node)->value);
}

/* A text or null. */
static pawl_text open_member(struct reading *r, pawl__node object, const char *name, bool required)
{
        const pawl__node node = pawl__json_get(r->tree, object, name);

        if (node == PAWL__NO_NODE ? !required
                                  : pawl__json_at(r->tree, node)->type == PAWL__JSON_NULL)
                return (pawl_text){NULL, 0};
        return text_member(r, object, name);
}

static double confidence_member(struct reading *r, pawl__node object)
{
        const pawl__node node = member(r, object, "confidence", PAWL__JSON_NUMBER);
        const double value =
                node == PAWL__NO_NODE ? 0 : pawl__json_double(pawl__json_at(r->tree, node));

        if (!(value >= 0 && value <= 1))
                refuse(r, "confidence", "not between 0 and 1");
        return value;
}

static void read_sense(pawl__sense *sense, struct reading *r, pawl__node object)
{
        pawl__buf normal = PAWL__BUF_INIT;

        sense->surface = text_member(r, object, "surface");
        if (!pawl__scope_of(&sense->scope, text_member(r, object, "scope")))
                refuse(r, "scope", "not a scope");
        sense->definition = text_member(r, object, "definition");
        sense->confidence = confidence_member(r, object);
        sense->status = PAWL__ACTIVE; /* only active senses are candidates */
        if (!r->status && pawl__normal_form(&normal, sense->surface))
                r->status = pawl__nomem(r->err);
        sense->normal = pawl__arena_copy(r->arena, pawl__buf_text(&normal));
        pawl__buf_free(&normal);
}

static void read_candidates(pawl__finding *finding, struct reading *r, pawl__node object)
{
        const pawl__node list = member(r, object, "candidate_senses", PAWL__JSON_ARRAY);

        if (list == PAWL__NO_NODE)
                return;
        finding->candidates = pawl__arena_array(
                r->arena, pawl__json_at(r->tree, list)->count, sizeof *finding->candidates);
        for (pawl__node i = pawl__json_first(r->tree, list);
                i != PAWL__NO_NODE && finding->candidates && !r->status;
                i = pawl__json_after(r->tree, list, i)) {
                r->candidate = finding->n_candidates + 1;
                read_sense(&finding->candidates[finding->n_candidates++], r, i);
        }
        r->candidate = 0;
}

static void read_finding(pawl__finding *finding, struct reading *r, pawl__node object)
{
        finding->term = text_member(r, object, "term");
        finding->original = open_member(r, object, "original", false);
        if (!pawl__conflict_type_of(&finding->type, text_member(r, object, "conflict_type")))
                refuse(r, "conflict_type", "not a type of conflict");
        finding->severity = pawl__severity_of(text_member(r, object, "severity"));
        finding->confidence = confidence_member(r, object);
        read_candidates(finding, r, object);
        finding->context = open_member(r, object, "context", true);
}

pawl_status pawl__findings_read(pawl__findings *out, pawl__arena *arena,
        const pawl__json_tree *tree, pawl__node array, pawl_error *err)
{
        struct reading r = {.tree = tree, .arena = arena, .err = err};
        pawl__findings findings = {NULL, 0};

        if (array == PAWL__NO_NODE)
                return pawl__fail(
                        err, PAWL_EINVAL, "findings: missing; the event does not fit its type");
        if (pawl__json_at(tree, array)->type != PAWL__JSON_ARRAY)
                return pawl__fail(err, PAWL_EINVAL,
                        "findings: not an array; the event does not fit its type");
        findings.items =
                pawl__arena_array(arena, pawl__json_at(tree, array)->count, sizeof *findings.items);
        for (pawl__node i = pawl__json_first(tree, array);
                i != PAWL__NO_NODE && findings.items && !r.status;
                i = pawl__json_after(tree, array, i)) {
                r.finding = findings.n + 1;
                read_finding(&findings.items[findings.n++], &r, i);
        }
        if (!r.status)
                r.status = pawl__arena_check(arena, err);
        if (!r.status)
                *out = findings;
        return r.status;
}
