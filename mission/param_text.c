/* {$param: NAME}: as an object of a mission file, and within a text; {$$param: NAME} is the text.
 */
#include "mission/param_text.h"
#include "base/error.h"
#include "base/similar.h"
#include <stdio.h>

/* ---- What is declared ------------------------------------------------------------------------ */

pawl_mission_param *pawl__param_find(const pawl_mission *mission, pawl_text name)
{
        for (size_t i = 0; i < mission->n_params; i++)
                if (pawl__text_is(name, mission->params[i].name))
                        return &mission->params[i];
        return NULL;
}

/* What to write in place of a name that is not declared. */
void pawl__param_others(char *out, size_t size, const pawl_mission *mission, pawl_text name)
{
        pawl__similar similar = {.typed = name};
        size_t used = 0;

        for (size_t i = 0; i < mission->n_params; i++)
                pawl__similar_try(&similar, mission->params[i].name);
        if (similar.found) {
                snprintf(out, size, "did you mean %s?", similar.found);
                return;
        }
        snprintf(out, size, "%s", mission->n_params ? "there are " : "declare it in params");
        for (size_t i = 0; i < mission->n_params; i++) {
                used = strlen(out);
                snprintf(out + used, size - used, "%s%s", i ? ", " : "", mission->params[i].name);
        }
}

bool pawl__is_param(const pawl__json_tree *tree, pawl__node node)
{
        return pawl__json_get(tree, node, "$param") != PAWL__NO_NODE;
}

pawl_status pawl__param_named(pawl_mission_param **out, const pawl_mission *mission,
        pawl__node node, const char *where, pawl_error *err)
{
        const pawl__document *document = &mission->document;
        const pawl__node member = pawl__json_get(&document->tree, node, "$param");
        const pawl__json_node *name = pawl__json_at(&document->tree, member);
        char others[400];

        if (pawl__json_at(&document->tree, node)->count != 1)
                return pawl__document_fail(document, node, err,
                        "%s: $param stands beside other members; give it an object of its own",
                        where);
        if (name->type != PAWL__JSON_STRING)
                return pawl__document_fail(document, member, err,
                        "%s.$param: must be a string; write the name of a parameter", where);
        *out = pawl__param_find(mission, name->value);
        if (*out)
                return PAWL_OK;
        pawl__param_others(others, sizeof others, mission, name->value);
        return pawl__document_fail(document, member, err,
                "%s.$param: no parameter is called \"%.*s\"; %s", where, PAWL__FMT(name->value),
                others);
}

const pawl_mission_param *pawl__param_at(
        const pawl_mission *mission, const pawl__json_tree *tree, pawl__node node)
{
        const pawl_text name = pawl__json_get_text(tree, node, "$param");

        return name.data ? pawl__param_find(mission, name) : NULL;
}

pawl_status pawl__param_in_text(
        const pawl_mission *mission, const pawl__place *place, pawl__node node, pawl_text name)
{
        char others[400];

        if (pawl__param_find(mission, name))
                return PAWL_OK;
        pawl__param_others(others, sizeof others, mission, name);
        return pawl__field_fail(
                place, node, "no parameter is called \"%.*s\"; %s", PAWL__FMT(name), others);
}

pawl_status pawl__param_put_text(pawl__buf *out, const pawl_mission *mission, pawl_text name,
        pawl_text text, pawl_error *err)
{
        const pawl_mission_param *param = pawl__param_find(mission, name);
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status = PAWL_OK;

        if (!param || !param->value) {
                pawl__buf_add_text(out, text);
                return PAWL_OK;
        }
        status = pawl__json_tree_read(&tree, param->value, strlen(param->value), err);
        if (!status)
                pawl__buf_add_text(out, pawl__json_at(&tree, 0)->type == PAWL__JSON_STRING
                                                ? pawl__json_at(&tree, 0)->value
                                                : pawl__text(param->value));
        pawl__json_tree_free(&tree);
        return status;
}

