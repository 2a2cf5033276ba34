#include "state/step_plan.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"

static const char *const words[] = {"off", "medium", "max"};

int pawl__strictness_rank(pawl_text word)
{
        int rank = 0;

        while (rank < 2 && !pawl__text_is(word, words[rank]))
                rank++;
        return rank;
}

/* ---- The text -------------------------------------------------------------------------------- */

static void write_list(pawl__json_writer *w, const char *name, const pawl_text *items, size_t n)
{
        pawl__json_name(w, name);
        pawl__json_open_array(w);
        for (size_t i = 0; i < n; i++)
                pawl__json_text(w, items[i]);
        pawl__json_close_array(w);
}

pawl_status pawl__asks_hash(
        char hex[65], const pawl__asks *asks, pawl__hasher *hasher, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        unsigned char hash[32];

        pawl__json_open_object(&w);
        write_list(&w, "options", asks->options, asks->n_options);
        pawl__json_member_text(&w, "otherwise", asks->otherwise);
        pawl__json_member_text(&w, "question", asks->question);
        write_list(&w, "to", asks->to, asks->n_to);
        pawl__json_member_integer(&w, "within", asks->within_ms);
        pawl__json_close_object(&w);
        pawl_status status = pawl__json_end_writer(&w) ? pawl__nomem(err) : PAWL_OK;
        if (!status)
                status = pawl__sha256(hasher, hash, w.buf.data, w.buf.len, err);
        pawl__json_writer_free(&w);
        if (!status)
                pawl__hex(hex, hash, sizeof hash);
        return status;
}

void pawl__plan_begin(pawl__buf *plan, int strictness, bool when, pawl_text ask)
{
        pawl__buf_clear(plan);
        pawl__buf_addc(plan, (char)('0' + strictness));
        pawl__buf_addc(plan, when ? 'w' : '-');
        if (ask.data)
                pawl__buf_addc(plan, '?');
        pawl__buf_add_text(plan, ask);
}

void pawl__plan_need(pawl__buf *plan, pawl_text step_id)
{
        pawl__buf_addc(plan, '/');
        for (size_t i = 0; i < step_id.len; i++)
                pawl__buf_addc(plan, (char)(step_id.data[i] == ' ' ? '\n' : step_id.data[i]));
}

pawl__plan_needs pawl__plan_needs_of(pawl_text plan)
{
        const size_t at = pawl__plan_ask(plan).data ? 67 : 2;

        return (pawl__plan_needs){
                plan.len > at ? pawl__text_n(plan.data + at, plan.len - at) : pawl__text("")};
}

pawl_text pawl__plan_next(pawl__plan_needs *needs, char *room)
{
        size_t len = 0;

        if (!needs->left.len)
                return pawl__text(NULL);
        const char *at = needs->left.data + 1, *const end = needs->left.data + needs->left.len;
        for (; at < end && *at != '/' && len < PAWL__ID_MAX; at++)
                room[len++] = (char)(*at == '\n' ? ' ' : *at);
        needs->left = pawl__text_n(at, (size_t)(end - at));
        return pawl__text_n(room, len);
}

void pawl__plan_write(pawl__json_writer *w, pawl_text plan, pawl_text before)
{
        const int strictness = pawl__plan_strictness(plan);
        pawl__plan_needs needs = pawl__plan_needs_of(plan);
        char room[PAWL__ID_MAX];
        const pawl_text first = pawl__plan_next(&needs, room);

        pawl__json_open_object(w);
        if (pawl__plan_ask(plan).data)
                pawl__json_member_text(w, "ask", pawl__plan_ask(plan));
        if (needs.left.len || !pawl__text_eq(first, before)) {
                pawl__json_name(w, "needs");
                pawl__json_open_array(w);
                for (pawl_text need = first; need.data; need = pawl__plan_next(&needs, room))
                        pawl__json_text(w, need);
                pawl__json_close_array(w);
        }
        if (strictness != 1)
                pawl__json_member_string(w, "strictness", words[strictness]);
        if (pawl__plan_has_when(plan))
                pawl__json_member_bool(w, "when", true);
        pawl__json_close_object(w);
}

/* ---- The payload ----------------------------------------------------------------------------- */

static pawl_status refuse(const pawl__apply_ctx *a)
{
        return pawl__apply_refuse(a, PAWL_EINVAL, "payload.plan",
                "is no object for each of steps, with ask, needs of those, strictness and when; "
                "write one");
}

static bool is_true(const pawl__json_tree *tree, pawl__node node)
{
        return node != PAWL__NO_NODE && pawl__json_at(tree, node)->type == PAWL__JSON_TRUE;
}

