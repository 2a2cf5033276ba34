/* pawl hooks install, uninstall and status --agent: our hooks in an agent's own settings. */
#include "agents/settings.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json_write.h"
#include "base/system.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/hooks.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "mission/mission.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SETTINGS_MAX = 16 << 20 };

/* An agent's settings file and what it holds. */
typedef struct settings {
        const pawl__agent *agent;
        pawl__buf path, text;
        size_t base; /* bytes of the path of what is never removed: the home directory, say */
        bool there;
} settings;

static void settings_free(settings *s)
{
        pawl__buf_free(&s->path);
        pawl__buf_free(&s->text);
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Where the agent's variable says that its user's settings are; NULL: it does not. */
static const char *named_home(const pawl__agent *agent)
{
        const char *named = agent->home_variable ? getenv(agent->home_variable) : NULL;

        return named && *named ? named : NULL;
}

static bool has_user_file(const cli_call *cli, const pawl__agent *agent)
{
        return named_home(agent) || (cli->in->home && *cli->in->home);
}

/* A project's settings are in the directory where the agent is started: this one. */
static pawl_status find_file(settings *s, const cli_call *cli, bool user, pawl_error *err)
{
        const pawl__agent *agent = s->agent;
        const char *named = named_home(agent);

        if (!user) {
                pawl__buf_adds(&s->path, agent->project_file);
                return pawl__buf_check(&s->path, err);
        }
        if (!has_user_file(cli, agent))
                return pawl__fail(err, PAWL_EINVAL,
                        "--user: there is no home directory; set HOME, or leave --user out");
        pawl__buf_adds(&s->path, named ? named : cli->in->home);
        s->base = s->path.len;
        if (!named)
                pawl__buf_addf(&s->path, "/%s", agent->home_directory);
        pawl__buf_addf(&s->path, "/%s", agent->home_file);
        return pawl__buf_check(&s->path, err);
}

static pawl_status read_file(settings *s, pawl_error *err)
{
        const int fd = open(s->path.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        struct stat st;
        int error = fd < 0 ? errno : 0;

        s->there = fd >= 0;
        if (error == ENOENT || error == ENOTDIR)
                return PAWL_OK;
        if (!error && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
                error = EINVAL;
        if (!error)
                error = pawl__read_all(&s->text, fd, SETTINGS_MAX);
        if (fd >= 0)
                close(fd);
        return error ? pawl__fail_errno(err, error, s->path.data, "read it") : PAWL_OK;
}

static pawl_status load(
        settings *s, const cli_call *cli, const char *name, bool user, pawl_error *err)
{
        *s = (settings){pawl__agent_named(name), PAWL__BUF_INIT, PAWL__BUF_INIT, 0, false};
        pawl_status status = find_file(s, cli, user, err);

        return status || !s->path.data ? status : read_file(s, err);
}

/* The directories on the way that are not there. */
static int make_directories(char *path)
{
        for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
                *slash = '\0';
                const int error = mkdir(path, 0777) != 0 && errno != EEXIST ? errno : 0;
                *slash = '/';
                if (error)
                        return error;
        }
        return 0;
}

static pawl_status save(settings *s, pawl_error *err)
{
        int error = s->there ? access(s->path.data, W_OK) != 0 ? errno : 0
                             : make_directories(s->path.data);

        if (!error)
                error = pawl__replace_file(s->path.data, s->text.data, s->text.len, 0644);
        return error ? pawl__fail_errno(err, error, s->path.data, "write it") : PAWL_OK;
}

/* And the directories that are empty then, of those that an install makes: never the home directory
 * or the project's. A link was there before, and what it leads to was not. */
static pawl_status remove_file(settings *s, pawl_error *err)
{
        char target[PATH_MAX];
        struct stat st;

        if (!realpath(s->path.data, target) || unlink(target) != 0)
                return pawl__fail_errno(err, errno, s->path.data, "remove it");
        if (lstat(s->path.data, &st) == 0)
                return PAWL_OK;
        snprintf(target, sizeof target, "%s", s->path.data);
        for (char *slash; (slash = strrchr(target, '/')) && (size_t)(slash - target) > s->base;) {
                *slash = '\0';
                if (rmdir(target) != 0)
                        break;
        }
        return PAWL_OK;
}

/* ---- The command of a hook ------------------------------------------------------------------- */

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-"

/* Is the program that PATH has under this name this one? */
static bool is_in_path(const char *name, const char *self)
{
        const char *path = getenv("PATH");
        char candidate[PATH_MAX], real[PATH_MAX];

        for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
                const int len = (int)strcspn(path, ":");
                if (snprintf(candidate, sizeof candidate, "%.*s/%s", len, path, name) >=
                                (int)sizeof candidate ||
                        access(candidate, X_OK) != 0)
                        continue;
                return realpath(candidate, real) && strcmp(real, self) == 0;
        }
        return false;
}

static pawl_status add_tool(pawl__buf *out, pawl_text tool, pawl_error *err)
{
        for (size_t i = 0; i < tool.len; i++)
                if (!strchr(PLAIN ":", tool.data[i]))
                        return pawl__fail(err, PAWL_EINVAL,
                                "tool %.*s: is not a name of a tool; write letters, digits and "
                                "._:/+- in PAWL_EDIT_TOOLS or edit_tools",
                                PAWL__FMT(tool));
        if (tool.len && out->len)
                pawl__buf_addc(out, ',');
        pawl__buf_add_text(out, tool);
        return PAWL_OK;
}

/* The tools that $PAWL_EDIT_TOOLS and `edit_tools` of the log's settings name, with commas between
 * them. */
static pawl_status list_tools(pawl__buf *out, const cli_call *cli, pawl_error *err)
{
        const char *list = cli_variable(cli, "PAWL_EDIT_TOOLS");
        pawl__buf place = PAWL__BUF_INIT;
        pawl__patterns tools = {NULL, 0};
        pawl_error none = PAWL_ERROR_INIT;
        pawl_status status = PAWL_OK;

        for (; list && *list && !status; list += strcspn(list, ","), list += *list == ',')
                status = add_tool(out, pawl__text_n(list, strcspn(list, ",")), err);
        if (!status && !cli_find_place(&place, cli, &none))
                status = pawl__config_edit_tools(&tools, place.data, cli->arena, err);
        for (size_t i = 0; i < tools.n && !status; i++)
                status = add_tool(out, pawl__text(tools.items[i]), err);
        pawl__buf_free(&place);
        return status ? status : pawl__buf_check(out, err);
}

static pawl_status make_command(
        pawl__buf *out, pawl_text tools, const pawl__agent *agent, pawl_error *err)
{
        char self[PATH_MAX];
        const ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);

        if (len < 0)
                return pawl__fail_errno(err, errno, "/proc/self/exe", "read it");
        self[len] = '\0';
        if (tools.len)
                pawl__buf_addf(out, PAWL__HOOK_TOOLS "%.*s ", PAWL__FMT(tools));
        if (is_in_path("pawl", self)) {
                pawl__buf_adds(out, "pawl");
        } else { /* for a shell */
                const bool plain = strspn(self, PLAIN) == (size_t)len;
                if (!plain)
                        pawl__buf_addc(out, '\'');
                for (const char *c = self; *c; c++) {
                        if (*c == '\'')
                                pawl__buf_adds(out, "'\\''");
                        else
                                pawl__buf_addc(out, *c);
                }
                if (!plain)
                        pawl__buf_addc(out, '\'');
        }
        return pawl__hook_command_end(out, agent, err);
}

