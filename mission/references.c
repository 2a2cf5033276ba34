#include "mission/references.h"
#include "base/error.h"
#include "base/json_write.h"
#include "mission/graph.h"
#include "mission/inputs.h"
#include "mission/param_text.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A step (by index) takes from another, at this node. */
struct edge {
        uint32_t from, to;
        pawl__node node;
};

struct references {
        const pawl_mission *mission;
        const pawl__map *ids;
        struct edge *edges;
        size_t n, cap;
        pawl_error *err;
};

static bool is_name(pawl_text text)
{
        for (size_t i = 0; i < text.len; i++) {
                char c = text.data[i];
                bool letter =
                        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
                if (!letter && (i == 0 || ((c < '0' || c > '9') && c != '-')))
                        return false;
        }
        return text.len > 0;
}

void pawl__member_path(
        pawl__buf *out, const pawl__json_tree *tree, pawl__node root, pawl__node node)
{
        while (root != node) {
                bool in_object = pawl__json_at(tree, root)->type == PAWL__JSON_OBJECT;
                size_t index = 0;
                pawl__node child = pawl__json_first(tree, root);
                for (; pawl__json_at(tree, child)->next <= node; index++)
                        child = pawl__json_after(tree, root, child);
                pawl_text name = pawl__json_at(tree, child)->name;
                if (!in_object) {
                        pawl__buf_addf(out, "[%zu]", index);
                } else if (is_name(name)) {
                        pawl__buf_addc(out, '.');
                        pawl__buf_add_text(out, name);
                } else {
                        pawl__buf_addc(out, '[');
                        pawl__json_quote(out, name);
                        pawl__buf_addc(out, ']');
                }
                root = child;
        }
}

static bool is_when(const pawl__step *step, const pawl__json_tree *tree, pawl__node node)
{
        return step->when != PAWL__NO_NODE && node >= step->when &&
               node < pawl__json_at(tree, step->when)->next;
}

static pawl_status PAWL_PRINTF(4, 5)
        refuse(const struct references *r, size_t step, pawl__node node, const char *format, ...)
{
        const pawl_mission *mission = r->mission;
        const bool when = is_when(&mission->steps[step], &mission->document.tree, node);
        char what[PAWL_ERROR_MAX];
        pawl__buf path = PAWL__BUF_INIT;
        va_list args;

        va_start(args, format);
        vsnprintf(what, sizeof what, format, args);
        va_end(args);
        pawl__buf_addf(&path, "steps[%zu].%s", step, when ? "when" : "inputs");
        pawl__member_path(&path, &mission->document.tree,
                when ? mission->steps[step].when : mission->steps[step].inputs, node);
        pawl_status status = pawl__buf_check(&path, r->err);
        if (!status)
                status = pawl__document_fail(&mission->document, node, r->err, "%.*s: %s",
                        PAWL__FMT(pawl__buf_text(&path)), what);
        pawl__buf_free(&path);
        return status;
}

/* RFC 6901, section 3: a slash before each token, '~' only as ~0 and ~1. */
static bool is_pointer(pawl_text pointer)
{
        for (size_t i = 0; i < pointer.len; i++)
                if (pointer.data[i] == '~' &&
                        (i + 1 == pointer.len || (pointer.data[i + 1] | 1) != '1'))
                        return false;
        return pointer.len == 0 || pointer.data[0] == '/';
}

static pawl_status refuse_unknown(
        const struct references *r, size_t step, pawl__node node, pawl_text id)
{
        const char *sharp = id.len ? memchr(id.data, '#', id.len) : NULL;
        pawl_text before = {id.data, sharp ? (size_t)(sharp - id.data) : 0};

        if (sharp && pawl__map_get(r->ids, before) != PAWL__MAP_NONE)
                return refuse(r, step, node,
                        "pointer \"%.*s\" does not start with \"/\"; write \"%.*s#/MEMBER\", or "
                        "\"%.*s\" for the whole output",
                        PAWL__FMT(((pawl_text){sharp + 1, id.len - before.len - 1})),
                        PAWL__FMT(before), PAWL__FMT(before));
        return refuse(r, step, node, "no step is called \"%.*s\"; name a step that comes earlier",
                PAWL__FMT(id));
}

static pawl_status add_reference(
        struct references *r, size_t step, pawl__node object, pawl__node member)
{
        const pawl__json_tree *tree = &r->mission->document.tree;
        const pawl__json_node *value = pawl__json_at(tree, member);
        pawl_text id, pointer;

        if (value->type != PAWL__JSON_STRING)
                return refuse(
                        r, step, member, "must be a string; write \"STEP\" or \"STEP#/POINTER\"");
        if (pawl__json_at(tree, object)->count != 1)
                return refuse(r, step, object,
                        "$from stands beside other members; give it an object of its own");
        pawl__from_split(&id, &pointer, value->value);
        uint32_t to = pawl__map_get(r->ids, id);
        if (to == PAWL__MAP_NONE)
                return refuse_unknown(r, step, member, id);
        if (to == step)
                return refuse(r, step, member,
                        "takes from its own step \"%.*s\"; name an earlier one", PAWL__FMT(id));
        if (!is_pointer(pointer))
                return refuse(r, step, member,
                        "pointer \"%.*s\" is not a JSON pointer; write ~ as ~0 and / in a name as "
                        "~1",
                        PAWL__FMT(pointer));
        if (pointer.len && r->mission->steps[to].ask)
                return refuse(r, step, member,
                        "the answer to \"%.*s\" is a string, which has no %.*s; write \"%.*s\"",
                        PAWL__FMT(id), PAWL__FMT(pointer), PAWL__FMT(id));
        if (pawl__grow(&r->edges, &r->cap, r->n + 1, sizeof *r->edges))
                return pawl__nomem(r->err);
        r->edges[r->n++] = (struct edge){(uint32_t)step, to, member};
        return PAWL_OK;
}

