#include "mcp/question.h"
#include "base/error.h"

static bool is_to(const pawl__json_tree *tree, pawl__node conflict, const char *person)
{
        const pawl__node to = mcp_get(tree, conflict, "to");
        const pawl__node first = to == PAWL__NO_NODE ? to : pawl__json_first(tree, to);

        for (pawl__node at = first; at != PAWL__NO_NODE; at = pawl__json_after(tree, to, at))
                if (pawl__text_is(pawl__json_at(tree, at)->value, person))
                        return true;
        return first == PAWL__NO_NODE;
}

pawl_status mcp_question_find(pawl__json_tree *tree, pawl__node *out, mcp_outcome *conflicts,
        bool *others, mcp_server *server, pawl_text id, pawl_error *err)
{
        static const char *const words[] = {NULL};
        pawl_status status = mcp_run_line(
                conflicts, &server->log, server->registry, "conflicts", words, NULL, err);

        *out = PAWL__NO_NODE;
        if (!status && conflicts->code)
                status = pawl__fail(err, PAWL_ESTATE, "%s", conflicts->failure.message);
        if (!status)
                status = pawl__json_tree_read(
                        tree, conflicts->output.data, conflicts->output.len, err);
        if (status)
                return status;
        for (pawl__node at = pawl__json_first(tree, 0); at != PAWL__NO_NODE;
                at = pawl__json_after(tree, 0, at))
                if (pawl__text_eq(pawl__json_get_text(tree, at, "conflict_id"), id))
                        *out = at;
        if (*out != PAWL__NO_NODE && !is_to(tree, *out, server->person)) {
                *out = PAWL__NO_NODE;
                *others = true;
        }
        return PAWL_OK;
}

static void begin_text(pawl__json_writer *w, const char *name, const char *title)
{
        pawl__json_name(w, name);
        pawl__json_open_object(w);
        pawl__json_member_string(w, "type", "string");
        pawl__json_member_string(w, "title", title);
}

/* Neither form nor URL is what clients said before there were URLs: a form. */
bool mcp_takes_forms(const pawl__json_tree *tree, pawl__node elicitation)
{
        return elicitation != PAWL__NO_NODE &&
               pawl__json_at(tree, elicitation)->type == PAWL__JSON_OBJECT &&
               (mcp_get(tree, elicitation, "form") != PAWL__NO_NODE ||
                       mcp_get(tree, elicitation, "url") == PAWL__NO_NODE);
}

static void write_titles(
        pawl__json_writer *w, const pawl__json_tree *tree, pawl__node candidates, bool constants)
{
        for (pawl__node at = pawl__json_first(tree, candidates); at != PAWL__NO_NODE;
                at = pawl__json_after(tree, candidates, at)) {
                const pawl__node n = mcp_get(tree, at, "n");
                pawl__buf title = PAWL__BUF_INIT;
                const pawl_text scope = pawl__json_get_text(tree, at, "scope"),
                                definition = pawl__json_get_text(tree, at, "definition");
                pawl__buf_addf(&title, "%.*s (%.*s)", (int)definition.len,
                        definition.data ? definition.data : "", (int)scope.len,
                        scope.data ? scope.data : "");
                if (constants) {
                        pawl__json_open_object(w);
                        pawl__json_member_text(w, "const", pawl__json_at(tree, n)->value);
                        pawl__json_member_text(w, "title", pawl__buf_text(&title));
                        pawl__json_close_object(w);
                } else {
                        pawl__json_text(w, pawl__buf_text(&title));
                }
                w->buf.failed |= title.failed;
                pawl__buf_free(&title);
        }
}

static void write_senses(
        pawl__json_writer *w, const pawl__json_tree *tree, pawl__node candidates, bool constants)
{
        begin_text(w, "sense", "The sense that is meant");
        if (!constants) {
                pawl__json_name(w, "enum");
                pawl__json_open_array(w);
                for (pawl__node at = pawl__json_first(tree, candidates); at != PAWL__NO_NODE;
                        at = pawl__json_after(tree, candidates, at))
                        pawl__json_text(w, pawl__json_at(tree, mcp_get(tree, at, "n"))->value);
                pawl__json_close_array(w);
        }
        pawl__json_name(w, constants ? "oneOf" : "enumNames");
        pawl__json_open_array(w);
        write_titles(w, tree, candidates, constants);
        pawl__json_close_array(w);
        pawl__json_close_object(w);
}