/* Hooks that may have other tools are taken out first; then those are put in that are missing.
 * PAWL_DONE: the text stays as it is. */
static pawl_status put_hooks(settings *s, const char *command, bool tools, pawl_error *err)
{
        pawl__buf before = PAWL__BUF_INIT;
        bool whole = false;

        pawl__buf_add_text(&before, pawl__buf_text(&s->text));
        pawl_status status = pawl__buf_check(&before, err);
        if (!status && tools && s->there)
                status = pawl__settings_uninstall(&whole, &s->text, s->agent, err);
        if (whole)
                pawl__buf_clear(&s->text);
        if (status >= 0)
                status = pawl__settings_install(&s->text, s->agent, command, err);
        if (!status && pawl__text_eq(pawl__buf_text(&before), pawl__buf_text(&s->text)))
                status = PAWL_DONE;
        pawl__buf_free(&before);
        return status;
}

/* ---- The commands ---------------------------------------------------------------------------- */

int cli_hooks_install_agent(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf command = PAWL__BUF_INIT, tools = PAWL__BUF_INIT;
        settings s;
        pawl_status status = load(&s, cli, cli_value(cli, "agent"), cli_given(cli, "user"), &err);

        if (!status && s.there && !s.text.len)
                status = pawl__fail(&err, PAWL_EPARSE,
                        "%s: is empty; write {} into it, or remove it", s.path.data);
        if (!status)
                status = list_tools(&tools, cli, &err);
        if (!status)
                status = make_command(&command, pawl__buf_text(&tools), s.agent, &err);
        if (!status) {
                status = put_hooks(&s, command.data,
                        tools.len || pawl__settings_have_tools(pawl__buf_text(&s.text)), &err);
                if (status < 0)
                        (void)pawl__fail_prefix(&err, status, "%s", s.path.data);
        }
        const bool same = status == PAWL_DONE;
        if (!status)
                status = save(&s, &err);
        if (!status || same) {
                cli_puts(cli->in->out, s.path.data);
                fprintf(cli->in->out,
                        same ? ": the hooks are there already\n"
                             : ": %s gets its hooks from the next session on\n",
                        s.agent->title);
                if (!same && strcmp(s.agent->name, "codex") == 0)
                        fputs("Codex asks once whether the hooks are to be trusted: /hooks\n",
                                cli->in->out);
        }
        settings_free(&s);
        pawl__buf_free(&command);
        pawl__buf_free(&tools);
        return status < 0 ? cli_fail(cli, &err) : CLI_DONE;
}

