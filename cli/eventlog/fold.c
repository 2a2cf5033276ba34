#include "cli/eventlog/fold.h"
#include "base/error.h"
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
        {"runs", {{"run_id", NULL, 0}, {"status", NULL, 0}, {"mission_id", "mission", 0}}, NULL},
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

static void print_element(FILE *out, const pawl__json_tree *tree, const struct section *section)
{
        print_fields(out, tree, 0, section->fields, 2);
        if (!section->below)
                return;
        const pawl__node inner = pawl__json_get(tree, 0, section->below->name);
        for (pawl__node at = inner == PAWL__NO_NODE ? inner : pawl__json_first(tree, inner);
                at != PAWL__NO_NODE; at = pawl__json_after(tree, inner, at))
                print_fields(out, tree, at, section->below->fields, 4);
}

/* Of an array that has elements: its name, above the first. */
static void print(cli_fold *fold, const char *array)
{
        static const struct field head_fields[FIELDS_MAX] = {{"seq", "head", 0}, {"hash", NULL, 0}};

        if (strcmp(array, "head") == 0)
                print_fields(fold->out, &fold->tree, 0, head_fields, 0);
        else if (strcmp(array, steps.name) == 0)
                print_fields(fold->out, &fold->tree, 0, steps.fields, 4);
        for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
                if (strcmp(array, sections[i].name) != 0)
                        continue;
                if (fold->section != sections[i].name)
                        fprintf(fold->out, "\n%s\n", array);
                fold->section = sections[i].name;
                print_element(fold->out, &fold->tree, &sections[i]);
        }
}

pawl_status cli_fold_print(const char *array, pawl_text element, void *user, pawl_error *err)
{
        cli_fold *fold = user;

        if (!array || !element.data)
                return PAWL_OK;
        TRY(pawl__json_tree_read(&fold->tree, element.data, element.len, err));
        print(fold, array);
        return PAWL_OK;
}

pawl_status cli_fold_print_json(const char *array, pawl_text element, void *user, pawl_error *err)
{
        cli_fold *fold = user;

        TRY(pawl__replay_add(array, element, &fold->object, err));
        if (!array)
                TRY(pawl__buf_addc(&fold->json, '\n'));
        fwrite(fold->json.data, 1, fold->json.len, fold->out);
        pawl__buf_clear(&fold->json);
        return PAWL_OK;
}
