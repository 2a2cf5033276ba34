/*
 * The document as text. Whatever comes from the log is printed escaped, and never at the start of a
 * line: after a word of ours, a bullet, or "> " where it has lines of its own. So no text can pass
 * for a heading.
 */
#include "base/error.h"
#include "base/printable.h"
#include "base/sources.h"
#include "session/handoff.h"
#include <inttypes.h>

enum { CHANGES_SHOWN = 50 }; /* of files; the whole is to be one screen or two */

typedef struct printer {
        pawl__buf *buf;
        bool failed; /* no memory: later calls do nothing */
} printer;

static void put(printer *p, const char *string)
{
        p->failed = p->failed || pawl__buf_adds(p->buf, string) != PAWL_OK;
}

static void put_number(printer *p, uint64_t number)
{
        p->failed = p->failed || pawl__buf_addf(p->buf, "%" PRIu64, number) != PAWL_OK;
}

static void put_text(printer *p, pawl_text text)
{
        p->failed = p->failed || pawl__printable(p->buf, text) != PAWL_OK;
}

/* To the second: the log has more digits than a person wants. */
static void put_time(printer *p, int64_t time_us)
{
        char time[28];

        pawl__time_format(time, time_us);
        p->failed = p->failed || pawl__buf_addf(p->buf, "%.19sZ", time) != PAWL_OK;
}

/* A text of several lines, each after "> " with this indent; the first one only if @p quotes it. */
static void put_lines(printer *p, pawl_text text, const char *indent, bool quotes)
{
        for (bool first = true;; first = false) {
                const char *end = text.len ? memchr(text.data, '\n', text.len) : NULL;
                size_t len = end ? (size_t)(end - text.data) : text.len, at = 0;
                pawl_text line = pawl__text_n(text.data, len);
                if (line.len && line.data[line.len - 1] == '\r')
                        line.len--;
                if (!first || quotes) {
                        put(p, indent);
                        put(p, line.len ? "> " : ">");
                }
                for (size_t tab; at < line.len; at = tab + 1) { /* a tab is a space to look at */
                        const char *found = memchr(line.data + at, '\t', line.len - at);
                        tab = found ? (size_t)(found - line.data) : line.len;
                        put_text(p, pawl__text_n(line.data + at, tab - at));
                        if (found)
                                put(p, " ");
                }
                put(p, "\n");
                if (!end)
                        return;
                text = pawl__text_n(end + 1, text.len - len - 1);
        }
}

/* ---- As a shell reads it -----------------------------------------------------------------------
 */

static bool is_plain_word(pawl_text word)
{
        for (size_t i = 0; i < word.len; i++) {
                unsigned char c = (unsigned char)word.data[i];
                if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
                        !strchr("_-.,:+@%=", c))
                        return false;
        }
        return word.len > 0;
}

static void put_word(printer *p, pawl_text word)
{
        if (is_plain_word(word)) {
                put_text(p, word);
                return;
        }
        put(p, "'");
        for (size_t at = 0, end; at < word.len; at = end + 1) {
                const char *quote = memchr(word.data + at, '\'', word.len - at);
                end = quote ? (size_t)(quote - word.data) : word.len;
                put_text(p, pawl__text_n(word.data + at, end - at));
                if (quote)
                        put(p, "'\\''");
        }
        put(p, "'");
}

/* ---- Sections ----------------------------------------------------------------------------------
 */

const char *pawl__section_name(pawl__section section)
{
        static const char *const names[PAWL__SECTIONS] = {"", "CURRENT", "DONE", "IN PROGRESS",
                "NEXT", "FILES", "ISSUES", "NOTES", "GO ON", ""};

        return names[section];
}

static void put_heading(printer *p, pawl__section section)
{
        const char *name = pawl__section_name(section);

        put(p, "\n");
        put(p, name);
        put(p, "\n");
        for (size_t i = 0; name[i]; i++)
                put(p, "-");
        put(p, "\n");
}

static void put_title(printer *p, const pawl__handoff *h)
{
        const pawl__value *v = h->session.v;
        int64_t last = v[PAWL__SES_UPDATED_US].integer;

        if (h->has_run && pawl__text_is(v[PAWL__SES_STATUS].text, "active") &&
                last < h->run.v[PAWL__RUN_UPDATED_US].integer)
                last = h->run.v[PAWL__RUN_UPDATED_US].integer;
        put(p, "HANDOFF ");
        put_text(p, v[PAWL__SES_ID].text);
        put(p, ": mission ");
        put_text(p, v[PAWL__SES_MISSION].text);
        put(p, ", ");
        put_text(p, v[PAWL__SES_STATUS].text);
        put(p, ", started ");
        put_time(p, v[PAWL__SES_STARTED_US].integer);
        put(p, ", last activity ");
        put_time(p, last);
        put(p, "\n");
}