/* ---- Within a text --------------------------------------------------------------------------- */

static const char begin[] = "{$param", literal[] = "{$$param";

/* Is the word at the start of the text, and no longer one, as "{$params" is? */
static bool stands_at(pawl_text text, const char *word)
{
        const size_t len = strlen(word);

        return pawl__text_starts(text, word) &&
               (text.len == len || memchr(": }", text.data[len], 3));
}

/* "{$param: NAME}" at the start of a text, and the name; 0: it does not stand there. */
static size_t param_at(pawl_text *name, pawl_text text)
{
        size_t at = sizeof begin, end;

        if (!stands_at(text, begin) || text.len < at || text.data[at - 1] != ':')
                return 0;
        while (at < text.len && text.data[at] == ' ')
                at++;
        const char *close = memchr(text.data + at, '}', text.len - at);
        end = close ? (size_t)(close - text.data) : text.len;
        *name = pawl__text_n(text.data + at, end - at);
        while (name->len && name->data[name->len - 1] == ' ')
                name->len--;
        return close ? end + 1 : 0;
}

/* The text before the first "{$", which *text then begins with or is empty. */
static pawl_text plain_part(pawl_text *text)
{
        const char *found = text->len ? memmem(text->data, text->len, "{$", 2) : NULL;
        const pawl_text before = {text->data, found ? (size_t)(found - text->data) : text->len};

        *text = pawl__text_n(text->data + before.len, text->len - before.len);
        return before;
}

static void skip(pawl_text *text, size_t len)
{
        *text = pawl__text_n(text->data + len, text->len - len);
}

bool pawl__text_has_params(pawl_text text)
{
        for (plain_part(&text); text.len; skip(&text, 1), plain_part(&text))
                if (stands_at(text, begin) || stands_at(text, literal))
                        return true;
        return false;
}

bool pawl__text_next_param(pawl_text *name, pawl_text *text)
{
        for (plain_part(text); text->len; plain_part(text)) {
                const size_t len = param_at(name, *text);
                skip(text, len ? len : 1);
                if (len)
                        return true;
        }
        return false;
}

pawl_status pawl__text_check_params(
        const pawl_mission *mission, const pawl__place *place, pawl__node node, pawl_text text)
{
        pawl_status status = PAWL_OK;
        pawl_text name;

        for (plain_part(&text); text.len && !status; plain_part(&text)) {
                const size_t len = param_at(&name, text);
                if (len)
                        status = pawl__param_in_text(mission, place, node, name);
                else if (stands_at(text, begin))
                        status = pawl__field_fail(place, node,
                                "takes a parameter as {$param: NAME} alone; write that, or {$$param "
                                "for the text itself");
                else if (stands_at(text, "{$from"))
                        status = pawl__field_fail(place, node,
                                "takes no output, but parameters, as {$param: NAME}; give the "
                                "output of a step by inputs");
                skip(&text, len ? len : 1);
        }
        return status;
}

pawl_status pawl__text_put_params(
        pawl__buf *out, const pawl_mission *mission, pawl_text text, pawl_error *err)
{
        pawl_status status = PAWL_OK;
        pawl_text name;

        for (pawl__buf_add_text(out, plain_part(&text)); text.len && !status;
                pawl__buf_add_text(out, plain_part(&text))) {
                size_t len = param_at(&name, text);
                if (len) {
                        status = pawl__param_put_text(
                                out, mission, name, pawl__text_n(text.data, len), err);
                } else if (stands_at(text, literal)) {
                        pawl__buf_adds(out, begin);
                        len = sizeof literal - 1;
                } else {
                        pawl__buf_addc(out, *text.data);
                        len = 1;
                }
                skip(&text, len);
        }
        return status ? status : pawl__buf_check(out, err);
}

/* ---- Words of commands ----------------------------------------------------------------------- */

