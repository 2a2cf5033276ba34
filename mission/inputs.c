#include "mission/inputs.h"
#include "base/error.h"
#include "base/json_canon.h"
#include "base/json_write.h"
#include "mission/param_text.h"
#include "mission/references.h"

/* What resolving one step's inputs works in. */
struct resolver {
        const pawl_mission *mission;
        const pawl__json_tree *in; /* of the mission's document, or own */
        pawl__json_tree own;       /* of what is resolved alone, where that is dropped */
        pawl__node root;           /* of what is resolved, */
        const char *name;          /* and what it is called */
        pawl__output_fn output;
        void *user;
        pawl__buf text;   /* the inputs with the outputs put in, not canonical yet */
        pawl_text loaded; /* the step whose output is at hand; absent: none */
        pawl_text json;   /* that output */
        bool parsed;      /* the tree is its */
        pawl__json_tree tree;
        pawl_error *err;
};

/* What was meant as JSON is a string where it is not quite: a name that stands twice, say. */
static bool is_text(const struct resolver *r, pawl_error *why)
{
        const pawl_text text = pawl__json_at(&r->tree, 0)->value;
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status = PAWL_OK;
        size_t at = 0;

        while (at < text.len && memchr(" \t\r\n", text.data[at], 4))
                at++;
        if (pawl__json_at(&r->tree, 0)->type == PAWL__JSON_STRING && at < text.len &&
                (text.data[at] == '{' || text.data[at] == '['))
                status = pawl__json_tree_read(&tree, text.data, text.len, why);
        pawl__json_tree_free(&tree);
        return status == PAWL_EPARSE;
}

static pawl_status refuse(struct resolver *r, pawl__node node, pawl_text id, pawl_text pointer)
{
        pawl__buf path = PAWL__BUF_INIT;
        pawl_error why = PAWL_ERROR_INIT;

        pawl__buf_adds(&path, r->name);
        pawl__member_path(&path, r->in, r->root, node);
        pawl_status status = pawl__buf_check(&path, r->err);
        if (!status && is_text(r, &why))
                status = pawl__fail(r->err, PAWL_ENOTFOUND,
                        "%.*s: output of \"%.*s\" is kept as text, which has no %.*s: it is no "
                        "JSON (%s); correct what \"%.*s\" prints",
                        PAWL__FMT(pawl__buf_text(&path)), PAWL__FMT(id), PAWL__FMT(pointer),
                        why.message, PAWL__FMT(id));
        else if (!status)
                status = pawl__fail(r->err, PAWL_ENOTFOUND,
                        "%.*s: output of \"%.*s\" has no %.*s; fix the pointer in the mission "
                        "file, or what \"%.*s\" prints",
                        PAWL__FMT(pawl__buf_text(&path)), PAWL__FMT(id), PAWL__FMT(pointer),
                        PAWL__FMT(id));
        pawl__buf_free(&path);
        return status;
}

/* The output of a step, asked for once as long as the references in a row name the same one. */
static pawl_status load_output(struct resolver *r, pawl_text id)
{
        if (pawl__text_eq(r->loaded, id))
                return PAWL_OK;
        pawl_status status = r->output(&r->json, id, r->user, r->err);
        r->loaded = status ? (pawl_text){NULL, 0} : id;
        r->parsed = false;
        return status;
}

static pawl_status add_output(struct resolver *r, pawl__node node, pawl_text from)
{
        pawl_text id, pointer;

        pawl__from_split(&id, &pointer, from);
        pawl_status status = load_output(r, id);
        if (status)
                return status;
        if (pointer.len == 0) {
                pawl__buf_add_text(&r->text, r->json);
                return PAWL_OK;
        }
        if (!r->parsed) {
                status = pawl__json_tree_read(&r->tree, r->json.data, r->json.len, r->err);
                if (status)
                        return pawl__fail_prefix(
                                r->err, status, "output of \"%.*s\"", PAWL__FMT(id));
                r->parsed = true;
        }
        pawl__node member = pawl__json_pointer(&r->tree, pointer);
        if (member == PAWL__NO_NODE)
                return refuse(r, node, id, pointer);
        pawl__json_node_text(&r->text, pawl__json_at(&r->tree, member));
        return PAWL_OK;
}

/* The end of the JSON string that begins there. */
static size_t end_of_string(const pawl__json_tree *tree, size_t at)
{
        while (tree->text[++at] != '"')
                at += tree->text[at] == '\\';
        return at + 1;
}

/* A string with the values of the parameters that it takes. */
static pawl_status add_string(struct resolver *r, pawl_text string)
{
        pawl__buf text = PAWL__BUF_INIT;
        const pawl_status status = pawl__text_put_params(&text, r->mission, string, r->err);

        if (!status)
                pawl__json_quote(&r->text, pawl__buf_text(&text));
        pawl__buf_free(&text);
        return status;
}