static const pawl__hand_step *step_at_hand(const pawl__handoff *h)
{
        pawl_text current = h->has_run ? h->run.v[PAWL__RUN_CURRENT].text
                                       : h->session.v[PAWL__SES_CURRENT].text;

        for (size_t i = 0; i < h->at_hand.n; i++)
                if (pawl__text_eq(h->at_hand.list[i].id, current))
                        return &h->at_hand.list[i];
        return h->at_hand.n ? &h->at_hand.list[0] : NULL;
}

static void put_member(printer *p, const char *name, pawl_text value)
{
        if (!value.len)
                return;
        put(p, name);
        put_text(p, value);
        put(p, "\n");
}

static void put_current(printer *p, const pawl__handoff *h)
{
        const pawl__value *v = h->session.v;
        const pawl__hand_step *step = step_at_hand(h);
        uint64_t done = h->done.n, total = done + h->at_hand.n + h->next.n;

        put_heading(p, PAWL__SECTION_CURRENT);
        put_member(p, "Step: ", step ? step->id : pawl__text("none"));
        put(p, "Progress: ");
        put_number(p, done);
        put(p, "/");
        put_number(p, total);
        put(p, " (");
        put_number(p, total ? done * 100 / total : 0);
        put(p, "%)\n");
        if (v[PAWL__SES_RUN].text.data) {
                put(p, "Run: ");
                put_text(p, v[PAWL__SES_RUN].text);
                put(p, ", ");
                put_text(p,
                        h->has_run ? h->run.v[PAWL__RUN_STATUS].text : pawl__text("not started"));
                put(p, "\n");
        }
        put_member(p, "Kept by: ", v[PAWL__SES_ACTOR].text);
        put_member(p, "Ended: ", v[PAWL__SES_REASON].text);
        if (h->has_run && h->run.v[PAWL__RUN_SESSION].text.data &&
                !pawl__text_eq(h->run.v[PAWL__RUN_SESSION].text, v[PAWL__SES_ID].text))
                put_member(p, "Gone on with in: ", h->run.v[PAWL__RUN_SESSION].text);
        if (v[PAWL__SES_SUMMARY].text.len) {
                put(p, "Summary:\n");
                put_lines(p, v[PAWL__SES_SUMMARY].text, "", true);
        }
}

static void put_none(printer *p, size_t n)
{
        if (n == 0)
                put(p, "None\n");
}

static void put_done(printer *p, const pawl__handoff *h)
{
        size_t from = h->summary && h->done.n > h->summary ? h->done.n - h->summary : 0;

        put_heading(p, PAWL__SECTION_DONE);
        put_none(p, h->done.n);
        if (from) {
                put(p, "(");
                put_number(p, from);
                put(p, from == 1 ? " step before these)\n" : " steps before these)\n");
        }
        for (size_t i = from; i < h->done.n; i++)
                put_member(p, "- ", h->done.list[i].id);
}

/* What "running" means where nobody is at it any more, and "blocked" where all is answered. */
static const char *status_of(const pawl__handoff *h, const pawl__hand_step *step)
{
        static const char *const left = "interrupted: it was being done, and is not done";
        bool is_running = pawl__text_is(step->status, "running");

        if (pawl__text_is(step->status, "interrupted") ||
                (is_running && h->has_run &&
                        !pawl__text_is(h->run.v[PAWL__RUN_STATUS].text, "running")))
                return left;
        if (is_running)
                return "running: it was begun, and is not done";
        if (!pawl__text_is(step->status, "blocked"))
                return NULL;
        for (size_t i = 0; i < h->n_conflicts; i++)
                if (pawl__text_eq(h->conflicts[i].v[PAWL__CON_STEP].text, step->id))
                        return NULL;
        return "blocked, and answered: it can go on";
}

static void put_blockers(printer *p, const pawl__handoff *h, const pawl__hand_step *step)
{
        for (size_t i = 0; i < h->n_conflicts; i++) {
                const pawl__value *c = h->conflicts[i].v;
                if (!pawl__text_eq(c[PAWL__CON_STEP].text, step->id))
                        continue;
                put(p, "  blocked by: ");
                put_text(p, c[PAWL__CON_ID].text);
                put(p, ", \"");
                put_text(p, c[PAWL__CON_TERM].text);
                put(p, "\"\n");
        }
}

