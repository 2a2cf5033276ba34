#include "glossary/uses.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/json_tree.h"

pawl_status pawl__term_automaton(
        pawl__automaton **out, const pawl_text *normals, size_t n, pawl_error *err)
{
        pawl__automaton *automaton = NULL;
        pawl_status status = pawl__automaton_new(&automaton);

        for (size_t i = 0; i < n && !status; i++)
                if (pawl__automaton_find(automaton, normals[i]) == PAWL__NO_PATTERN)
                        status = pawl__automaton_add(automaton, normals[i], 0);
        for (size_t i = 0; i < n && !status; i++)
                status = pawl__automaton_add_forms(automaton, normals[i], 0, false);
        if (!status)
                status = pawl__automaton_build(automaton);
        if (status) {
                pawl__automaton_free(automaton);
                return pawl__nomem(err);
        }
        *out = automaton;
        return PAWL_OK;
}

static pawl_status found(uint32_t number, size_t start, size_t end, void *user)
{
        (void)number, (void)start, (void)end;
        *(bool *)user = true;
        return PAWL_DONE;
}

pawl_status pawl__step_uses(bool *used, pawl_log *log, const pawl__automaton *term,
        const pawl__row *step, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf inputs = PAWL__BUF_INIT;
        unsigned char hash[PAWL__HASH_LEN];
        pawl_status status = PAWL_ENOTFOUND;

        *used = false;
        if (pawl__unhex32(hash, step->v[PAWL__STEP_INPUT_HASH].text))
                status = pawl__log_blob(&inputs, log, hash);
        if (status == PAWL_ENOTFOUND)
                *used = true;
        else if (status)
                status = pawl__log_failed(log, status, err);
        else
                status = pawl__json_tree_read(&tree, inputs.data, inputs.len, err);
        for (pawl__node i = 0; i < tree.n && !status && !*used; i++) {
                const pawl__json_node *node = pawl__json_at(&tree, i);
                if (node->type == PAWL__JSON_STRING &&
                        pawl__automaton_scan(term, node->value, found, used) == PAWL_ENOMEM)
                        status = pawl__nomem(err);
        }
        pawl__json_tree_free(&tree);
        pawl__buf_free(&inputs);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}