static pawl_status check_param(const struct references *r, size_t step, pawl__node object)
{
        pawl_mission_param *param;
        pawl__buf where = PAWL__BUF_INIT;

        pawl__buf_addf(&where, "steps[%zu].inputs", step);
        pawl__member_path(
                &where, &r->mission->document.tree, r->mission->steps[step].inputs, object);
        pawl_status status = pawl__buf_check(&where, r->err);
        if (!status)
                status = pawl__param_named(&param, r->mission, object, where.data, r->err);
        pawl__buf_free(&where);
        return status;
}

/* A string of the inputs, which may take parameters. */
static pawl_status check_text(const struct references *r, size_t step, pawl__node node)
{
        const pawl_text text = pawl__json_at(&r->mission->document.tree, node)->value;
        pawl__buf where = PAWL__BUF_INIT;
        pawl_status status;

        if (!pawl__text_has_params(text))
                return PAWL_OK;
        pawl__buf_addf(&where, "steps[%zu].inputs", step);
        pawl__member_path(&where, &r->mission->document.tree, r->mission->steps[step].inputs, node);
        status = pawl__buf_check(&where, r->err);
        const pawl__place place = {&r->mission->document, "", where.data, NULL, r->err, NULL};
        if (!status)
                status = pawl__text_check_params(r->mission, &place, node, text);
        pawl__buf_free(&where);
        return status;
}

static pawl_status gather(struct references *r, size_t step, pawl__node root)
{
        const pawl__json_tree *tree = &r->mission->document.tree;

        if (root == PAWL__NO_NODE)
                return PAWL_OK;
        for (pawl__node n = root; n < pawl__json_at(tree, root)->next; n++) {
                pawl__node from = pawl__json_get(tree, n, "$from");
                pawl_status status = PAWL_OK;
                if (from != PAWL__NO_NODE)
                        status = add_reference(r, step, n, from);
                else if (pawl__is_param(tree, n))
                        status = check_param(r, step, n);
                else if (pawl__json_at(tree, n)->type == PAWL__JSON_STRING)
                        status = check_text(r, step, n);
                if (status)
                        return status;
        }
        return PAWL_OK;
}

/* Does a step take from another, by way of others or not? Each round follows the references once
 * more: only for a message. */
static bool takes_from(const struct references *r, uint32_t step, uint32_t from, bool *reached)
{
        bool more = true;

        memset(reached, 0, r->mission->n_steps * sizeof *reached);
        reached[step] = true;
        while (more && !reached[from]) {
                more = false;
                for (size_t e = 0; e < r->n; e++)
                        if (reached[r->edges[e].from] && !reached[r->edges[e].to])
                                more = reached[r->edges[e].to] = true;
        }
        return reached[from];
}

static pawl_status refuse_later(const struct references *r, const struct edge *edge)
{
        const pawl_mission *mission = r->mission;
        const pawl_text to = mission->steps[edge->to].id, from = mission->steps[edge->from].id;
        bool *reached = calloc(mission->n_steps, sizeof *reached);
        pawl_status status;

        if (!reached)
                return pawl__nomem(r->err);
        if (takes_from(r, edge->to, edge->from, reached))
                status = refuse(r, edge->from, edge->node,
                        "step \"%.*s\" takes from \"%.*s\" in turn, itself or by way of others; "
                        "take one of these references out",
                        PAWL__FMT(to), PAWL__FMT(from));
        else if (mission->graph)
                status = refuse(r, edge->from, edge->node,
                        "step \"%.*s\" is none that \"%.*s\" needs; add it to needs of \"%.*s\"",
                        PAWL__FMT(to), PAWL__FMT(from), PAWL__FMT(from));
        else
                status = refuse(r, edge->from, edge->node,
                        "step \"%.*s\" comes later; put it before \"%.*s\"", PAWL__FMT(to),
                        PAWL__FMT(from));
        free(reached);
        return status;
}

pawl_status pawl__references_check(
        const pawl_mission *mission, const pawl__map *ids, pawl_error *err)
{
        struct references r = {mission, ids, NULL, 0, 0, err};
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < mission->n_steps && !status; i++) {
                status = gather(&r, i, mission->steps[i].inputs);
                if (!status)
                        status = gather(&r, i, mission->steps[i].when);
        }
        for (size_t e = 0; e < r.n && !status; e++) {
                bool needed = false;
                status = pawl__graph_needs(&needed, mission, r.edges[e].from, r.edges[e].to, err);
                if (!status && !needed)
                        status = refuse_later(&r, &r.edges[e]);
        }
        free(r.edges);
        return status;
}

/* An id holds no slash, so that the first "#/" is where the pointer starts, whatever the id. */
void pawl__from_split(pawl_text *step_id, pawl_text *pointer, pawl_text from)
{
        const char *at = from.len ? memmem(from.data, from.len, "#/", 2) : NULL;
        size_t len = at ? (size_t)(at - from.data) : from.len;

        *step_id = (pawl_text){from.data, len};
        *pointer = at ? (pawl_text){at + 1, from.len - len - 1} : (pawl_text){"", 0};
}

pawl_text pawl__from_of(const pawl__json_tree *tree, pawl__node node)
{
        const pawl__json_node *object = pawl__json_at(tree, node);

        if (object->type != PAWL__JSON_OBJECT || object->count != 1)
                return (pawl_text){NULL, 0};
        return pawl__json_get_text(tree, node, "$from");
}