static void put_hand_step(printer *p, const pawl__handoff *h, const pawl__hand_step *step)
{
        const char *says = status_of(h, step);
        bool failed = pawl__text_is(step->status, "failed");

        put_member(p, "- ", step->id);
        put_member(p, "  status: ", says ? pawl__text(says) : step->status);
        if (step->token.data) {
                put(p, "  checkpoint: ");
                put_text(p, step->token);
                put(p, " at ");
                put_text(p, step->cursor);
                put(p, "\n");
        }
        put_blockers(p, h, step);
        if (step->exit_code >= 0) {
                put(p, "  exit code: ");
                put_number(p, (uint64_t)step->exit_code);
                put(p, "\n");
        }
        if (failed)
                put_member(p, "  reason: ",
                        h->has_run ? h->run.v[PAWL__RUN_REASON].text
                                   : h->session.v[PAWL__SES_REASON].text);
}

static void put_in_progress(printer *p, const pawl__handoff *h)
{
        const pawl__value *v = h->session.v;

        put_heading(p, PAWL__SECTION_IN_PROGRESS);
        put_none(p, h->at_hand.n);
        for (size_t i = 0; i < h->at_hand.n; i++)
                put_hand_step(p, h, &h->at_hand.list[i]);
        if (v[PAWL__SES_CHECKPOINTS].integer && !v[PAWL__SES_RUN].text.data) {
                put(p, "Checkpoints: ");
                put_number(p, (uint64_t)v[PAWL__SES_CHECKPOINTS].integer);
                put(p, ", the last at seq ");
                put_number(p, (uint64_t)v[PAWL__SES_CHECKPOINT_SEQ].integer);
                put(p, "\n");
        }
}

static void put_next(printer *p, const pawl__handoff *h)
{
        put_heading(p, PAWL__SECTION_NEXT);
        put_none(p, h->next.n);
        for (size_t i = 0; i < h->next.n; i++) {
                put_number(p, i + 1);
                put_member(p, ". ", h->next.list[i].id);
        }
}

static void put_files(printer *p, const pawl__handoff *h)
{
        size_t shown = h->n_changes < CHANGES_SHOWN ? h->n_changes : CHANGES_SHOWN;

        put_heading(p, PAWL__SECTION_FILES);
        put_none(p, h->n_files + h->n_changes);
        for (size_t i = 0; i < h->n_files; i++)
                put_member(p, "- ", h->files[i]);
        for (size_t i = 0; i < shown; i++) {
                put(p, "- ");
                put_text(p, h->changes[i].path);
                put(p, " (");
                put(p, h->changes[i].how);
                put(p, ")\n");
        }
        if (shown == h->n_changes)
                return;
        put(p, "- and ");
        put_number(p, h->n_changes - shown);
        put(p, " more; `pawl diff ");
        put_number(p, (uint64_t)h->from_n);
        put(p, " ");
        put_number(p, (uint64_t)h->to_n);
        put(p, "` lists them\n");
}

/* The command up to its answer: "  pawl resolve ID --pick 1". */
static void put_resolve(printer *p, pawl_text id, const char *option, uint64_t n)
{
        bool is_option = id.len && id.data[0] == '-';

        put(p, "  pawl resolve ");
        if (!is_option) {
                put_word(p, id);
                put(p, " ");
        }
        put(p, option);
        if (n)
                put_number(p, n);
        if (is_option) {
                put(p, " -- ");
                put_word(p, id);
        }
}

/* "  pawl resolve ID --pick 1  # team_domain: what it means": a shell takes the line as it is. */
static pawl_status put_candidates(printer *p, const pawl__value *c, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl_text json = c[PAWL__CON_CANDIDATES].text;
        uint64_t n = 0;
        pawl_status status =
                json.data ? pawl__json_tree_read(&tree, json.data, json.len, err) : PAWL_OK;

        for (pawl__node at = status || !json.data ? PAWL__NO_NODE : pawl__json_first(&tree, 0);
                at != PAWL__NO_NODE; at = pawl__json_after(&tree, 0, at)) {
                put_resolve(p, c[PAWL__CON_ID].text, "--pick ", ++n);
                put(p, "  # ");
                put_text(p, pawl__json_get_text(&tree, at, "scope"));
                put(p, ": ");
                put_text(p, pawl__json_get_text(&tree, at, "definition"));
                put(p, "\n");
        }
        pawl__json_tree_free(&tree);
        if (!status && n == 0) {
                put_resolve(p, c[PAWL__CON_ID].text, "--define 'TEXT'", 0);
                put(p, "\n");
        }
        return status;
}

