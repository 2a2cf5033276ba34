#include "agents/settings.h"
#include "agents/jsonc.h"
#include "base/error.h"
#include "base/json_write.h"
#include <stdio.h>

/* The document's one object. */
static pawl_status read_root(pawl__jsonc_span *root, pawl_text text, pawl_error *err)
{
        const char *const end = text.data + text.len;
        const size_t mark = pawl__text_starts(text, "\xef\xbb\xbf") ? 3 : 0; /* of the byte order */
        const char *p = pawl__jsonc_skip_blank(text.data + mark, end);

        *root = (pawl__jsonc_span){p, pawl__jsonc_skip_value(p, end, 0)};
        if (!root->to || pawl__jsonc_skip_blank(root->to, end) != end)
                return pawl__fail(err, PAWL_EPARSE, "is not JSON; repair it, it is left as it is");
        if (!pawl__jsonc_is_object(*root))
                return pawl__fail(err, PAWL_EINVAL,
                        "is not an object of settings; repair it, it is left as it is");
        return PAWL_OK;
}

/* ---- What is put in -------------------------------------------------------------------------- */

pawl_status pawl__hook_command_end(pawl__buf *out, const pawl__agent *agent, pawl_error *err)
{
        pawl__buf_addf(out, " hook --agent %s", agent->name);
        return pawl__buf_check(out, err);
}

/* The settings at work: the agent, and its command as JSON has it, quotes included. */
typedef struct editing {
        pawl__buf *text;
        const pawl__agent *agent;
        pawl_text command;
        char end[64]; /* of our commands, closing quote included */
        pawl__jsonc_span root, hooks;
        pawl_error *err;
} editing;

/* And the tools that the command begins with. */
static void add_matcher(pawl__buf *out, const editing *e, const char *matcher)
{
        static const char begins[] = "\"" PAWL__HOOK_TOOLS;

        pawl__buf_addf(out, "{\"matcher\": \"%s", matcher);
        if (pawl__text_starts(e->command, begins)) {
                pawl__buf_addc(out, '|');
                for (const char *c = e->command.data + strlen(begins); *c != ' '; c++) {
                        if (*c == '.' || *c == '+')
                                pawl__buf_adds(out, "\\\\"); /* of an expression, in JSON */
                        pawl__buf_addc(out, *c == ',' ? '|' : *c);
                }
        }
        pawl__buf_adds(out, "\", \"hooks\": [");
}

static void add_hook(pawl__buf *out, const editing *e, const pawl__agent_event *event)
{
        const bool grouped = e->agent->form == PAWL__HOOK_GROUPED;

        if (grouped && event->matcher)
                add_matcher(out, e, event->matcher);
        else if (grouped)
                pawl__buf_adds(out, "{\"hooks\": [");
        pawl__buf_adds(out, e->agent->form == PAWL__HOOK_PLAIN ? "{" : "{\"type\": \"command\", ");
        pawl__buf_adds(out, "\"command\": ");
        pawl__buf_add_text(out, e->command);
        pawl__buf_addf(out, ", \"timeout\": %d}%s", e->agent->timeout, grouped ? "]}" : "");
}

static void add_element(pawl__buf *out, const editing *e, const pawl__agent_event *event)
{
        pawl__buf_adds(out, "\n      ");
        add_hook(out, e, event);
}

static void add_event(pawl__buf *out, const editing *e, const pawl__agent_event *event)
{
        pawl__buf_addf(out, "\n    \"%s\": [", event->name);
        add_element(out, e, event);
        pawl__buf_adds(out, "\n    ]");
}

static bool is_last(const pawl__agent *agent, const pawl__agent_event *event)
{
        return event + 1 == agent->events + PAWL__AGENT_EVENTS || !event[1].name;
}

static void add_hooks(pawl__buf *out, const editing *e, const pawl__agent_event *unused)
{
        (void)unused;
        pawl__buf_adds(out, "\n  \"hooks\": {");
        for (const pawl__agent_event *event = e->agent->events;; event++) {
                add_event(out, e, event);
                if (is_last(e->agent, event))
                        break;
                pawl__buf_addc(out, ',');
        }
        pawl__buf_adds(out, "\n  }");
}

