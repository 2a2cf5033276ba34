#include "cli/eventlog/fold.h"
#include "base/json_tree.h"
#include "command/printable.h"

/* A member of an element, and the word before it; a hash is shown by its first digits. */
struct field {
        const char *name, *label;
        size_t cut; /* characters; 0: whole */
};

enum { HASH_DIGITS = 16, FIELDS_MAX = 8 };

/* How the elements of an array are shown: their fields, and the array inside them that goes below.
 */
struct section {
        const char *name;
        struct field fields[FIELDS_MAX]; /* ended by a NULL name */
        const struct section *below;
};

static const struct section steps = {"steps",
        {{"step_id", NULL, 0}, {"status", NULL, 0}, {"cursor", "at", 0},
                {"retry_token", "token", 0}, {"input_hash", "inputs", HASH_DIGITS},
                {"output_hash", "output", HASH_DIGITS}},
        NULL};

static const struct section candidates = {"candidates",
        {{"n", NULL, 0}, {"scope", NULL, 0}, {"confidence", NULL, 0}, {"definition", NULL, 0}},
        NULL};

static const struct section sections[] = {
        {"runs", {{"run_id", NULL, 0}, {"status", NULL, 0}, {"mission_id", "mission", 0}}, &steps},
        {"checkpoints",
                {{"seq", NULL, 0}, {"retry_token", NULL, 0}, {"run_id", "run", 0},
                        {"step_id", "step", 0}, {"cursor", "at", 0}, {"strictness", NULL, 0},
                        {"input_hash", "inputs", HASH_DIGITS}},
                NULL},
        {"conflicts",
                {{"conflict_id", NULL, 0}, {"status", NULL, 0}, {"term", NULL, 0},
                        {"conflict_type", NULL, 0}, {"severity", NULL, 0}, {"run_id", "run", 0},
                        {"step_id", "step", 0}},
                &candidates},
        {"glossary",
                {{"scope", NULL, 0}, {"surface", NULL, 0}, {"alias", "alias", 0},
                        {"status", NULL, 0}, {"confidence", NULL, 0}, {"since_seq", "since", 0},
                        {"mission_id", "mission", 0}, {"definition", NULL, 0}},
                NULL},
        {"sessions",
                {{"session_id", NULL, 0}, {"status", NULL, 0}, {"mission_id", "mission", 0},
                        {"run_id", "run", 0}},
                NULL},
        {"events",
                {{"seq", NULL, 0}, {"type", NULL, 0}, {"run_id", "run", 0}, {"step_id", "step", 0}},
                NULL},
};

static void print_fields(FILE *out, const pawl__json_tree *tree, pawl__node element,
        const struct field *fields, int indent)
{
        fprintf(out, "%*s", indent, "");
        for (int i = 0, shown = 0; i < FIELDS_MAX && fields[i].name; i++) {
                pawl__node node = pawl__json_get(tree, element, fields[i].name);
                if (node == PAWL__NO_NODE || pawl__json_at(tree, node)->type == PAWL__JSON_NULL)
                        continue;
                pawl_text value = pawl__json_at(tree, node)->value;
                if (shown++)
                        fputs("  ", out);
                if (fields[i].label)
                        fprintf(out, "%s ", fields[i].label);
                if (fields[i].cut && value.len > fields[i].cut)
                        value.len = fields[i].cut;
                cli_put(out, value);
        }
        fputc('\n', out);
}

static void print_elements(
        FILE *out, const pawl__json_tree *tree, pawl__node array, const struct section *section)
{
        for (pawl__node at = pawl__json_first(tree, array); at != PAWL__NO_NODE;
                at = pawl__json_after(tree, array, at)) {
                print_fields(out, tree, at, section->fields, 2);
                if (!section->below)
                        continue;
                pawl__node inner = pawl__json_get(tree, at, section->below->name);
                if (inner == PAWL__NO_NODE)
                        continue;
                for (pawl__node below = pawl__json_first(tree, inner); below != PAWL__NO_NODE;
                        below = pawl__json_after(tree, inner, below))
                        print_fields(out, tree, below, section->below->fields, 4);
        }
}

static void print_tree(FILE *out, const pawl__json_tree *tree)
{
        static const struct field head_fields[FIELDS_MAX] = {{"seq", "head", 0}, {"hash", NULL, 0}};
        pawl__node head = pawl__json_get(tree, 0, "head");

        if (head != PAWL__NO_NODE)
                print_fields(out, tree, head, head_fields, 0);
        for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
                pawl__node array = pawl__json_get(tree, 0, sections[i].name);
                if (array == PAWL__NO_NODE || pawl__json_at(tree, array)->count == 0)
                        continue;
                fprintf(out, "\n%s\n", sections[i].name);
                print_elements(out, tree, array, &sections[i]);
        }
}

pawl_status cli_fold_print(FILE *out, pawl_text json, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_status status = pawl__json_tree_read(&tree, json.data, json.len, err);

        if (!status)
                print_tree(out, &tree);
        pawl__json_tree_free(&tree);
        return status;
}