/* The inputs' own text, with each $from object left out and the output put in its place, each
 * $param object that of a value, and each string that takes parameters with their values. */
static pawl_status splice(struct resolver *r)
{
        const pawl__json_tree *tree = r->in;
        pawl__node root = r->root, end = pawl__json_at(tree, root)->next;
        size_t at = pawl__json_at(tree, root)->offset;

        for (pawl__node n = root; n < end;) {
                const pawl__json_node *node = pawl__json_at(tree, n);
                pawl_text from = r->output ? pawl__from_of(tree, n) : (pawl_text){NULL, 0};
                const pawl_mission_param *param = pawl__param_at(r->mission, tree, n);
                const bool string =
                        node->type == PAWL__JSON_STRING && pawl__text_has_params(node->value);
                if (!from.data && (!param || !param->value) && !string) {
                        n++;
                        continue;
                }
                pawl__buf_add(&r->text, tree->text + at, node->offset - at);
                if (from.data)
                        TRY(add_output(r, n, from));
                else if (string)
                        TRY(add_string(r, node->value));
                else
                        pawl__buf_adds(&r->text, param->value);
                at = string ? end_of_string(tree, node->offset) : node->offset + node->value.len;
                n = node->next;
        }
        const pawl__json_node *whole = pawl__json_at(tree, root);
        const size_t stop = whole->offset + whole->value.len;
        pawl__buf_add(&r->text, tree->text + at, stop - at);
        return PAWL_OK;
}

/* @p node of the mission's document, which stands @p at in its text. */
static pawl_status find_root(struct resolver *r, pawl__node node, pawl__span at)
{
        const pawl__document *document = &r->mission->document;

        r->in = &document->tree;
        r->root = node;
        if (document->tree.n)
                return PAWL_OK;
        r->in = &r->own;
        r->root = 0;
        return pawl__json_tree_read(&r->own, document->json.data + at.at, at.len, r->err);
}

static void free_resolver(struct resolver *r)
{
        pawl__buf_free(&r->text);
        pawl__json_tree_free(&r->tree);
        pawl__json_tree_free(&r->own);
}

pawl_status pawl__inputs_resolve(pawl__buf *out, const pawl_mission *mission,
        const pawl__step *step, pawl__output_fn output, void *user, pawl_error *err)
{
        struct resolver r = {.mission = mission,
                .name = "inputs",
                .output = output,
                .user = user,
                .own = PAWL__JSON_TREE_INIT,
                .tree = PAWL__JSON_TREE_INIT,
                .err = err};

        if (step->inputs == PAWL__NO_NODE)
                return pawl__buf_adds(out, "{}") ? pawl__nomem(err) : PAWL_OK;
        pawl_status status = find_root(&r, step->inputs, step->inputs_at);
        const pawl__json_node *inputs = status ? NULL : pawl__json_at(r.in, r.root);
        const bool takes =
                inputs && inputs->type == PAWL__JSON_STRING && pawl__text_has_params(inputs->value);
        if (takes)
                status = add_string(&r, inputs->value);
        else if (inputs && (inputs->type == PAWL__JSON_OBJECT || inputs->type == PAWL__JSON_ARRAY))
                status = splice(&r);
        else if (inputs)
                pawl__json_node_text(&r.text, inputs);
        if (!status)
                status = pawl__buf_check(&r.text, err);
        if (!status) {
                status = pawl__json_canon(out, r.text.data, r.text.len, err);
                if (status == PAWL_EPARSE || status == PAWL_ETOOBIG)
                        pawl__fail_prefix(err, status, "inputs");
        }
        free_resolver(&r);
        return status;
}

pawl_status pawl__when_holds(bool *out, const pawl_mission *mission, const pawl__step *step,
        pawl__output_fn output, void *user, pawl_error *err)
{
        static const char *const no[] = {"false", "null", "0", "\"\"", "[]"};
        struct resolver r = {.mission = mission,
                .name = "when",
                .output = output,
                .user = user,
                .own = PAWL__JSON_TREE_INIT,
                .tree = PAWL__JSON_TREE_INIT,
                .err = err};
        pawl_status status = find_root(&r, step->when, step->when_at);

        if (!status)
                status = add_output(&r, r.root, pawl__from_of(r.in, r.root));
        if (!status)
                status = pawl__buf_check(&r.text, err);
        *out = true;
        for (size_t i = 0; i < sizeof no / sizeof no[0] && !status; i++)
                *out = *out && !pawl__text_is(pawl__buf_text(&r.text), no[i]);
        free_resolver(&r);
        return status;
}