/* It begins otherwise than put_first() makes any settings begin, so that it is known again. */
static void add_file(pawl__buf *out, const editing *e)
{
        pawl__buf hooks = PAWL__BUF_INIT;

        add_hooks(&hooks, e, NULL);
        out->failed |= hooks.failed;
        pawl__buf_adds(out, e->agent->form == PAWL__HOOK_PLAIN ? "{\"version\": 1,\n  " : "{");
        if (!hooks.failed)
                pawl__buf_adds(out, hooks.data + strlen("\n  "));
        pawl__buf_adds(out, "\n}\n");
        pawl__buf_free(&hooks);
}

typedef void (*adding)(pawl__buf *, const editing *, const pawl__agent_event *);

/* ---- Editing --------------------------------------------------------------------------------- */

/* Put @p with in place of a part of the text, whose spans are then read anew. */
static pawl_status replace(editing *e, pawl__jsonc_span part, pawl_text with)
{
        pawl__buf *const text = e->text;
        const size_t from = (size_t)(part.from - text->data), to = (size_t)(part.to - text->data);

        if (pawl__buf_reserve(text, with.len))
                return pawl__nomem(e->err);
        memmove(text->data + from + with.len, text->data + to, text->len - to + 1);
        if (with.len)
                memcpy(text->data + from, with.data, with.len);
        text->len = text->len - (to - from) + with.len;
        pawl_status status = read_root(&e->root, pawl__buf_text(text), e->err);
        e->hooks = pawl__jsonc_get(NULL, e->root, "hooks");
        return status;
}

static bool is_empty(pawl__jsonc_span container)
{
        pawl__jsonc_span name, value;
        const char *p = container.from + 1;

        return !pawl__jsonc_child(&name, &value, &p, container);
}

/* Right behind a container's bracket; a comma follows where something else does. */
static pawl_status put_first(
        editing *e, pawl__jsonc_span container, adding add, const pawl__agent_event *event)
{
        pawl__buf with = PAWL__BUF_INIT;

        add(&with, e, event);
        if (!is_empty(container))
                pawl__buf_addc(&with, ',');
        pawl_status status = pawl__buf_check(&with, e->err);
        if (!status)
                status = replace(e, (pawl__jsonc_span){container.from + 1, container.from + 1},
                        pawl__buf_text(&with));
        pawl__buf_free(&with);
        return status;
}

/* The reverse, where that is there as it was put. *done says whether it did. */
static pawl_status take_first(bool *done, editing *e, pawl__jsonc_span container, adding add,
        const pawl__agent_event *event)
{
        pawl__buf with = PAWL__BUF_INIT;

        add(&with, e, event);
        pawl_status status = pawl__buf_check(&with, e->err);
        *done = !status && container.from &&
                (size_t)(container.to - container.from) > with.len + 1 &&
                memcmp(container.from + 1, with.data, with.len) == 0;
        if (*done) {
                pawl__jsonc_span part = {container.from + 1, container.from + 1 + with.len};
                const char *next = pawl__jsonc_skip_blank(part.to, container.to);
                if (*part.to == ',')
                        part.to++;
                else
                        *done = *next == '}' || *next == ']';
                if (*done)
                        status = replace(e, part, (pawl_text){NULL, 0});
        }
        pawl__buf_free(&with);
        return status;
}

/* A child of a container, and the comma and the blanks that belong to it. */
static pawl_status take_child(editing *e, pawl__jsonc_span part, pawl__jsonc_span container)
{
        const char *after = pawl__jsonc_skip_blank(part.to, container.to);

        while (part.from > container.from + 1 && strchr(" \t\r\n", part.from[-1]))
                part.from--;
        if (*after == ',')
                part.to = after + 1;
        else if (part.from[-1] == ',')
                part.from--;
        return replace(e, part, (pawl_text){NULL, 0});
}

/* ---- Knowing ours ---------------------------------------------------------------------------- */

/* A command that ends as ours do, of a program in whose file name stands `pawl`: others call theirs
 * `hook --agent`, too. */
static bool is_ours(const editing *e, pawl__jsonc_span string)
{
        const size_t len = strlen(e->end);

        if (!string.from || *string.from != '"' || (size_t)(string.to - string.from) <= len ||
                memcmp(string.to - len, e->end, len) != 0)
                return false;
        const char *const end = string.to - len, *name = end;
        while (name[-1] != '/' && name[-1] != ' ' && name - 1 > string.from)
                name--;
        return memmem(name, (size_t)(end - name), "pawl", 4) != NULL;
}

/* The first hook of ours that an array of hooks has, or groups of hooks; *within is the array that
 * it is an element of. */
