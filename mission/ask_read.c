/* The member "ask" of a mission's step. */
#include "base/error.h"
#include "base/ids.h"
#include "mission/ask.h"
#include "mission/param_text.h"
#include <stdio.h>

static pawl__ask *ask_of(const pawl__place *place)
{
        const pawl__loader *loader = place->target;

        return loader->step->ask;
}

static pawl_status set_question(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        const pawl_text text = pawl__value_at(place, node)->value;

        if (pawl__text_blank(text))
                return pawl__field_fail(place, node, "is empty; write what is asked");
        const pawl_status status = pawl__text_check_params(loader->mission, place, node, text);
        return status ? status : pawl__keep(place, &ask_of(place)->question, text);
}

/* A word as the file says it: yes is "yes", and 1.10 is "1.10". */
static pawl_status read_word(const pawl__place *place, pawl_text *out, pawl__node node)
{
        const pawl_text word = pawl__document_word(place->document, node);

        if (!word.data)
                return pawl__field_fail(place, node, "is no text; quote it");
        if (pawl__text_blank(word) || memchr(word.data, '\n', word.len))
                return pawl__field_fail(place, node,
                        "is empty, or longer than a line; write a word "
                        "or some");
        return pawl__keep(place, out, word);
}

static bool is_one_of(pawl_text text, const pawl_text *list, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (pawl__text_eq(text, list[i]))
                        return true;
        return false;
}

typedef pawl_status (*read_fn)(const pawl__place *place, pawl_text *out, pawl__node node);

/* A list of words, each there once. */
static pawl_status read_list(
        const pawl__place *place, pawl_text **out, size_t *n, pawl__node node, read_fn read)
{
        const pawl__loader *loader = place->target;
        const pawl__json_tree *tree = &place->document->tree;
        const size_t count = pawl__value_at(place, node)->count;
        pawl_status status = PAWL_OK;

        if (!count)
                return pawl__field_fail(place, node, "is empty; name some, or leave it out");
        *out = pawl__arena_array(&loader->mission->arena, count, sizeof **out);
        if (!*out)
                return pawl__nomem(place->err);
        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE && !status;
                m = pawl__json_after(tree, node, m)) {
                pawl__place at = *place;
                pawl_text *word = &(*out)[*n];
                char key[40];
                snprintf(key, sizeof key, "%s[%zu]", place->key, *n);
                at.key = key;
                status = read(&at, word, m);
                if (!status && is_one_of(*word, *out, *n))
                        status = pawl__field_fail(
                                &at, m, "\"%.*s\" is there already; keep one", PAWL__FMT(*word));
                ++*n;
        }
        return status;
}

static pawl_status set_options(const pawl__place *place, pawl__node node)
{
        pawl__ask *ask = ask_of(place);

        return read_list(place, &ask->options, &ask->n_options, node, read_word);
}

static pawl_status read_actor(const pawl__place *place, pawl_text *out, pawl__node node)
{
        pawl_error why = PAWL_ERROR_INIT;
        const pawl_status status = read_word(place, out, node);

        if (!status && pawl__id_check(*out, "actor", &why))
                return pawl__field_fail(place, node, "%s", why.message);
        return status;
}

static pawl_status set_to(const pawl__place *place, pawl__node node)
{
        pawl__ask *ask = ask_of(place);

        return read_list(place, &ask->to, &ask->n_to, node, read_actor);
}

static pawl_status set_within(const pawl__place *place, pawl__node node)
{
        return pawl__duration_read(place, &ask_of(place)->within_ms, node);
}

static pawl_status set_otherwise(const pawl__place *place, pawl__node node)
{
        pawl__ask *ask = ask_of(place);
        const pawl_status status = read_word(place, &ask->otherwise, node);

        if (status)
                return status;
        if (!ask->within_ms)
                return pawl__field_fail(
                        place, node, "is for when a time is over; say which: within: 2d");
        if (ask->n_options && !is_one_of(ask->otherwise, ask->options, ask->n_options))
                return pawl__field_fail(place, node,
                        "\"%.*s\" is none of the options; name one of them",
                        PAWL__FMT(ask->otherwise));
        return PAWL_OK;
}

/* otherwise depends on those above it. */
static const pawl__field ask_fields[] = {
        {"question", PAWL__ENTRY_TEXT, "say what is asked: question: TEXT", set_question},
        {"options", PAWL__ENTRY_LIST, NULL, set_options},
        {"to", PAWL__ENTRY_LIST, NULL, set_to},
        {"within", PAWL__ENTRY_ANY, NULL, set_within},
        {"otherwise", PAWL__ENTRY_ANY, NULL, set_otherwise},
};

pawl_status pawl__ask_read(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        pawl__place inside = *place;
        char where[80];

        loader->step->ask = pawl__arena_alloc(&loader->mission->arena, sizeof *loader->step->ask);
        if (!loader->step->ask)
                return pawl__nomem(place->err);
        *loader->step->ask = (pawl__ask){.n_options = 0};
        snprintf(where, sizeof where, "%sask.", place->where);
        inside.where = where;
        return pawl__fields_read(PAWL__FIELDS(ask_fields), &inside, node);
}

pawl_status pawl__ask_or_run(const pawl__place *place, pawl__node step)
{
        static const char *const commands[] = {
                "run", "max_output_bytes", "max_log_bytes", "env", "cwd", "timeout", "retry"};
        const pawl__loader *loader = place->target;
        pawl__place at = *place;

        at.key = "run";
        if (!loader->step->ask && !loader->step->argv)
                return pawl__field_fail(&at, step, "is missing; " PAWL__GIVE_COMMAND);
        for (size_t i = 0; loader->step->ask && i < sizeof commands / sizeof commands[0]; i++) {
                const pawl__node node = pawl__json_get(&place->document->tree, step, commands[i]);
                at.key = commands[i];
                if (node != PAWL__NO_NODE)
                        return pawl__field_fail(&at, node,
                                "is about a command, but the step asks people; take this or ask "
                                "out");
        }
        return PAWL_OK;
}
