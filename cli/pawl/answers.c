#include "cli/pawl/answers.h"
#include "base/error.h"
#include "base/json_read.h"
#include "base/json_tree.h"
#include "cli/pawl/problems.h"
#include "glossary/plain.h"

/* One is wrong; the others are looked at all the same. */
static void note(cli_answers *a, size_t place, const pawl_error *why)
{
        const size_t most = PAWL__PROBLEMS_MOST;
        size_t to = a->n_wrong < most ? a->n_wrong : most;

        a->n_wrong++;
        for (; to > 0 && a->wrong[to - 1].place > place; to--)
                if (to < most)
                        a->wrong[to] = a->wrong[to - 1];
        if (to == most)
                return;
        a->wrong[to] = (cli_wrong){place, *why};
        if (a->array)
                pawl__fail_prefix(
                        &a->wrong[to].why, why->status, "%.200s: answer %zu", a->name, place);
        else
                pawl__json_fail_on_line(&a->wrong[to].why, why->status, a->name, place);
}

void cli_answers_refuse(size_t i, const pawl_error *why, void *user)
{
        cli_answers *a = user;

        note(a, a->places[i], why);
}

pawl_status cli_answers_report(const cli_answers *answers, const cli_call *cli, pawl_error *err)
{
        cli_problems problems;

        cli_problems_begin(&problems, cli);
        for (size_t i = 0; i < answers->n_wrong; i++)
                pawl__problems_add(&problems.of,
                        &answers->wrong[i < PAWL__PROBLEMS_MOST ? i : PAWL__PROBLEMS_MOST - 1].why);
        return cli_problems_end(
                &problems, pawl__problems_close(&problems.of, answers->name, err), err);
}

/* What is read, and the members of `conflicts --json` that may be beside it. */
static pawl_status check_names(const pawl__json_tree *tree, pawl__node object, pawl_error *err)
{
        static const char *const known[] = {"conflict_id", "pick", "define", "dismiss", "scope",
                "run_id", "step_id", "retry_token", "term", "conflict_type", "severity",
                "confidence", "context", "candidates", "status", "requested_at", "resolved_seq",
                "answer", "to", "due_at", "otherwise", "answered_by", "seq", "undone"};
        enum { KNOWN = sizeof known / sizeof known[0] };

        for (pawl__node n = pawl__json_first(tree, object); n != PAWL__NO_NODE;
                n = pawl__json_after(tree, object, n)) {
                const pawl_text name = pawl__json_at(tree, n)->name;
                if (pawl__text_index(name, known, KNOWN) == KNOWN)
                        return pawl__fail(err, PAWL_EINVAL,
                                "%.*s: is not known; answer by pick, define, dismiss or answer",
                                PAWL__FMT(name));
        }
        return PAWL_OK;
}

/* A member that is there, and of that type; null counts as absent. */
static pawl_status member(const pawl__json_node **out, const pawl__json_tree *tree,
        pawl__node object, const char *name, pawl__json_type type, const char *what,
        pawl_error *err)
{
        const pawl__node n = pawl__json_get(tree, object, name);
        const pawl__json_node *node = n == PAWL__NO_NODE ? NULL : pawl__json_at(tree, n);

        *out = node && node->type != PAWL__JSON_NULL ? node : NULL;
        if (!*out || node->type == type ||
                (type == PAWL__JSON_TRUE && node->type == PAWL__JSON_FALSE))
                return PAWL_OK;
        return pawl__fail(err, PAWL_EINVAL, "%s: is no %s; write one", name, what);
}

static pawl_status read_answer(pawl_conflict_answer *out, const pawl__json_tree *tree,
        pawl__node object, pawl__arena *arena, pawl_error *err)
{
        const pawl__json_node *id, *pick, *define, *dismiss, *scope, *answer;
        int64_t n = 0;

        if (pawl__json_at(tree, object)->type != PAWL__JSON_OBJECT)
                return pawl__fail(err, PAWL_EINVAL,
                        "is no object; write one as `pawl conflicts --json` prints them");
        if (check_names(tree, object, err) ||
                member(&id, tree, object, "conflict_id", PAWL__JSON_STRING, "text", err) ||
                member(&pick, tree, object, "pick", PAWL__JSON_NUMBER, "number", err) ||
                member(&define, tree, object, "define", PAWL__JSON_STRING, "text", err) ||
                member(&dismiss, tree, object, "dismiss", PAWL__JSON_TRUE, "true or false", err) ||
                member(&scope, tree, object, "scope", PAWL__JSON_STRING, "text", err) ||
                member(&answer, tree, object, "answer", PAWL__JSON_STRING, "text", err))
                return PAWL_EINVAL;
        if (!id)
                return pawl__fail(err, PAWL_EINVAL,
                        "conflict_id: is missing; say which conflict is answered");
        if (pick && (!pawl__json_int(pick, &n) || n < 1))
                return pawl__fail(
                        err, PAWL_EINVAL, "pick: is no candidate's n; give a number from 1 up");
        out->conflict_id = pawl__arena_copy(arena, id->value).data;
        out->answer.pick = (size_t)n;
        if (define)
                out->answer.define = pawl__arena_copy(arena, define->value);
        if (answer)
                out->answer.answer = pawl__arena_copy(arena, answer->value);
        if (scope)
                out->answer.scope = pawl__arena_copy(arena, scope->value);
        out->answer.dismiss = dismiss && dismiss->type == PAWL__JSON_TRUE;
        return pawl__arena_check(arena, err);
}

