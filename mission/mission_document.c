/* The document that the log keeps of a run's mission. */
#include "base/error.h"
#include "base/json_canon.h"
#include "base/json_write.h"
#include "mission/baseline.h"
#include "mission/inputs.h"
#include <stdio.h>

/* A member's name: the file has none but those that the loader knows, which are short. */
static void put_name(pawl__json_writer *w, pawl_text name)
{
        char text[64];

        snprintf(text, sizeof text, "%.*s", PAWL__FMT(name));
        pawl__json_name(w, text);
}

static pawl_status put_inputs_hash(pawl__json_writer *w, const pawl_mission *mission,
        const pawl__step *step, pawl__hasher *hasher, pawl_error *err)
{
        pawl__buf inputs = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        char hex[65];
        pawl_status status = pawl__inputs_resolve(&inputs, mission, step, NULL, NULL, err);

        if (!status)
                status = pawl__sha256(hasher, hash, inputs.data, inputs.len, err);
        pawl__buf_free(&inputs);
        if (status)
                return status;
        pawl__hex(hex, hash, PAWL__HASH_LEN);
        pawl__json_string(w, hex);
        return PAWL_OK;
}

/* A parameter stays one: its value is the run's. */
static void put_words(
        pawl__json_writer *w, const pawl__json_tree *tree, pawl__node run, const pawl__step *step)
{
        size_t i = 0;

        pawl__json_open_array(w);
        for (pawl__node n = pawl__json_first(tree, run); n != PAWL__NO_NODE;
                n = pawl__json_after(tree, run, n), i++) {
                if (pawl__json_at(tree, n)->type == PAWL__JSON_OBJECT || step->word_texts[i])
                        pawl__json_node_value(w, pawl__json_at(tree, n));
                else
                        pawl__json_string(w, step->argv[i]);
        }
        pawl__json_close_array(w);
}

static pawl_status put_step(pawl__json_writer *w, const pawl_mission *mission, size_t index,
        pawl__node node, pawl__hasher *hasher, pawl_error *err)
{
        const pawl__json_tree *tree = &mission->document.tree;
        const pawl__step *step = &mission->steps[index];
        pawl_status status = PAWL_OK;

        pawl__json_open_object(w);
        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE && !status;
                m = pawl__json_after(tree, node, m)) {
                const pawl__json_node *member = pawl__json_at(tree, m);
                put_name(w, member->name);
                if (pawl__text_is(member->name, "run")) {
                        put_words(w, tree, m, step);
                } else if (!mission->store_inputs && pawl__text_is(member->name, "inputs")) {
                        status = put_inputs_hash(w, mission, step, hasher, err);
                } else {
                        pawl__json_node_value(w, member);
                }
        }
        pawl__json_close_object(w);
        return status;
}

static pawl_status put_steps(pawl__json_writer *w, const pawl_mission *mission, pawl__node steps,
        pawl__hasher *hasher, pawl_error *err)
{
        const pawl__json_tree *tree = &mission->document.tree;
        pawl_status status = PAWL_OK;
        size_t index = 0;

        pawl__json_open_array(w);
        for (pawl__node n = pawl__json_first(tree, steps); n != PAWL__NO_NODE && !status;
                n = pawl__json_after(tree, steps, n))
                status = put_step(w, mission, index++, n, hasher, err);
        pawl__json_close_array(w);
        return status;
}

pawl_status pawl__mission_document(pawl__buf *out, unsigned char hash[32],
        const pawl_mission *mission, pawl__hasher *hasher, pawl_error *err)
{
        const pawl__json_tree *tree = &mission->document.tree;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_status status = PAWL_OK;

        pawl__json_open_object(&w);
        for (pawl__node m = pawl__json_first(tree, 0); m != PAWL__NO_NODE && !status;
                m = pawl__json_after(tree, 0, m)) {
                const pawl__json_node *member = pawl__json_at(tree, m);
                if (pawl__text_is(member->name, "require_signed"))
                        continue;
                put_name(&w, member->name);
                if (pawl__text_is(member->name, "steps"))
                        status = put_steps(&w, mission, m, hasher, err);
                else
                        pawl__json_node_value(&w, member);
        }
        if (mission->signers.text.data) {
                pawl__json_name(&w, "require_signed");
                pawl__json_open_object(&w);
                pawl__json_member_text(&w, "file", mission->signers.file);
                pawl__json_member_text(&w, "signers", mission->signers.text);
                pawl__json_close_object(&w);
        }
        if (!status) {
                pawl__json_close_object(&w);
                status = pawl__json_end_writer(&w) ? pawl__nomem(err) : PAWL_OK;
        }
        if (!status)
                status = pawl__json_canon(out, w.buf.data, w.buf.len, err);
        if (!status)
                status = pawl__sha256(hasher, hash, out->data, out->len, err);
        pawl__json_writer_free(&w);
        return status;
}
