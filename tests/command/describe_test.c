/* Finding commands in a registry, and the registry as JSON. */
#include "base/error.h"
#include "base/json_tree.h"
#include "cli/registry.h"
#include "command/describe.h"
#include "support/test.h"

/* ---- Two small programs ---------------------------------------------------------------------- */

static int never(cli_call *cli)
{
        (void)cli;
        fail_msg("it was run");
        return CLI_FAILED;
}

static const cli_option options[] = {
        {"pick", 'p', 'a', CLI_NUMBER, "N", NULL, "by number"},
        {"scope", 0, 0, CLI_CHOICE, "SCOPE", "core|team", "where"},
        {"file", 0, 0, CLI_FILE, "FILE", NULL, "of this machine"},
        {"force", 0, 0, CLI_LOCAL, NULL, NULL, "about this machine"},
        {"plan", 0, 0, CLI_DRY_RUN, NULL, NULL, "only look"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "always given"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};
static const cli_cmd solo = {.name = "solo",
        .args = "A [B]",
        .arg_help = {"from", "to"},
        .traits = CLI_SERVED | CLI_CHANGES,
        .options = options,
        .help = "Do it",
        .run = never};
static const cli_cmd below = {
        .name = "own below", .traits = CLI_SERVED, .help = "Below", .run = never};
static const cli_cmd own = {.name = "own",
        .args = "NAME...",
        .arg_help = {"what"},
        .traits = CLI_SERVED | CLI_WORKSPACE,
        .help = "Itself",
        .run = never};
static const cli_cmd here = {.name = "here", .help = "Not served", .run = never};
static const cli_cmd first = {
        .name = "group first", .traits = CLI_SERVED, .help = "First", .run = never};
static const cli_cmd second = {.name = "group second", .help = "Second, not served", .run = never};
static const cli_cmd third = {
        .name = "group third", .traits = CLI_SERVED, .help = "Third", .run = never};
static const cli_cmd look = {.name = "look", .traits = CLI_SERVED, .help = "Look", .run = never};

static const cli_cmd *const main_cmds[] = {
        &solo, &below, &own, &here, &first, &second, &third, NULL};
static const cli_cmd *const other_cmds[] = {&look, &here, NULL};
static const cli_program main_program = {"main", "The first", main_cmds, NULL};
static const cli_program other_program = {"other", "The other", other_cmds, NULL};
static const cli_program *const programs[] = {&main_program, &other_program, NULL};
static const cli_registry registry = {programs};

#define NO_WORDS    "\"arguments\":[],\"options\":[],"
#define BELOW(list) "\"sub_commands\":[" list "],\"subCommands\":[" list "],"
#define LEAF        NO_WORDS BELOW("") "\"runs\":true,"
#define READS_ONLY  "\"requires_workspace\":false,\"changes\":false,\"streaming\":false}"

static const char described[] =
        "{\"commands\":["
        "{\"name\":\"solo\",\"description\":\"Do it\",\"arguments\":["
        "{\"name\":\"A\",\"description\":\"from\",\"required\":true,\"isRequired\":true,\"repeated\":false},"
        "{\"name\":\"B\",\"description\":\"to\",\"required\":false,\"isRequired\":false,\"repeated\":false}],"
        "\"options\":["
        "{\"name\":\"pick\",\"letter\":\"p\",\"kind\":\"number\",\"value\":\"N\",\"choices\":null,"
        "\"group\":\"a\",\"dry_run\":false,\"description\":\"by number\"},"
        "{\"name\":\"scope\",\"letter\":null,\"kind\":\"choice\",\"value\":\"SCOPE\","
        "\"choices\":[\"core\",\"team\"],\"group\":null,\"dry_run\":false,"
        "\"description\":\"where\"},"
        "{\"name\":\"plan\",\"letter\":null,\"kind\":\"flag\",\"value\":null,\"choices\":null,"
        "\"group\":null,\"dry_run\":true,\"description\":\"only look\"}]," BELOW(
                "") "\"runs\":true,\"requires_workspace\":false,\"changes\":true,\"streaming\":false},"
                    "{\"name\":\"own\",\"description\":\"Itself\",\"arguments\":["
                    "{\"name\":\"NAME\",\"description\":\"what\",\"required\":true,\"isRequired\":true,\"repeated\":true}],"
                    "\"options\":[]," BELOW(
                            "{\"name\":\"own below\",\"description\":\"Below\"," LEAF
                                    READS_ONLY) "\"runs\":true,\"requires_workspace\":true,\"changes\":false,\"streaming\":false},"
                                                "{\"name\":\"group\",\"description\":\"first, third\"," NO_WORDS BELOW(
                                                        "{\"name\":\"group first\",\"description\":\"First\"," LEAF
                                                                READS_ONLY ","
                                                        "{\"name\":\"group third\",\"description\":\"Third\"," LEAF
                                                                READS_ONLY) "\"runs\":false," READS_ONLY
                                                                            ","
                                                                            "{\"name\":\"other\",\"description\":\"The other\"," NO_WORDS
                                                                                    BELOW("{\"name\":\"other look\",\"description\":\"Look\"," LEAF
                                                                                                    READS_ONLY) "\"runs\":false," READS_ONLY
                                                                                                                "]}";

static char *describe(const cli_registry *of)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        cli_describe(&w, of);
        assert_ok(pawl__json_end_writer(&w));
        char *text = test_text(w.buf.data, w.buf.len);
        pawl__json_writer_free(&w);
        return text;
}