/* What a step asks people: one of its options, or any text. */
static void write_answer(pawl__json_writer *w, const pawl__json_tree *tree, pawl__node options)
{
        begin_text(w, "answer", "The answer");
        if (options != PAWL__NO_NODE && pawl__json_at(tree, options)->count) {
                pawl__json_name(w, "enum");
                pawl__json_open_array(w);
                for (pawl__node at = pawl__json_first(tree, options); at != PAWL__NO_NODE;
                        at = pawl__json_after(tree, options, at))
                        pawl__json_text(w, pawl__json_get_text(tree, at, "definition"));
                pawl__json_close_array(w);
        }
        pawl__json_close_object(w);
}

void mcp_question_write(
        pawl__json_writer *w, const pawl__json_tree *tree, pawl__node conflict, mcp_form form)
{
        const bool asks =
                pawl__text_is(pawl__json_get_text(tree, conflict, "conflict_type"), "question");
        const pawl__node candidates = mcp_get(tree, conflict, "candidates");
        const pawl_text term = pawl__json_get_text(tree, conflict, "term"),
                        step = pawl__json_get_text(tree, conflict, "step_id"),
                        context = pawl__json_get_text(tree, conflict, "context");
        pawl__buf message = PAWL__BUF_INIT;

        if (asks)
                pawl__buf_addf(&message, "%.*s (step %.*s)", (int)term.len, term.data,
                        (int)step.len, step.data);
        else
                pawl__buf_addf(&message, "What does \"%.*s\" mean in step %.*s? %.*s",
                        (int)term.len, term.data, (int)step.len, step.data, (int)context.len,
                        context.data ? context.data : "");
        if (form == MCP_FORM_MODAL)
                pawl__json_member_string(w, "mode", "form");
        pawl__json_member_text(w, "message", pawl__buf_text(&message));
        w->buf.failed |= message.failed;
        pawl__buf_free(&message);
        pawl__json_name(w, "requestedSchema");
        pawl__json_open_object(w);
        pawl__json_member_string(w, "type", "object");
        pawl__json_name(w, "properties");
        pawl__json_open_object(w);
        if (asks) {
                write_answer(w, tree, candidates);
        } else {
                if (candidates != PAWL__NO_NODE && pawl__json_at(tree, candidates)->count)
                        write_senses(w, tree, candidates, form != MCP_FORM_NAMED);
                begin_text(w, "definition", "Or a definition in your own words");
                pawl__json_close_object(w);
        }
        pawl__json_close_object(w);
        pawl__json_close_object(w);
}

/* The option of `resolve` that says what the person did: "--pick=1". False: nothing was said. */
static bool read_answer(pawl__buf *option, const pawl__json_tree *tree, pawl__node answer)
{
        static const struct {
                const char *member, *option;
        } all[] = {{"answer", "--answer="}, {"definition", "--define="}, {"sense", "--pick="}};
        const pawl__node content = mcp_get(tree, answer, "content");

        if (!pawl__text_is(pawl__json_get_text(tree, answer, "action"), "accept"))
                return false;
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
                const pawl_text said = pawl__json_get_text(tree, content, all[i].member);
                if (!said.len)
                        continue;
                pawl__buf_adds(option, all[i].option);
                pawl__buf_add_text(option, said);
                return true;
        }
        return false;
}

pawl_status mcp_question_record(mcp_server *server, pawl_text conflict, const pawl__json_tree *tree,
        pawl__node answer, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        mcp_outcome outcome = {.code = CLI_DONE};
        pawl__buf option = PAWL__BUF_INIT;

        if (!read_answer(&option, tree, answer))
                return PAWL_DONE;
        const char *const words[] = {
                "--json", option.data, "--", pawl__arena_copy(&arena, conflict).data, NULL};
        pawl_status status = pawl__buf_check(&option, err);
        if (!status)
                status = pawl__arena_check(&arena, err);
        if (!status)
                status = mcp_run_line(&outcome, &server->log, server->registry, "resolve", words,
                        server->person, err);
        if (!status && outcome.code)
                status = pawl__fail(err, PAWL_EINVAL, "%s", outcome.failure.message);
        mcp_outcome_free(&outcome);
        pawl__arena_free(&arena);
        pawl__buf_free(&option);
        return status;
}