static int uninstall_run(cli_call *cli)
{
        pawl_error err = PAWL_ERROR_INIT;
        bool whole = false;
        settings s;
        pawl_status status;

        if (!cli_given(cli, "agent"))
                return cli_usage(cli, "name the agent: --agent NAME");
        status = load(&s, cli, cli_value(cli, "agent"), cli_given(cli, "user"), &err);
        if (!status && !s.there)
                status = PAWL_DONE;
        if (!status) {
                status = pawl__settings_uninstall(&whole, &s.text, s.agent, &err);
                if (status < 0)
                        (void)pawl__fail_prefix(&err, status, "%s", s.path.data);
        }
        const bool none = status == PAWL_DONE;
        if (!status)
                status = whole ? remove_file(&s, &err) : save(&s, &err);
        if (!status || none)
                cli_putf(cli->in->out, "%s: %s\n", s.path.data,
                        none ? "has no hooks of pawl" : "the hooks are removed");
        settings_free(&s);
        return status < 0 ? cli_fail(cli, &err) : CLI_DONE;
}

/* The file that switches the agent's hooks off, the more special one over the other; empty: none.
 */
static pawl_status find_switch(
        pawl__buf *by, const cli_call *cli, const pawl__agent *agent, pawl_error *err)
{
        const char *const beside[] = {NULL, agent->switch_file};
        pawl_status status = PAWL_OK;
        bool off = false;

        for (int i = 0; i < 4 && !status; i++) { /* the user's, then the project's */
                settings s = {agent, PAWL__BUF_INIT, PAWL__BUF_INIT, 0, false};
                if ((i < 2 && !has_user_file(cli, agent)) || (i % 2 && !agent->switch_file))
                        continue;
                status = find_file(&s, cli, i < 2, err);
                if (!status && beside[i % 2]) {
                        s.path.len = (size_t)(strrchr(s.path.data, '/') + 1 - s.path.data);
                        pawl__buf_adds(&s.path, beside[i % 2]);
                        status = pawl__buf_check(&s.path, err);
                }
                if (!status)
                        status = read_file(&s, err);
                const bool was = off;
                off = !status && pawl__settings_switch(off, pawl__buf_text(&s.text), agent);
                if (off && !was) {
                        pawl__buf_clear(by);
                        pawl__buf_add_text(by, pawl__buf_text(&s.path));
                }
                settings_free(&s);
        }
        if (!off)
                pawl__buf_clear(by);
        return status ? status : pawl__buf_check(by, err);
}

