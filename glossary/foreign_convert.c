/* The payload of each type of event that is taken over. */
#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "glossary/conflict.h"
#include "glossary/foreign_internal.h"
#include "glossary/normal.h"

enum kind { TEXT, NUMBER, BOOL };

static pawl_status missing(const char *name, const char *what, pawl_error *err)
{
        return pawl__fail(err, PAWL_EINVAL, "%s: is missing, or is no %s; correct it", name, what);
}

/* A member of an object as it is, but that it must be of the kind. */
static pawl_status copy(pawl__json_writer *w, const pawl__foreign *f, pawl__node object,
        const char *name, enum kind kind, pawl_error *err)
{
        static const char *const what[] = {"text", "number", "true or false"};
        const pawl__node n = pawl__json_get(&f->tree, object, name);
        pawl_text text;

        if (kind == TEXT) {
                const pawl_status status = pawl__foreign_text(&text, f, object, name, err);
                if (!status)
                        pawl__json_member_text(w, name, text);
                return status;
        }
        const pawl__json_node *node = n == PAWL__NO_NODE ? NULL : pawl__json_at(&f->tree, n);
        const bool right = node && (kind == NUMBER ? node->type == PAWL__JSON_NUMBER
                                                   : node->type == PAWL__JSON_TRUE ||
                                                             node->type == PAWL__JSON_FALSE);
        if (!right)
                return missing(name, what[kind], err);
        pawl__json_name(w, name);
        pawl__json_node_value(w, node);
        return PAWL_OK;
}

/* A scope by our name: spec_kitty_core is core. */
static pawl_status scope_name(const char **out, const pawl__foreign *f, pawl__node object,
        const char *name, pawl_error *err)
{
        pawl_text text;
        pawl__scope scope;
        pawl_status status = pawl__foreign_text(&text, f, object, name, err);

        if (!status)
                status = pawl__scope_read(&scope, text, err);
        if (!status)
                *out = pawl__scope_name(scope);
        return status;
}

static pawl_status put_scope(pawl__json_writer *w, const pawl__foreign *f, pawl__node object,
        const char *name, pawl_error *err)
{
        const char *scope;
        const pawl_status status = scope_name(&scope, f, object, name, err);

        if (!status)
                pawl__json_member_string(w, name, scope);
        return status;
}

static pawl_status list(pawl__node *out, const pawl__foreign *f, pawl__node object,
        const char *name, pawl_error *err)
{
        *out = pawl__json_get(&f->tree, object, name);
        if (*out == PAWL__NO_NODE || pawl__json_at(&f->tree, *out)->type != PAWL__JSON_ARRAY)
                return missing(name, "list", err);
        return PAWL_OK;
}

/* {confidence, definition, scope, surface}, and a status where a sense has one */
static pawl_status put_sense(pawl__json_writer *w, const pawl__foreign *f, pawl__node sense,
        bool status_too, pawl_error *err)
{
        pawl__sense_status known;
        pawl_text name;

        pawl__json_open_object(w);
        pawl_status status = copy(w, f, sense, "confidence", NUMBER, err);
        if (!status)
                status = copy(w, f, sense, "definition", TEXT, err);
        if (!status)
                status = put_scope(w, f, sense, "scope", err);
        if (!status && status_too) {
                status = pawl__foreign_text(&name, f, sense, "status", err);
                if (!status && !pawl__sense_status_of(&known, name))
                        status = missing("status", "active, draft or deprecated", err);
                if (!status)
                        pawl__json_member_text(w, "status", name);
        }
        if (!status)
                status = copy(w, f, sense, "surface", TEXT, err);
        pawl__json_close_object(w);
        return status;
}

static pawl_status put_senses(
        pawl__json_writer *w, const pawl__foreign *f, pawl__node finding, pawl_error *err)
{
        pawl__node senses;
        pawl_status status = list(&senses, f, finding, "candidate_senses", err);

        pawl__json_name(w, "candidate_senses");
        pawl__json_open_array(w);
        for (pawl__node m = status ? PAWL__NO_NODE : pawl__json_first(&f->tree, senses);
                m != PAWL__NO_NODE && !status; m = pawl__json_after(&f->tree, senses, m))
                status = put_sense(w, f, m, false, err);
        pawl__json_close_array(w);
        return status;
}

