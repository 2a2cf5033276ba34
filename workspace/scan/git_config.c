/* See workspace/scan/git_config.h; the syntax is that of git-config(1). */
#include "workspace/scan/git_config.h"
#include "base/error.h"
#include "workspace/git/git_index.h"
#include "workspace/scan/ignore.h"
#include <ctype.h>
#include <strings.h>

enum { FILE_MAX = 16 << 20, DEEP = 10 };

typedef struct config {
        pawl__git_config *out;
        const pawl__git_user *user;
        const char *git, *top;
        bool given, worktree; /* core.excludesFile is; extensions.worktreeConfig */
        pawl_error *err;
} config;

/* A file as it is gone through. */
typedef struct source {
        const char *path;
        const char *at, *end;
        size_t line;
        pawl__buf section, name, value; /* section: in small letters but for what was in quotes */
        bool valued;                    /* there was a '=' */
} source;

static pawl_status read_file(config *c, const char *path, int deep);

/* ---- Paths ----------------------------------------------------------------------------------- */

/* "~/" is the home directory; what is relative lies in @p directory. PAWL_DONE: it cannot be told.
 */
static pawl_status expand(pawl__buf *out, const config *c, const char *path, pawl_text directory)
{
        pawl__buf_clear(out);
        if (path[0] == '~' && (path[1] != '/' || !c->user->home))
                return PAWL_DONE;
        if (path[0] == '~') {
                pawl__buf_adds(out, c->user->home);
                path++;
        } else if (path[0] != '/') {
                pawl__buf_add_text(out, directory);
                pawl__buf_addc(out, '/');
        }
        pawl__buf_adds(out, path);
        return pawl__buf_check(out, c->err);
}

static pawl_text directory_of(const char *path)
{
        const char *slash = strrchr(path, '/');

        return slash ? (pawl_text){path, (size_t)(slash - path)} : pawl__text(".");
}

/* ---- What is of use -------------------------------------------------------------------------- */

static char small(char c)
{
        return (char)tolower((unsigned char)c);
}

static void make_small(pawl__buf *text)
{
        for (size_t i = 0; i < text->len; i++)
                text->data[i] = small(text->data[i]);
}

/* Does the repository's directory match what is behind "gitdir:"? */
static pawl_status in_gitdir(bool *is, config *c, const char *path, const char *pattern, bool fold)
{
        pawl__buf rule = PAWL__BUF_INIT, git = PAWL__BUF_INIT;
        pawl__ignore ignore = {0};
        pawl_status status = PAWL_OK;

        *is = false;
        if (!c->git)
                return PAWL_OK;
        if (strncmp(pattern, "./", 2) == 0)
                status = expand(&rule, c, pattern + 2, directory_of(path));
        else if (pattern[0] == '~' || pattern[0] == '/')
                status = expand(&rule, c, pattern, pawl__text(""));
        else
                pawl__buf_addf(&rule, "**/%s", pattern);
        if (rule.len && rule.data[rule.len - 1] == '/')
                pawl__buf_adds(&rule, "**");
        pawl__buf_adds(&git, c->git + strspn(c->git, "/"));
        if (!status && (rule.failed || git.failed))
                status = pawl__nomem(c->err);
        if (!status && fold) {
                make_small(&rule);
                make_small(&git);
        }
        if (!status)
                status = pawl__ignore_add(&ignore, pawl__buf_text(&rule), 0, c->err);
        if (!status) {
                const char *name = strrchr(git.data, '/');
                *is = pawl__ignore_match(&ignore, pawl__buf_text(&git),
                              name ? (size_t)(name + 1 - git.data) : 0, true) == PAWL__IGNORE_LEAVE;
        }
        pawl__ignore_free(&ignore);
        pawl__buf_free(&rule);
        pawl__buf_free(&git);
        return status == PAWL_DONE ? PAWL_OK : status;
}

static pawl_status include(config *c, const source *s, int deep)
{
        pawl__buf path = PAWL__BUF_INIT;
        pawl_status status;

        if (deep >= DEEP)
                return pawl__fail(c->err, PAWL_EPARSE,
                        "%.300s, line %zu: includes files more than %d deep; look with `git config "
                        "--list`",
                        s->path, s->line, DEEP);
        status = expand(&path, c, s->value.data, directory_of(s->path));
        if (!status)
                status = read_file(c, path.data, deep + 1);
        pawl__buf_free(&path);
        return status == PAWL_DONE ? PAWL_OK : status;
}

static bool is_true(const source *s)
{
        const char *value = s->value.data;

        return !s->valued || strcasecmp(value, "true") == 0 || strcasecmp(value, "yes") == 0 ||
               strcasecmp(value, "on") == 0 || (*value >= '1' && *value <= '9');
}