static pawl__jsonc_span find_ours(
        pawl__jsonc_span *within, const editing *e, pawl__jsonc_span array)
{
        pawl__jsonc_span name, value;

        if (!pawl__jsonc_is_array(array))
                return pawl__jsonc_none;
        for (const char *p = array.from + 1; pawl__jsonc_child(&name, &value, &p, array);) {
                *within = array;
                if (is_ours(e, pawl__jsonc_get(NULL, value, "command")))
                        return value;
                const pawl__jsonc_span group = pawl__jsonc_get(NULL, value, "hooks");
                const pawl__jsonc_span inner = pawl__jsonc_is_array(group)
                                                       ? find_ours(within, e, group)
                                                       : pawl__jsonc_none;
                if (inner.from) { /* a group of ours alone goes as a whole */
                        const char *q = group.from + 1;
                        pawl__jsonc_span first, second;
                        (void)pawl__jsonc_child(&name, &first, &q, group);
                        if (pawl__jsonc_child(&name, &second, &q, group))
                                return inner;
                        *within = array;
                        return value;
                }
        }
        return pawl__jsonc_none;
}

/* The command of the first hook of ours, quotes included. */
static pawl_text find_command(const editing *e)
{
        pawl__jsonc_span within, hook, command;

        for (size_t i = 0; i < PAWL__AGENT_EVENTS && e->agent->events[i].name; i++) {
                hook = find_ours(
                        &within, e, pawl__jsonc_get(NULL, e->hooks, e->agent->events[i].name));
                if (!hook.from)
                        continue;
                command = pawl__jsonc_get(NULL, hook, "command");
                if (!command.from) { /* a group */
                        const pawl__jsonc_span group = pawl__jsonc_get(NULL, hook, "hooks");
                        const char *p = group.from + 1;
                        pawl__jsonc_span name, value;
                        (void)pawl__jsonc_child(&name, &value, &p, group);
                        command = pawl__jsonc_get(NULL, value, "command");
                }
                return (pawl_text){command.from, (size_t)(command.to - command.from)};
        }
        return (pawl_text){NULL, 0};
}

static pawl_status begin(editing *e)
{
        pawl__buf end = PAWL__BUF_INIT;
        pawl_status status = pawl__hook_command_end(&end, e->agent, e->err);

        if (!status)
                snprintf(e->end, sizeof e->end, "%s\"", end.data);
        pawl__buf_free(&end);
        if (!status)
                status = read_root(&e->root, pawl__buf_text(e->text), e->err);
        if (status)
                return status;
        e->hooks = pawl__jsonc_get(NULL, e->root, "hooks");
        if (e->hooks.from && !pawl__jsonc_is_object(e->hooks))
                return pawl__fail(e->err, PAWL_EINVAL,
                        "hooks: is not an object; repair it, it is left as it is");
        for (size_t i = 0; i < PAWL__AGENT_EVENTS && e->agent->events[i].name; i++) {
                const pawl__jsonc_span array =
                        pawl__jsonc_get(NULL, e->hooks, e->agent->events[i].name);
                if (array.from && !pawl__jsonc_is_array(array))
                        return pawl__fail(e->err, PAWL_EINVAL,
                                "hooks.%s: is not an array; repair it, it is left as it is",
                                e->agent->events[i].name);
        }
        return PAWL_OK;
}

/* ---- The calls ------------------------------------------------------------------------------- */

static unsigned look(const editing *e)
{
        unsigned found = 0;
        pawl__jsonc_span within;

        for (unsigned i = 0; i < PAWL__AGENT_EVENTS && e->agent->events[i].name; i++)
                if (find_ours(&within, e, pawl__jsonc_get(NULL, e->hooks, e->agent->events[i].name))
                                .from)
                        found |= 1U << i;
        return found;
}

pawl_status pawl__settings_hooked(
        unsigned *events, pawl_text text, const pawl__agent *agent, pawl_error *err)
{
        pawl__buf copy = PAWL__BUF_INIT;
        editing e = {.text = &copy, .agent = agent, .err = err};

        pawl__buf_add_text(&copy, text);
        pawl_status status = pawl__buf_check(&copy, err);
        if (!status)
                status = begin(&e);
        if (!status)
                *events = look(&e);
        pawl__buf_free(&copy);
        return status;
}