pawl_status pawl__word_read(
        const pawl__place *place, pawl__node node, char **word, const char **text)
{
        const pawl__loader *loader = place->target;
        static char unknown[] = "";
        pawl_mission_param *param;
        pawl__buf whole = PAWL__BUF_INIT;
        pawl_text kept = {NULL, 0};
        char where[200];
        pawl_status status;

        if (pawl__is_param(&place->document->tree, node)) {
                snprintf(where, sizeof where, "%s%s", place->where, place->key);
                TRY(pawl__param_named(&param, loader->mission, node, where, place->err));
                const pawl_text name = pawl__json_get_text(&place->document->tree, node, "$param");
                pawl__buf_addf(&whole, "{$param: %.*s}", PAWL__FMT(name));
                status = pawl__buf_check(&whole, place->err);
                if (!status)
                        status = pawl__keep(place, &kept, pawl__buf_text(&whole));
                pawl__buf_free(&whole);
        } else {
                TRY(pawl__keep_c_string(place, word, node));
                if (!pawl__text_has_params(pawl__text(*word)))
                        return PAWL_OK;
                kept = pawl__text(*word);
                status = pawl__text_check_params(loader->mission, place, node, kept);
        }
        *word = unknown;
        *text = kept.data;
        return status;
}

static bool has_values(const pawl_mission *mission, pawl_text text)
{
        pawl_text name;

        while (pawl__text_next_param(&name, &text))
                if (!pawl__param_find(mission, name)->value)
                        return false;
        return true;
}

static const char *with_nul(const pawl_mission *mission, pawl_text text)
{
        pawl_text name;

        while (pawl__text_next_param(&name, &text))
                if (strstr(pawl__param_find(mission, name)->value, "\\u0000"))
                        return pawl__param_find(mission, name)->name;
        return "";
}

static pawl_status put_word(
        char **word, pawl_mission *mission, const char *template, pawl_error *err)
{
        const pawl_text text = pawl__text(template);
        pawl__buf put = PAWL__BUF_INIT;
        bool ok = true;
        pawl_status status = PAWL_OK;

        if (!template || !has_values(mission, text))
                return PAWL_OK;
        status = pawl__text_put_params(&put, mission, text, err);
        if (!status && put.len && memchr(put.data, '\0', put.len))
                status = pawl__fail(err, PAWL_EINVAL,
                        "parameter %s: holds a NUL, which no word of a command and no variable "
                        "can; leave it out",
                        with_nul(mission, text));
        if (!status)
                *word = (char *)(uintptr_t)pawl__arena_text(
                        &mission->arena, pawl__buf_text(&put), &ok)
                                .data;
        pawl__buf_free(&put);
        return ok ? status : pawl__nomem(err);
}

static pawl_status put_env(pawl__env *env, pawl_mission *mission, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        for (size_t i = 0; i < env->n && !status; i++)
                status = put_word(&env->items[i].value, mission, env->items[i].text, err);
        return status;
}

/* What lies outside is refused here, too: a value may lead there. */
static pawl_status put_cwd(pawl__step_how *how, pawl_mission *mission, pawl_error *err)
{
        const pawl_status status = put_word(&how->cwd, mission, how->cwd_text, err);

        if (!status && how->cwd_text && how->cwd && pawl__cwd_leads_out(how->cwd))
                return pawl__fail(err, PAWL_EINVAL,
                        "cwd \"%s\": leads out of the mission file's directory as \"%s\"; give "
                        "its parameters other values",
                        how->cwd_text, how->cwd);
        return status;
}

pawl_status pawl__params_put_words(pawl_mission *mission, pawl_error *err)
{
        pawl_status status = put_env(&mission->env, mission, err);

        for (size_t i = 0; i < mission->n_steps && !status; i++) {
                pawl__step *step = &mission->steps[i];
                for (size_t k = 0; step->argv && step->argv[k] && !status; k++)
                        status = put_word(&step->argv[k], mission, step->word_texts[k], err);
                if (!status)
                        status = put_env(&step->how->env, mission, err);
                if (!status)
                        status = put_cwd(step->how, mission, err);
        }
        return status;
}