UNIT_TEST(served_commands_are_told_with_their_words)
{
        char *text = describe(&registry);

        assert_string_equal(text, described);
}

static bool finds(const char *name, const cli_program *program, const cli_cmd *cmd)
{
        cli_entry entry = {NULL, NULL};

        return cli_registry_find(&entry, &registry, name) == (cmd != NULL) &&
               entry.program == program && entry.cmd == cmd;
}

UNIT_TEST(a_command_is_found_by_its_whole_name_alone)
{
        assert_true(finds("solo", &main_program, &solo));
        assert_true(finds("own", &main_program, &own));
        assert_true(finds("own below", &main_program, &below));
        assert_true(finds("here", &main_program, &here));
        assert_true(finds("other look", &other_program, &look));
        assert_true(finds("other here", &other_program, &here));
        static const char *const none[] = {"", " ", "sol", "solo ", " solo", "solo A", "group",
                "group  first", "own belo", "other", "other ", "other solo", "look", "main solo",
                "otherlook", "SOLO"};
        for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
                assert_true(finds(none[i], NULL, NULL));
}

/* ---- The real ones --------------------------------------------------------------------------- */

/* How many commands stand below: each is found by its name, is served, and explains its words. */
static size_t check_commands(const pawl__json_tree *tree, pawl__node list)
{
        size_t n = 0;

        for (pawl__node at = pawl__json_first(tree, list); at != PAWL__NO_NODE;
                at = pawl__json_after(tree, list, at)) {
                pawl_text name = pawl__json_get_text(tree, at, "name");
                pawl__node runs = pawl__json_get(tree, at, "runs");
                pawl__node args = pawl__json_get(tree, at, "arguments");
                char text[64];
                cli_entry entry;

                snprintf(text, sizeof text, "%.*s", PAWL__FMT(name));
                assert_true(pawl__json_get_text(tree, at, "description").len > 0);
                bool found = cli_registry_find(&entry, &cli_commands, text) &&
                             entry.cmd->traits & CLI_SERVED;
                assert_int_equal(found, pawl__json_at(tree, runs)->type == PAWL__JSON_TRUE);
                n += found;
                for (pawl__node arg = pawl__json_first(tree, args); arg != PAWL__NO_NODE;
                        arg = pawl__json_after(tree, args, arg))
                        if (pawl__json_get_text(tree, arg, "description").len == 0)
                                fail_msg("%s: an argument has no description", text);
                n += check_commands(tree, pawl__json_get(tree, at, "sub_commands"));
        }
        return n;
}

UNIT_TEST(every_served_command_of_both_programs_is_told_once)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        char *text = describe(&cli_commands);
        size_t served = 0;

        assert_ok(pawl__json_tree_read(&tree, text, strlen(text), &err));
        for (const cli_program *const *program = cli_commands.programs; *program; program++)
                for (const cli_cmd *const *cmd = (*program)->cmds; *cmd; cmd++)
                        served += ((*cmd)->traits & CLI_SERVED) != 0;
        assert_true(served > 25);
        assert_int_equal(check_commands(&tree, pawl__json_get(&tree, 0, "commands")), served);
        pawl__json_tree_free(&tree);
}

UNIT_TEST(no_command_has_more_options_than_a_call_has_room_for)
{
        for (const cli_program *const *program = cli_commands.programs; *program; program++)
                for (const cli_cmd *const *cmd = (*program)->cmds; *cmd; cmd++) {
                        size_t n = 0;
                        while ((*cmd)->options && (*cmd)->options[n].name)
                                n++;
                        if (n > CLI_OPTIONS_MAX)
                                fail_msg("%s has %zu options", (*cmd)->name, n);
                }
}