/* PAWL_OK also for one that is wrong. */
static pawl_status add(cli_answers *a, const pawl__json_tree *tree, pawl__node object, size_t place,
        pawl_error *err)
{
        pawl_conflict_answer one = {.conflict_id = NULL};
        const pawl_status status = read_answer(&one, tree, object, a->arena, err);

        if (status == PAWL_ENOMEM)
                return status;
        if (status)
                note(a, place, err);
        else if (one.answer.pick || one.answer.define.data || one.answer.dismiss ||
                 one.answer.answer.data) {
                a->items[a->n] = one;
                a->places[a->n++] = place;
        }
        return PAWL_OK;
}

static pawl_status room_for(cli_answers *a, size_t n, pawl_error *err)
{
        a->items = pawl__arena_array(a->arena, n, sizeof *a->items);
        a->places = pawl__arena_array(a->arena, n, sizeof *a->places);
        return pawl__arena_check(a->arena, err);
}

static pawl_status read_array(cli_answers *a, pawl_text text, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        size_t place = 0;
        pawl_status status = pawl__json_tree_read(&tree, text.data, text.len, err);

        if (status)
                pawl__fail_prefix(err, status, "%s", a->name);
        else
                status = room_for(a, pawl__json_at(&tree, 0)->count, err);
        for (pawl__node n = status ? PAWL__NO_NODE : pawl__json_first(&tree, 0);
                n != PAWL__NO_NODE && !status; n = pawl__json_after(&tree, 0, n))
                status = add(a, &tree, n, ++place, err);
        pawl__json_tree_free(&tree);
        return status;
}

/* An object that goes on in the next line is one mistake, and none of each of its lines. */
static pawl_status spread(const cli_answers *a, size_t line, pawl_error *err)
{
        return pawl__fail(err, PAWL_EPARSE,
                "%s: line %zu: an object that goes on in the next line; write each on one line, as "
                "`jq -c` does, or all of them as one array",
                a->name, line);
}

static pawl_status read_line(cli_answers *a, pawl_text text, size_t line, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status;

        if (pawl__text_blank(text))
                return PAWL_OK;
        if (pawl__text_is(pawl__text_trim(text), "{"))
                return spread(a, line, err);
        status = pawl__json_tree_read(&tree, text.data, text.len, err);
        if (!status)
                status = add(a, &tree, 0, line, err);
        else if (status == PAWL_EPARSE)
                note(a, line, err), status = PAWL_OK;
        pawl__json_tree_free(&tree);
        return status;
}

static pawl_status read_lines(cli_answers *a, pawl_text text, pawl_error *err)
{
        size_t lines = 1;

        for (size_t i = 0; i < text.len; i++)
                lines += text.data[i] == '\n';
        pawl_status status = room_for(a, lines, err);
        for (size_t line = 1; line <= lines && !status; line++) {
                const char *end = text.len ? memchr(text.data, '\n', text.len) : NULL;
                const size_t len = end ? (size_t)(end - text.data) : text.len;
                status = read_line(a, pawl__text_n(text.data, len), line, err);
                text = pawl__text_n(
                        text.data + len + (end != NULL), text.len - len - (end != NULL));
        }
        return status;
}

pawl_status cli_answers_read(
        cli_answers *out, const char *name, pawl_text text, pawl__arena *arena, pawl_error *err)
{
        size_t at = 0;

        while (at < text.len && strchr(" \t\r\n", text.data[at]))
                at++;
        *out = (cli_answers){
                .name = name, .arena = arena, .array = at < text.len && text.data[at] == '['};
        return out->array ? read_array(out, text, err) : read_lines(out, text, err);
}