/* Events are put first one after the other, the last of them first. */
static pawl_status put_missing(editing *e)
{
        const unsigned there = look(e);
        pawl_status status = PAWL_OK;
        size_t n = 0;

        while (n < PAWL__AGENT_EVENTS && e->agent->events[n].name)
                n++;
        if (there == (1U << n) - 1)
                return PAWL_DONE;
        if (!e->hooks.from)
                return put_first(e, e->root, add_hooks, NULL);
        for (size_t i = n; i-- > 0 && !status;) {
                const pawl__agent_event *event = &e->agent->events[i];
                const pawl__jsonc_span array = pawl__jsonc_get(NULL, e->hooks, event->name);
                if (there >> i & 1)
                        continue;
                status = array.from ? put_first(e, array, add_element, event)
                                    : put_first(e, e->hooks, add_event, event);
        }
        return status;
}

pawl_status pawl__settings_install(
        pawl__buf *text, const pawl__agent *agent, const char *command, pawl_error *err)
{
        pawl__buf quoted = PAWL__BUF_INIT, work = PAWL__BUF_INIT;
        editing e = {.text = &work, .agent = agent, .err = err};

        pawl__json_quote(&quoted, pawl__text(command));
        e.command = pawl__buf_text(&quoted);
        if (text->len)
                pawl__buf_add(&work, text->data, text->len);
        else
                add_file(&work, &e);
        pawl_status status = pawl__buf_check(&quoted, err);
        if (!status)
                status = pawl__buf_check(&work, err);
        if (!status && text->len)
                status = begin(&e);
        if (!status && text->len)
                status = put_missing(&e);
        if (!status) {
                const pawl__buf before = *text;
                *text = work;
                work = before;
        }
        pawl__buf_free(&work);
        pawl__buf_free(&quoted);
        return status;
}

/* What the agent has written anew: by the command. What is empty then goes as well. */
static pawl_status take_found(editing *e, const pawl__agent_event *event)
{
        pawl__jsonc_span within = pawl__jsonc_none, whole;
        pawl_status status = PAWL_OK;
        bool any = false;

        for (;;) {
                const pawl__jsonc_span found =
                        find_ours(&within, e, pawl__jsonc_get(NULL, e->hooks, event->name));
                if (status || !found.from)
                        break;
                status = take_child(e, found, within);
                any = true;
        }
        if (status || !any)
                return status;
        if (is_empty(pawl__jsonc_get(&whole, e->hooks, event->name)))
                status = take_child(e, whole, e->hooks);
        if (!status && is_empty(pawl__jsonc_get(&whole, e->root, "hooks")))
                status = take_child(e, whole, e->root);
        return status;
}

static pawl_status take_all(editing *e)
{
        bool done = false;
        pawl_status status = take_first(&done, e, e->root, add_hooks, NULL);

        for (size_t i = 0; i < PAWL__AGENT_EVENTS && e->agent->events[i].name && !status && !done;
                i++) {
                const pawl__agent_event *event = &e->agent->events[i];
                bool one = false;
                status = take_first(&one, e, e->hooks, add_event, event);
                if (!status && !one)
                        status = take_first(&one, e, pawl__jsonc_get(NULL, e->hooks, event->name),
                                add_element, event);
                if (!status)
                        status = take_found(e, event);
        }
        return status;
}

pawl_status pawl__settings_uninstall(
        bool *remove_file, pawl__buf *text, const pawl__agent *agent, pawl_error *err)
{
        pawl__buf work = PAWL__BUF_INIT, file = PAWL__BUF_INIT, command = PAWL__BUF_INIT;
        editing e = {.text = &work, .agent = agent, .err = err};
        pawl_status status;

        *remove_file = false;
        pawl__buf_add(&work, text->data, text->len);
        status = pawl__buf_check(&work, err);
        if (!status)
                status = begin(&e);
        if (!status && !look(&e))
                status = PAWL_DONE;
        if (!status) {
                pawl__buf_add_text(&command, find_command(&e));
                e.command = pawl__buf_text(&command);
                add_file(&file, &e);
                status = pawl__buf_check(&command, err);
        }
        if (!status)
                status = pawl__buf_check(&file, err);
        if (!status)
                *remove_file = pawl__text_eq(pawl__buf_text(&work), pawl__buf_text(&file));
        if (!status && !*remove_file)
                status = take_all(&e);
        if (!status) {
                const pawl__buf before = *text;
                *text = work;
                work = before;
        }
        pawl__buf_free(&work);
        pawl__buf_free(&file);
        pawl__buf_free(&command);
        return status;
}