static bool is_plan(const pawl__json_tree *tree, pawl__node object, const pawl__map *ids)
{
        unsigned char hash[32];

        if (pawl__json_at(tree, object)->type != PAWL__JSON_OBJECT ||
                (pawl__json_get(tree, object, "ask") != PAWL__NO_NODE &&
                        !pawl__unhex32(hash, pawl__json_get_text(tree, object, "ask"))))
                return false;
        const pawl__node needs = pawl__json_get(tree, object, "needs"),
                         when = pawl__json_get(tree, object, "when");
        const pawl_text strictness = pawl__json_get_text(tree, object, "strictness");
        if ((when != PAWL__NO_NODE && pawl__json_at(tree, when)->type != PAWL__JSON_FALSE &&
                    !is_true(tree, when)) ||
                (pawl__json_get(tree, object, "strictness") != PAWL__NO_NODE &&
                        !pawl__text_is(strictness, words[pawl__strictness_rank(strictness)])))
                return false;
        if (needs == PAWL__NO_NODE)
                return true;
        for (pawl__node n = pawl__json_first(tree, needs); n != PAWL__NO_NODE;
                n = pawl__json_after(tree, needs, n))
                if (pawl__json_at(tree, n)->type != PAWL__JSON_STRING ||
                        pawl__map_get(ids, pawl__json_at(tree, n)->value) == PAWL__MAP_NONE)
                        return false;
        return pawl__json_at(tree, needs)->type == PAWL__JSON_ARRAY;
}

pawl_status pawl__plan_check(const pawl__apply_ctx *a, pawl__node steps, const pawl__map *ids)
{
        const pawl__node list = pawl__json_get(a->tree, 0, "plan");

        if (list == PAWL__NO_NODE)
                return PAWL_OK;
        if (pawl__json_at(a->tree, list)->type != PAWL__JSON_ARRAY ||
                pawl__json_at(a->tree, list)->count != pawl__json_at(a->tree, steps)->count)
                return refuse(a);
        for (pawl__node n = pawl__json_first(a->tree, list); n != PAWL__NO_NODE;
                n = pawl__json_after(a->tree, list, n))
                if (!is_plan(a->tree, n, ids))
                        return refuse(a);
        for (pawl__node n = pawl__json_first(a->tree, steps); n != PAWL__NO_NODE;
                n = pawl__json_after(a->tree, steps, n))
                if (pawl__id_check(pawl__json_at(a->tree, n)->value, "step id", a->err))
                        return pawl__apply_refuse(a, PAWL_EINVAL, "payload.steps",
                                "holds what is no step's id; name each step by its id");
        return PAWL_OK;
}

pawl__plan_walk pawl__plan_walk_of(const pawl__apply_ctx *a)
{
        const pawl__node list = pawl__json_get(a->tree, 0, "plan");

        return (pawl__plan_walk){.a = a,
                .list = list,
                .at = list == PAWL__NO_NODE ? list : pawl__json_first(a->tree, list),
                .buf = PAWL__BUF_INIT};
}

pawl_status pawl__plan_take(pawl_text *plan, pawl__plan_walk *walk, pawl_text step_id)
{
        const pawl__apply_ctx *a = walk->a;
        const pawl_text before = walk->before;

        *plan = pawl__text(NULL);
        walk->before = step_id;
        if (walk->list == PAWL__NO_NODE)
                return PAWL_OK;
        const pawl_text strictness = pawl__json_get_text(a->tree, walk->at, "strictness");
        const pawl__node needs = pawl__json_get(a->tree, walk->at, "needs");
        pawl__plan_begin(&walk->buf, strictness.data ? pawl__strictness_rank(strictness) : 1,
                is_true(a->tree, pawl__json_get(a->tree, walk->at, "when")),
                pawl__json_get_text(a->tree, walk->at, "ask"));
        if (needs == PAWL__NO_NODE && before.data)
                pawl__plan_need(&walk->buf, before);
        for (pawl__node n = needs == PAWL__NO_NODE ? needs : pawl__json_first(a->tree, needs);
                n != PAWL__NO_NODE; n = pawl__json_after(a->tree, needs, n))
                pawl__plan_need(&walk->buf, pawl__json_at(a->tree, n)->value);
        walk->at = pawl__json_after(a->tree, walk->list, walk->at);
        TRY(pawl__buf_check(&walk->buf, a->err));
        *plan = pawl__arena_copy(a->arena, pawl__buf_text(&walk->buf));
        return pawl__arena_check(a->arena, a->err);
}

void pawl__plan_walk_end(pawl__plan_walk *walk)
{
        pawl__buf_free(&walk->buf);
}