static pawl_status put_finding(
        pawl__json_writer *w, const pawl__foreign *f, pawl__node finding, pawl_error *err)
{
        pawl__json_open_object(w);
        pawl_status status = put_senses(w, f, finding, err);
        if (!status)
                status = copy(w, f, finding, "confidence", NUMBER, err);
        if (!status)
                status = copy(w, f, finding, "conflict_type", TEXT, err);
        if (!status)
                status = copy(w, f, finding, "context", TEXT, err);
        if (!status)
                status = copy(w, f, finding, "severity", TEXT, err);
        if (!status)
                status = copy(w, f, finding, "term", TEXT, err);
        pawl__json_close_object(w);
        return status;
}

/* run, step and term: a NUL and a byte that is none of UTF-8's between */
static pawl_text finding_key(pawl__foreign *f, pawl_text term)
{
        pawl__buf_clear(&f->key);
        pawl__buf_add_text(&f->key, f->like.run_id);
        pawl__buf_addc(&f->key, '\xff');
        pawl__buf_add_text(&f->key, f->like.step_id);
        pawl__buf_addc(&f->key, '\xff');
        pawl__buf_add_text(&f->key, term);
        return pawl__buf_text(&f->key);
}

static pawl_status remember(pawl__foreign *f, pawl_text term, pawl_text json, pawl_error *err)
{
        if (pawl__grow(&f->found, &f->cap_found, f->n_found + 1, sizeof *f->found))
                return pawl__nomem(err);
        const pawl_text copied = pawl__arena_copy(&f->arena, json);
        if (!copied.data || pawl__map_put_copy(&f->findings, &f->arena, finding_key(f, term),
                                    (uint32_t)f->n_found))
                return pawl__nomem(err);
        f->found[f->n_found++] = copied;
        return PAWL_OK;
}

/* The list of findings; a question that comes later is about one of them. */
static pawl_status put_findings(
        pawl__json_writer *w, pawl__foreign *f, const char *name, pawl_error *err)
{
        pawl__node findings;
        pawl_status status = list(&findings, f, f->source, name, err);

        pawl__json_name(w, name);
        pawl__json_open_array(w);
        for (pawl__node m = status ? PAWL__NO_NODE : pawl__json_first(&f->tree, findings);
                m != PAWL__NO_NODE && !status; m = pawl__json_after(&f->tree, findings, m)) {
                pawl__json_writer one = PAWL__JSON_WRITER_INIT;
                pawl_text term;
                status = put_finding(&one, f, m, err);
                if (!status && pawl__json_end_writer(&one))
                        status = pawl__nomem(err);
                if (!status)
                        status = pawl__foreign_text(&term, f, m, "term", err);
                if (!status)
                        status = remember(f, term, pawl__buf_text(&one.buf), err);
                if (!status)
                        pawl__json_raw(w, pawl__buf_text(&one.buf));
                pawl__json_writer_free(&one);
        }
        pawl__json_close_array(w);
        return status;
}

static pawl_status copy_all(pawl__json_writer *w, const pawl__foreign *f, pawl__node object,
        const char *const *texts, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (; *texts && !status; texts++)
                status = copy(w, f, object, *texts, TEXT, err);
        return status;
}

/* ---- Each type ------------------------------------------------------------------------------- */

#define SOURCE (f->source)

static pawl_status scope_activated(pawl__json_writer *w, pawl__foreign *f, pawl_error *err)
{
        const pawl_status status = copy(w, f, SOURCE, "glossary_version_id", TEXT, err);

        return status ? status : put_scope(w, f, SOURCE, "scope_id", err);
}

static pawl_status term_observed(pawl__json_writer *w, pawl__foreign *f, pawl_error *err)
{
        static const char *const texts[] = {
                "actor_id", "context", "extraction_method", "source_step", "term", NULL};
        const pawl_status status = copy_all(w, f, SOURCE, texts, err);

        return status ? status : copy(w, f, SOURCE, "confidence", NUMBER, err);
}