static pawl_status put_issues(printer *p, const pawl__handoff *h, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        put_heading(p, PAWL__SECTION_ISSUES);
        if (h->n_conflicts == 0)
                put(p, "None blocking\n");
        for (size_t i = 0; i < h->n_conflicts && !status; i++) {
                const pawl__value *c = h->conflicts[i].v;
                put(p, "- ");
                put_text(p, c[PAWL__CON_ID].text);
                put(p, ": \"");
                put_text(p, c[PAWL__CON_TERM].text);
                put(p, "\" is ");
                put_text(p, c[PAWL__CON_TYPE].text);
                put(p, ", severity ");
                put_text(p, c[PAWL__CON_SEVERITY].text);
                put(p, ", in step ");
                put_text(p, c[PAWL__CON_STEP].text);
                put(p, "\n");
                status = put_candidates(p, c, err);
        }
        return status;
}

static void put_notes(printer *p, const pawl__notes *notes)
{
        if (notes->n == 0)
                return;
        put_heading(p, PAWL__SECTION_NOTES);
        for (size_t i = 0; i < notes->n; i++) {
                const pawl__note *note = &notes->list[i];
                put(p, "- ");
                if (note->section.len) {
                        put(p, "(");
                        put_text(p, note->section);
                        put(p, ") ");
                }
                put_lines(p, note->text, "  ", false);
        }
}

/* The one argument of a command. */
static void put_argument(printer *p, pawl_text argument)
{
        put(p, argument.len && argument.data[0] == '-' ? " -- " : " ");
        put_word(p, argument);
        put(p, "\n");
}

/* Is something left to do? A session that an agent ended as completed may have left steps open. */
static bool is_open(const pawl__handoff *h)
{
        const pawl__value *v = h->session.v;

        if (v[PAWL__SES_RUN].text.data)
                return !h->has_run || !pawl__text_is(h->run.v[PAWL__RUN_STATUS].text, "completed");
        return !pawl__text_is(v[PAWL__SES_STATUS].text, "completed") || h->at_hand.n || h->next.n;
}

static void put_command(printer *p, const pawl__handoff *h)
{
        const pawl__value *v = h->session.v;
        const pawl__hand_step *step = step_at_hand(h);

        if (!v[PAWL__SES_RUN].text.data) {
                put(p, "pawl session resume");
                put_argument(p, v[PAWL__SES_ID].text);
        } else {
                put(p, "pawl resume");
                put_argument(p, step && step->token.data ? step->token : v[PAWL__SES_RUN].text);
        }
}

/* The last line is the command to go on with. */
static void put_go_on(printer *p, const pawl__handoff *h)
{
        const pawl__value *v = h->session.v;

        put_heading(p, PAWL__SECTION_GO_ON);
        if (!is_open(h)) {
                put(p, "Nothing is left to do: it is completed.\n");
                return;
        }
        if (h->n_conflicts)
                put(p, "When the issues above are answered:\n");
        if (!v[PAWL__SES_RUN].text.data && pawl__text_is(v[PAWL__SES_STATUS].text, "completed"))
                put(p, "It was ended with steps still to be done:\n");
        put_command(p, h);
}

pawl_status pawl__handoff_command(pawl__buf *out, const pawl__handoff *handoff, pawl_error *err)
{
        printer p = {out, false};

        if (!is_open(handoff))
                return PAWL_OK;
        put_command(&p, handoff);
        if (p.failed)
                return pawl__nomem(err);
        out->data[--out->len] = '\0'; /* the end of its line */
        return PAWL_OK;
}

pawl_status pawl__handoff_print_notes(pawl__buf *out, const pawl__notes *notes, pawl_error *err)
{
        printer p = {out, false};

        put_notes(&p, notes);
        return p.failed ? pawl__nomem(err) : PAWL_OK;
}

pawl_status pawl__handoff_print(pawl__buf *out, const pawl__handoff *handoff, pawl_error *err)
{
        printer p = {out, false};

        put_title(&p, handoff);
        put_current(&p, handoff);
        put_done(&p, handoff);
        put_in_progress(&p, handoff);
        put_next(&p, handoff);
        put_files(&p, handoff);
        pawl_status status = put_issues(&p, handoff, err);
        put_notes(&p, &handoff->notes);
        put_go_on(&p, handoff);
        return !status && p.failed ? pawl__nomem(err) : status;
}