static pawl_status take_excludes(config *c, const source *s)
{
        pawl__buf *out = &c->out->excludes;
        pawl_status status = PAWL_OK;

        c->given = true;
        pawl__buf_clear(out);
        if (s->value.len)
                status = expand(out, c, s->value.data, pawl__text(c->top));
        if (status != PAWL_DONE)
                return status;
        return pawl__fail(c->err, PAWL_EPARSE,
                "%.200s, line %zu: core.excludesFile %.100s: whose home directory that is is not known; "
                "write the path out",
                s->path, s->line, s->value.data);
}

static pawl_status take(config *c, const source *s, int deep)
{
        const char *section = s->section.data, *name = s->name.data;
        pawl_status status = PAWL_OK;
        bool is = false;

        if (strcmp(section, "core") == 0 && strcmp(name, "excludesfile") == 0) {
                status = take_excludes(c, s);
        } else if (strcmp(section, "core") == 0 && strcmp(name, "bare") == 0) {
                c->out->bare = is_true(s);
        } else if (strcmp(section, "core") == 0 && strcmp(name, "worktree") == 0) {
                pawl__buf_clear(&c->out->worktree);
                if (pawl__buf_add_text(&c->out->worktree, pawl__buf_text(&s->value)))
                        status = pawl__nomem(c->err);
        } else if (strcmp(section, "core") == 0 && strcmp(name, "ignorecase") == 0) {
                c->out->fold = is_true(s);
        } else if (strcmp(section, "extensions") == 0 && strcmp(name, "objectformat") == 0) {
                c->out->sha256 = strcmp(s->value.data, "sha256") == 0;
        } else if (strcmp(section, "extensions") == 0 && strcmp(name, "worktreeconfig") == 0) {
                c->worktree = is_true(s);
        } else if (strcmp(section, "include") == 0 && strcmp(name, "path") == 0) {
                status = include(c, s, deep);
        } else if (strcmp(name, "path") == 0 && strncmp(section, "includeif.gitdir", 16) == 0) {
                const bool fold = strncmp(section + 16, "/i:", 3) == 0;
                if (fold || section[16] == ':')
                        status = in_gitdir(&is, c, s->path, section + (fold ? 19 : 17), fold);
                if (is && !status)
                        status = include(c, s, deep);
        }
        return status;
}

/* ---- The syntax ------------------------------------------------------------------------------ */

static pawl_status malformed(const config *c, const source *s)
{
        return pawl__fail(c->err, PAWL_EPARSE,
                "%.300s, line %zu: is no line of git's configuration; look with `git config --list`",
                s->path, s->line);
}

static bool at_end(const source *s)
{
        return s->at == s->end;
}

/* White space within a line. */
static void skip_blanks(source *s)
{
        while (!at_end(s) && (*s->at == ' ' || *s->at == '\t' || *s->at == '\r'))
                s->at++;
}

static void skip_line(source *s)
{
        while (!at_end(s) && *s->at != '\n')
                s->at++;
}

/* False: it is not one. */
static bool take_section(source *s)
{
        pawl__buf_clear(&s->section);
        for (s->at++; !at_end(s); s->at++) {
                if (!isalnum((unsigned char)*s->at) && *s->at != '-' && *s->at != '.')
                        break;
                pawl__buf_addc(&s->section, small(*s->at));
        }
        skip_blanks(s);
        if (!at_end(s) && *s->at == '"') {
                pawl__buf_addc(&s->section, '.');
                for (s->at++; !at_end(s) && *s->at != '"' && *s->at != '\n'; s->at++) {
                        if (*s->at == '\\' && s->end - s->at > 1)
                                s->at++;
                        pawl__buf_addc(&s->section, *s->at);
                }
                if (at_end(s) || *s->at++ != '"')
                        return false;
        }
        return !at_end(s) && *s->at++ == ']' && s->section.len;
}

/* What is behind '=', without comments, quotes and white space around it. */
static bool take_value(source *s)
{
        static const char from[] = "ntb\\\"", to[] = "\n\t\b\\\"";
        bool quoted = false;
        size_t kept = 0; /* bytes that are no white space at the end */

        skip_blanks(s);
        for (; !at_end(s) && *s->at != '\n'; s->at++) {
                char c = *s->at;
                if (c == '\r' && s->end - s->at > 1 && s->at[1] == '\n')
                        continue;
                if (!quoted && (c == '#' || c == ';')) {
                        skip_line(s);
                        break;
                }
                if (c == '"') {
                        quoted = !quoted;
                        kept = s->value.len;
                        continue;
                }
                const bool escaped = c == '\\';
                if (escaped) {
                        if (s->end - s->at > 2 && s->at[1] == '\r' && s->at[2] == '\n')
                                s->at++;
                        if (s->end - s->at < 2)
                                return false;
                        c = *++s->at;
                        if (c == '\n') {
                                s->line++;
                                continue;
                        }
                        const char *known = strchr(from, c);
                        if (!c || !known)
                                return false;
                        c = to[known - from];
                }
                pawl__buf_addc(&s->value, c);
                if (quoted || escaped || (c != ' ' && c != '\t'))
                        kept = s->value.len;
        }
        s->value.len = kept;
        if (s->value.data)
                s->value.data[kept] = '\0';
        return !quoted;
}