static pawl_status show(
        pawl__json_writer *w, const cli_call *cli, const char *name, bool user, pawl_error *err)
{
        pawl__buf by = PAWL__BUF_INIT;
        unsigned events = 0;
        settings s;
        pawl_status status = load(&s, cli, name, user, err);

        if (!status && s.text.len)
                status = pawl__settings_hooked(&events, pawl__buf_text(&s.text), s.agent, err);
        if (!status)
                status = find_switch(&by, cli, s.agent, err);
        if (status) {
                (void)pawl__fail_prefix(err, status, "%s", s.path.data ? s.path.data : name);
                pawl__buf_free(&by);
                settings_free(&s);
                return status;
        }
        pawl__json_open_object(w);
        pawl__json_member_string(w, "agent", name);
        pawl__json_member_string(w, "scope", user ? "user" : "project");
        pawl__json_member_string(w, "file", s.path.data);
        pawl__json_member_bool(w, "installed", events != 0);
        pawl__json_name(w, "events");
        pawl__json_open_array(w);
        for (unsigned i = 0; i < PAWL__AGENT_EVENTS && s.agent->events[i].name; i++)
                if (events >> i & 1)
                        pawl__json_string(w, s.agent->events[i].name);
        pawl__json_close_array(w);
        pawl__json_member_string(w, "disabled_by", by.len ? by.data : NULL);
        pawl__json_close_object(w);
        if (!cli_given(cli, "json") && (events || cli_given(cli, "agent")))
                cli_putf(cli->in->out, "%s, %s: %s: %s%s%s%s%s\n", s.agent->title,
                        user ? "user" : "project", s.path.data,
                        events ? "installed" : "not installed",
                        by.len ? ", but hooks are disabled: " : "",
                        by.len ? s.agent->switch_key : "", by.len ? " in " : "",
                        by.len ? by.data : "");
        pawl__buf_free(&by);
        settings_free(&s);
        return PAWL_OK;
}

static int status_run(cli_call *cli)
{
        const char *wanted = cli_value(cli, "agent");
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl_error err = PAWL_ERROR_INIT;
        pawl_status status = PAWL_OK;

        pawl__json_open_array(&w);
        for (const pawl__agent *agent = pawl__agents; agent->name && !status; agent++) {
                if (wanted && strcmp(wanted, agent->name) != 0)
                        continue;
                if (!cli_given(cli, "user"))
                        status = show(&w, cli, agent->name, false, &err);
                if (!status && has_user_file(cli, agent))
                        status = show(&w, cli, agent->name, true, &err);
        }
        pawl__json_close_array(&w);
        if (!status && cli_given(cli, "json"))
                return cli_print_json(cli, &w, &err) ? cli_fail(cli, &err) : CLI_DONE;
        if (!status && w.buf.data && !strstr(w.buf.data, "\"installed\":true") && !wanted)
                fputs("no agent has hooks of pawl; `pawl hooks install --agent NAME` puts them "
                      "into its settings\n",
                        cli->in->out);
        pawl__json_writer_free(&w);
        return status ? cli_fail(cli, &err) : CLI_DONE;
}

static const cli_option uninstall_options[] = {
        CLI_AGENT_OPTIONS, {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL}};
static const cli_option status_options[] = {CLI_AGENT_OPTIONS,
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an array of objects"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL}};

const cli_cmd pawl_hooks_uninstall_cmd = {
        .name = "hooks uninstall",
        .traits = CLI_CHANGES,
        .options = uninstall_options,
        .help = "Take pawl's hooks out of an agent's settings again",
        .run = uninstall_run,
};

const cli_cmd pawl_hooks_status_cmd = {
        .name = "hooks status",
        .options = status_options,
        .help = "Say which agents have pawl's hooks, and where",
        .run = status_run,
};