static pawl_status check_evaluated(pawl__json_writer *w, pawl__foreign *f, pawl_error *err)
{
        static const char *const texts[] = {
                "effective_strictness", "overall_severity", "recommended_action", NULL};
        pawl_status status = copy_all(w, f, SOURCE, texts, err);

        if (!status)
                status = copy(w, f, SOURCE, "blocked", BOOL, err);
        if (!status)
                status = copy(w, f, SOURCE, "confidence", NUMBER, err);
        return status ? status : put_findings(w, f, "findings", err);
}

static pawl_status generation_blocked(pawl__json_writer *w, pawl__foreign *f, pawl_error *err)
{
        static const char *const texts[] = {"effective_strictness", "strictness_mode", NULL};
        const pawl_status status = copy_all(w, f, SOURCE, texts, err);

        return status ? status : put_findings(w, f, "conflicts", err);
}

static pawl_status put_refs(pawl__json_writer *w, const pawl__foreign *f, pawl_error *err)
{
        pawl__node refs;
        pawl_status status = list(&refs, f, SOURCE, "scope_refs", err);

        pawl__json_name(w, "scope_refs");
        pawl__json_open_array(w);
        for (pawl__node m = status ? PAWL__NO_NODE : pawl__json_first(&f->tree, refs);
                m != PAWL__NO_NODE && !status; m = pawl__json_after(&f->tree, refs, m)) {
                pawl__json_open_object(w);
                status = put_scope(w, f, m, "scope", err);
                if (!status)
                        status = copy(w, f, m, "version_id", TEXT, err);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
        return status;
}

static pawl_status checkpointed(pawl__json_writer *w, pawl__foreign *f, pawl_error *err)
{
        static const char *const texts[] = {
                "cursor", "input_hash", "retry_token", "strictness", NULL};
        pawl__foreign_step *step;
        pawl_text token, hash;
        pawl_status status = copy_all(w, f, SOURCE, texts, err);

        if (!status)
                status = put_refs(w, f, err);
        pawl__json_member_string(w, "input_hash_alg", PAWL__PYTHON_HASH_ALG);
        if (!status)
                status = pawl__foreign_text(&token, f, SOURCE, "retry_token", err);
        if (!status)
                status = pawl__foreign_text(&hash, f, SOURCE, "input_hash", err);
        if (!status)
                status = pawl__foreign_step_of(&step, f, err);
        if (status)
                return status;
        step->token = pawl__arena_copy(&f->arena, token);
        step->input_hash = pawl__arena_copy(&f->arena, hash);
        return pawl__arena_check(&f->arena, err);
}

/* Its candidates as the check found them, in the order in which they were offered; of one that no
 * check found, the words that were offered. */
static void put_option(
        pawl__json_writer *w, pawl_text offered, const pawl__json_tree *finding, pawl_text term)
{
        const pawl__node senses = pawl__json_get(finding, 0, "candidate_senses");

        for (pawl__node m = senses == PAWL__NO_NODE ? senses : pawl__json_first(finding, senses);
                m != PAWL__NO_NODE; m = pawl__json_after(finding, senses, m))
                if (pawl__text_eq(pawl__json_get_text(finding, m, "definition"), offered)) {
                        pawl__json_node_value(w, pawl__json_at(finding, m));
                        return;
                }
        const pawl_sense sense = {
                term, pawl__text(pawl__scope_name(PAWL__TEAM_DOMAIN)), offered, 1};
        pawl__sense_write(w, &sense);
}

static pawl_status put_options(pawl__json_writer *w, const pawl__foreign *f,
        const pawl__json_tree *finding, pawl_text term, pawl_error *err)
{
        pawl__node options;
        pawl_status status = list(&options, f, SOURCE, "options", err);

        pawl__json_name(w, "options");
        pawl__json_open_array(w);
        for (pawl__node m = status ? PAWL__NO_NODE : pawl__json_first(&f->tree, options);
                m != PAWL__NO_NODE && !status; m = pawl__json_after(&f->tree, options, m)) {
                if (pawl__json_at(&f->tree, m)->type != PAWL__JSON_STRING)
                        status = missing("options", "list of texts", err);
                else
                        put_option(w, pawl__json_at(&f->tree, m)->value, finding, term);
        }
        pawl__json_close_array(w);
        return status;
}

static pawl_status read_finding(
        pawl__json_tree *tree, pawl__foreign *f, pawl_text term, pawl_error *err)
{
        const pawl_text key = finding_key(f, term);
        const uint32_t at = f->key.failed ? PAWL__MAP_NONE : pawl__map_get(&f->findings, key);

        if (f->key.failed)
                return pawl__nomem(err);
        return at == PAWL__MAP_NONE
                       ? pawl__json_tree_read(tree, "{}", 2, err)
                       : pawl__json_tree_read(tree, f->found[at].data, f->found[at].len, err);
}

static pawl_status requested(pawl__json_writer *w, pawl__foreign *f, pawl_error *err)
{
        static const char *const texts[] = {"conflict_id", "question", "term", "urgency", NULL};
        static const char *const of_finding[] = {"confidence", "conflict_type", "context"};
        pawl__json_tree finding = PAWL__JSON_TREE_INIT;
        pawl__foreign_step *step;
        pawl_text term, urgency;
        pawl_status status = copy_all(w, f, SOURCE, texts, err);

        if (!status)
                status = pawl__foreign_text(&term, f, SOURCE, "term", err);
        if (!status)
                status = pawl__foreign_text(&urgency, f, SOURCE, "urgency", err);
        if (!status)
                status = pawl__foreign_step_of(&step, f, err);
        if (!status)
                status = read_finding(&finding, f, term, err);
        if (!status)
                status = put_options(w, f, &finding, term, err);
        if (!status) {
                for (size_t i = 0; i < 3; i++) {
                        const pawl__node m = pawl__json_get(&finding, 0, of_finding[i]);
                        if (m == PAWL__NO_NODE)
                                continue;
                        pawl__json_name(w, of_finding[i]);
                        pawl__json_node_value(w, pawl__json_at(&finding, m));
                }
                pawl__json_member_text(w, "severity", urgency);
                pawl__json_member_text(w, "retry_token",
                        step->token.data ? step->token : pawl__text(PAWL__FOREIGN_NO_TOKEN));
                pawl__json_member_text(w, "input_hash",
                        step->input_hash.data ? step->input_hash
                                              : pawl__text(PAWL__FOREIGN_NO_HASH));
        }
        pawl__json_tree_free(&finding);
        return status;
}

/* {actor_id, actor_type, display_name}, {source, timestamp, actor_id}: theirs are ours. */
static pawl_status put_who(pawl__json_writer *w, const pawl__foreign *f, pawl_error *err)
{
        static const char *const actor[] = {"actor_id", "actor_type", "display_name", NULL};
        static const char *const provenance[] = {"actor_id", "source", "timestamp", NULL};

        pawl__json_name(w, "actor");
        pawl__json_open_object(w);
        pawl_status status = copy_all(w, f, pawl__json_get(&f->tree, SOURCE, "actor"), actor, err);
        pawl__json_close_object(w);
        if (status)
                return pawl__fail_prefix(err, status, "actor");
        pawl__json_name(w, "provenance");
        pawl__json_open_object(w);
        status = copy_all(w, f, pawl__json_get(&f->tree, SOURCE, "provenance"), provenance, err);
        pawl__json_close_object(w);
        return status ? pawl__fail_prefix(err, status, "provenance") : PAWL_OK;
}

static pawl_status put_normal(pawl__json_writer *w, pawl__foreign *f, pawl_error *err)
{
        pawl_text surface;

        TRY(pawl__foreign_text(&surface, f, SOURCE, "term_surface", err));
        pawl__buf_clear(&f->key);
        if (pawl__normal_form(&f->key, surface))
                return pawl__nomem(err);
        if (f->key.len == 0)
                return missing("term_surface", "term", err);
        pawl__json_member_text(w, "normal", pawl__buf_text(&f->key));
        pawl__json_member_text(w, "term_surface", surface);
        return PAWL_OK;
}

static pawl_status resolved(pawl__json_writer *w, pawl__foreign *f, pawl_error *err)
{
        static const char *const texts[] = {"conflict_id", "resolution_mode", NULL};
        pawl_status status = copy_all(w, f, SOURCE, texts, err);

        if (!status)
                status = put_normal(w, f, err);
        if (!status)
                status = put_who(w, f, err);
        pawl__json_name(w, "selected_sense");
        return status ? status
                      : put_sense(w, f, pawl__json_get(&f->tree, SOURCE, "selected_sense"), false,
                                err);
}

static pawl_status sense_updated(pawl__json_writer *w, pawl__foreign *f, pawl_error *err)
{
        pawl_status status = copy(w, f, SOURCE, "update_type", TEXT, err);

        if (!status)
                status = put_normal(w, f, err);
        if (!status)
                status = put_scope(w, f, SOURCE, "scope", err);
        if (!status)
                status = put_who(w, f, err);
        pawl__json_name(w, "new_sense");
        return status ? status
                      : put_sense(w, f, pawl__json_get(&f->tree, SOURCE, "new_sense"), true, err);
}

#define MEMBERS(...)                                                                               \
        (const char *const[])                                                                      \
        {                                                                                          \
                __VA_ARGS__, NULL                                                                  \
        }

static const pawl__foreign_type types[] = {
        {PAWL__SCOPE_ACTIVATED, false, MEMBERS("scope_id", "glossary_version_id"), scope_activated},
        {PAWL__TERM_OBSERVED, true,
                MEMBERS("term", "source_step", "actor_id", "confidence", "extraction_method",
                        "context"),
                term_observed},
        {PAWL__CHECK_EVALUATED, true,
                MEMBERS("findings", "overall_severity", "confidence", "effective_strictness",
                        "recommended_action", "blocked"),
                check_evaluated},
        {PAWL__STEP_CHECKPOINTED, true,
                MEMBERS("strictness", "scope_refs", "input_hash", "cursor", "retry_token"),
                checkpointed},
        {PAWL__GENERATION_BLOCKED, true,
                MEMBERS("conflicts", "strictness_mode", "effective_strictness"),
                generation_blocked},
        {PAWL__CLARIFICATION_REQUESTED, true,
                MEMBERS("conflict_id", "question", "term", "options", "urgency"), requested},
        {PAWL__CLARIFICATION_RESOLVED, false,
                MEMBERS("conflict_id", "term_surface", "selected_sense", "actor", "resolution_mode",
                        "provenance"),
                resolved},
        {PAWL__SENSE_UPDATED, false,
                MEMBERS("term_surface", "scope", "new_sense", "actor", "update_type", "provenance"),
                sense_updated},
};

const pawl__foreign_type *pawl__foreign_type_of(pawl_text name)
{
        const pawl__event_type type = pawl__event_type_of(name);

        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
                if (types[i].type == type)
                        return &types[i];
        return NULL;
}

pawl_status pawl__foreign_step_of(pawl__foreign_step **out, pawl__foreign *f, pawl_error *err)
{
        pawl__buf_clear(&f->key);
        pawl__buf_add_text(&f->key, f->like.run_id);
        pawl__buf_addc(&f->key, '\xff');
        pawl__buf_add_text(&f->key, f->like.step_id);
        if (f->key.failed)
                return pawl__nomem(err);
        uint32_t at = pawl__map_get(&f->steps, pawl__buf_text(&f->key));
        if (at == PAWL__MAP_NONE) {
                at = (uint32_t)f->n;
                if (pawl__grow(&f->items, &f->cap, f->n + 1, sizeof *f->items) ||
                        pawl__map_put_copy(&f->steps, &f->arena, pawl__buf_text(&f->key), at))
                        return pawl__nomem(err);
                f->items[f->n++] = (pawl__foreign_step){.token = pawl__text(NULL)};
        }
        *out = &f->items[at];
        return PAWL_OK;
}