static bool take_variable(source *s)
{
        pawl__buf_clear(&s->name);
        pawl__buf_clear(&s->value);
        for (; !at_end(s) && (isalnum((unsigned char)*s->at) || *s->at == '-'); s->at++)
                pawl__buf_addc(&s->name, small(*s->at));
        skip_blanks(s);
        s->valued = !at_end(s) && *s->at == '=';
        if (!s->name.len || !s->section.len)
                return false;
        pawl__buf_adds(&s->value, "");
        if (!s->valued)
                return at_end(s) || strchr("\n#;", *s->at);
        s->at++;
        return take_value(s);
}

static pawl_status read_lines(config *c, source *s, int deep)
{
        pawl_status status = PAWL_OK;

        if (s->end - s->at >= 3 && memcmp(s->at, "\xef\xbb\xbf", 3) == 0)
                s->at += 3;
        while (!status) {
                skip_blanks(s);
                if (at_end(s))
                        return PAWL_OK;
                if (*s->at == '\n') {
                        s->at++;
                        s->line++;
                        continue;
                }
                if (*s->at == '#' || *s->at == ';') {
                        skip_line(s);
                        continue;
                }
                const bool section = *s->at == '[';
                const bool ok = section ? take_section(s) : take_variable(s);
                if (s->section.failed || s->name.failed || s->value.failed)
                        return pawl__nomem(c->err);
                if (!ok)
                        return malformed(c, s);
                if (!section)
                        status = take(c, s, deep);
        }
        return status;
}

/* PAWL_OK also where there is none. */
static pawl_status read_file(config *c, const char *path, int deep)
{
        pawl__buf data = PAWL__BUF_INIT;
        source s = {.path = path, .line = 1};
        pawl_status status = pawl__git_file(&data, path, FILE_MAX, c->err);

        if (!status && data.len) {
                s.at = data.data;
                s.end = data.data + data.len;
                status = read_lines(c, &s, deep);
        }
        pawl__buf_free(&s.section);
        pawl__buf_free(&s.name);
        pawl__buf_free(&s.value);
        pawl__buf_free(&data);
        return status == PAWL_ENOTFOUND ? PAWL_OK : status;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* A file that need not be there; one of the user's need not be readable, either. */
static pawl_status read_in(config *c, const char *directory, const char *name, bool users)
{
        pawl__buf path = PAWL__BUF_INIT;

        if (!directory)
                return PAWL_OK;
        pawl__buf_addf(&path, "%s/%s", directory, name);
        pawl_status status = pawl__buf_check(&path, c->err);
        if (!status)
                status = read_file(c, path.data, 0);
        pawl__buf_free(&path);
        return users && status == PAWL_EACCESS ? PAWL_OK : status;
}

static pawl_status read_all(config *c, const char *config_home, const char *common)
{
        pawl_status status = read_in(c, "/etc", "gitconfig", true);

        if (!status)
                status = read_in(c, config_home, "git/config", true);
        if (!status)
                status = read_in(c, c->user->home, ".gitconfig", true);
        if (!status && c->git)
                status = read_in(c, common, "config", false);
        if (!status && c->git && c->worktree)
                status = read_in(c, c->git, "config.worktree", false);
        return status;
}

pawl_status pawl__git_config_read(pawl__git_config *out, const pawl__git_user *user,
        const char *git, const char *common, const char *top, pawl_error *err)
{
        config c = {.out = out, .user = user, .git = git, .top = top, .err = err};
        pawl__buf home = PAWL__BUF_INIT;
        const char *config_home = user->config_home;
        pawl_status status = PAWL_OK;

        *out = (pawl__git_config){.excludes = PAWL__BUF_INIT, .worktree = PAWL__BUF_INIT};
        if (!config_home && user->home) {
                pawl__buf_addf(&home, "%s/.config", user->home);
                status = pawl__buf_check(&home, err);
                config_home = home.data;
        }
        if (!status)
                status = read_all(&c, config_home, common);
        if (!status && !c.given && config_home) {
                pawl__buf_clear(&out->excludes);
                pawl__buf_addf(&out->excludes, "%s/git/ignore", config_home);
                status = pawl__buf_check(&out->excludes, err);
        }
        pawl__buf_free(&home);
        return status;
}

void pawl__git_config_free(pawl__git_config *found)
{
        pawl__buf_free(&found->excludes);
        pawl__buf_free(&found->worktree);
}
