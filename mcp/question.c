#include "mcp/question.h"
#include <stdio.h>
#include <stdlib.h>

void mcp_person(char out[300])
{
        const char *const user = getenv("USER");

        snprintf(out, 300, "user:%s", user && *user ? user : "person");
}

bool mcp_question_is_to(const pawl__json_tree *tree, pawl__node conflict, pawl_text actor)
{
        const pawl__node to = pawl__json_get(tree, conflict, "to");
        const pawl__node first = to == PAWL__NO_NODE ? to : pawl__json_first(tree, to);

        for (pawl__node at = first; at != PAWL__NO_NODE; at = pawl__json_after(tree, to, at))
                if (pawl__text_eq(pawl__json_at(tree, at)->value, actor))
                        return true;
        return first == PAWL__NO_NODE;
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
               (pawl__json_get(tree, elicitation, "form") != PAWL__NO_NODE ||
                       pawl__json_get(tree, elicitation, "url") == PAWL__NO_NODE);
}

static void write_titles(
        pawl__json_writer *w, const pawl__json_tree *tree, pawl__node candidates, bool constants)
{
        for (pawl__node at = pawl__json_first(tree, candidates); at != PAWL__NO_NODE;
                at = pawl__json_after(tree, candidates, at)) {
                const pawl__node n = pawl__json_get(tree, at, "n");
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
                        pawl__json_text(
                                w, pawl__json_at(tree, pawl__json_get(tree, at, "n"))->value);
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
        const pawl__node candidates = pawl__json_get(tree, conflict, "candidates");
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

bool mcp_question_said(pawl__buf *option, const pawl__json_tree *tree, pawl__node answer)
{
        static const struct {
                const char *member, *option;
        } all[] = {{"answer", "--answer="}, {"definition", "--define="}, {"sense", "--pick="}};
        const pawl__node content = pawl__json_get(tree, answer, "content");

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
