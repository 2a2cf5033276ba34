/*
 * The document as text. Whatever comes from the log is printed escaped, and never at the start of a
 * line: after a word of ours, a bullet, or "> " where it has lines of its own. So no text can pass
 * for a heading.
 */
#include "base/error.h"
#include "base/printable.h"
#include "base/sources.h"
#include "session/handoff.h"
#include "state/run_way.h"
#include <inttypes.h>
#include <stdio.h>

enum {
        CHANGES_SHOWN = 50,
        ROLLBACKS_SHOWN = 5
}; /* of files; the whole is to be one screen or two */

/* A text between two of ours. */
static void put(pawl__buf *out, const char *before, pawl_text text, const char *after)
{
        pawl__buf_adds(out, before);
        pawl__printable(out, text);
        pawl__buf_adds(out, after);
}

/* To the second: the log has more digits than a person wants. */
static void put_time(pawl__buf *out, const char *before, int64_t time_us, const char *after)
{
        char time[28];

        pawl__time_format(time, time_us);
        pawl__buf_addf(out, "%s%.19sZ%s", before, time, after);
}

/* A text of several lines, each after "> " with this indent; the first one only if @p quotes it. */
static void put_lines(pawl__buf *out, pawl_text text, const char *indent, bool quotes)
{
        for (bool first = true;; first = false) {
                const char *end = text.len ? memchr(text.data, '\n', text.len) : NULL;
                size_t len = end ? (size_t)(end - text.data) : text.len, at = 0;
                pawl_text line = pawl__text_n(text.data, len);
                if (line.len && line.data[line.len - 1] == '\r')
                        line.len--;
                if (!first || quotes)
                        pawl__buf_addf(out, "%s%s", indent, line.len ? "> " : ">");
                for (size_t tab; at < line.len; at = tab + 1) { /* a tab is a space to look at */
                        const char *found = memchr(line.data + at, '\t', line.len - at);
                        tab = found ? (size_t)(found - line.data) : line.len;
                        put(out, "", pawl__text_n(line.data + at, tab - at), found ? " " : "");
                }
                pawl__buf_addc(out, '\n');
                if (!end)
                        return;
                text = pawl__text_n(end + 1, text.len - len - 1);
        }
}

/* ---- Sections -------------------------------------------------------------------------------- */

const char *pawl__section_name(pawl__section section)
{
        static const char *const names[PAWL__SECTIONS] = {"", "CURRENT", "DONE", "IN PROGRESS",
                "NEXT", "FILES", "ISSUES", "NOTES", "GO ON", ""};

        return names[section];
}

static void put_heading(pawl__buf *out, pawl__section section)
{
        static const char line[] = "-----------";
        const char *name = pawl__section_name(section);

        pawl__buf_addf(out, "\n%s\n%.*s\n", name, (int)strlen(name), line);
}

static void put_title(pawl__buf *out, const pawl__handoff *h)
{
        const pawl__value *v = h->session.v;
        int64_t last = v[PAWL__SES_UPDATED_US].integer;

        if (h->has_run && pawl__text_is(v[PAWL__SES_STATUS].text, "active") &&
                last < h->run.v[PAWL__RUN_UPDATED_US].integer)
                last = h->run.v[PAWL__RUN_UPDATED_US].integer;
        put(out, "HANDOFF ", v[PAWL__SES_ID].text, ": mission ");
        put(out, "", v[PAWL__SES_MISSION].text, ", ");
        put(out, "", v[PAWL__SES_STATUS].text, ", ");
        put_time(out, "started ", v[PAWL__SES_STARTED_US].integer, ", ");
        put_time(out, "last activity ", last, "\n");
}

static void put_member(pawl__buf *out, const char *name, pawl_text value)
{
        if (value.len)
                put(out, name, value, "\n");
}

/* The newest of them. */
static void put_rollbacks(pawl__buf *out, const pawl__handoff *h)
{
        const size_t from = h->n_rollbacks > ROLLBACKS_SHOWN ? h->n_rollbacks - ROLLBACKS_SHOWN : 0;

        if (from)
                pawl__buf_addf(out, "Rollbacks before these: %zu\n", from);
        for (size_t i = from; i < h->n_rollbacks; i++) {
                const pawl__hand_rollback *one = &h->rollbacks[i];
                const bool back = strcmp(one->kind, "rollback") == 0;
                pawl__buf_addf(out, "%s %s%s to checkpoint %" PRId64,
                        one->in_part ? "Some files" : "Files", back ? "rolled back" : "brought by ",
                        back ? "" : one->kind, one->target);
                put_time(out, ", ", one->ended_us, one->reason.len ? ": " : "\n");
                put_member(out, "", one->reason);
        }
}

static void put_current(pawl__buf *out, const pawl__handoff *h)
{
        const pawl__value *v = h->session.v;
        const uint64_t done = h->steps_completed, total = h->steps_total;

        put_heading(out, PAWL__SECTION_CURRENT);
        put_member(out, "Step: ", h->current.data ? h->current : pawl__text("none"));
        if (total)
                pawl__buf_addf(out, "Progress: %" PRIu64 "/%" PRIu64 " (%" PRIu64 "%%)\n", done,
                        total, done * 100 / total);
        if (v[PAWL__SES_RUN].text.data) {
                put(out, "Run: ", v[PAWL__SES_RUN].text, ", ");
                put(out, "",
                        h->has_run ? h->run.v[PAWL__RUN_STATUS].text : pawl__text("not started"),
                        "\n");
        }
        put_member(out, h->place.gone ? "Removed work tree: " : "Work tree: ",
                h->place.root.data ? h->place.root : h->place.elsewhere);
        put_member(out, "Kept by: ", v[PAWL__SES_ACTOR].text);
        put_member(out, "Ended: ", v[PAWL__SES_REASON].text);
        if (h->has_run && h->run.v[PAWL__RUN_SESSION].text.data &&
                !pawl__text_eq(h->run.v[PAWL__RUN_SESSION].text, v[PAWL__SES_ID].text))
                put_member(out, "Resumed in: ", h->run.v[PAWL__RUN_SESSION].text);
        put_rollbacks(out, h);
        if (v[PAWL__SES_SUMMARY].text.len) {
                pawl__buf_adds(out, "Summary:\n");
                put_lines(out, v[PAWL__SES_SUMMARY].text, "", true);
        }
}

static void put_none(pawl__buf *out, size_t n)
{
        if (n == 0)
                pawl__buf_adds(out, "None\n");
}

static void put_done(pawl__buf *out, const pawl__handoff *h)
{
        size_t from = h->summary && h->done.n > h->summary ? h->done.n - h->summary : 0;

        put_heading(out, PAWL__SECTION_DONE);
        put_none(out, h->done.n);
        if (from)
                pawl__buf_addf(out, "(%zu step%s before these)\n", from, from == 1 ? "" : "s");
        for (size_t i = from; i < h->done.n; i++)
                put_member(out, "- ", h->done.list[i].row->v[PAWL__STEP_ID].text);
}

/* What a status means, where it does not say so: "blocked" also where all is answered. */
static const char *status_of(const pawl__handoff *h, const pawl__hand_step *step)
{
        const pawl_text status = step->status;

        if (pawl__text_is(status, "interrupted") ||
                (h->has_run && pawl__text_is(status, PAWL__STEP_UNFINISHED)))
                return "interrupted: it was being done, and is not done";
        if (pawl__text_is(status, "running"))
                return "running: it was begun, and is not done";
        if (!pawl__text_is(status, "blocked"))
                return NULL;
        for (size_t i = 0; i < h->n_conflicts; i++)
                if (pawl__text_eq(h->conflicts[i].v[PAWL__CON_STEP].text,
                            step->row->v[PAWL__STEP_ID].text))
                        return NULL;
        return "blocked, and answered: it can go on";
}

static void put_blockers(pawl__buf *out, const pawl__handoff *h, pawl_text step_id)
{
        for (size_t i = 0; i < h->n_conflicts; i++) {
                const pawl__value *c = h->conflicts[i].v;
                if (!pawl__text_eq(c[PAWL__CON_STEP].text, step_id))
                        continue;
                put(out, "  blocked by: ", c[PAWL__CON_ID].text, ", ");
                put(out, "\"", c[PAWL__CON_TERM].text, "\"\n");
        }
}

/* A definition of several lines is one here. */
static void put_terms(pawl__buf *out, const pawl_glossary_terms *terms)
{
        for (size_t i = 0; i < terms->n; i++) {
                const pawl_glossary_term *term = &terms->items[i];
                pawl_text rest = term->definition;
                put(out, "  term: \"", term->term, "\" means ");
                while (rest.len) {
                        const char *end = memchr(rest.data, '\n', rest.len);
                        const size_t len = end ? (size_t)(end - rest.data) : rest.len;
                        put(out, "", pawl__text_n(rest.data, len), end ? " " : "");
                        rest = pawl__text_n(rest.data + len, rest.len - len);
                        rest = end ? pawl__text_n(rest.data + 1, rest.len - 1) : rest;
                }
                pawl__buf_addf(out, " (%s)\n", term->source);
        }
}

static void put_hand_step(pawl__buf *out, const pawl__handoff *h, const pawl__hand_step *step)
{
        const pawl__value *v = step->row->v;
        const char *says = status_of(h, step);
        char retry[64];

        put_member(out, "- ", v[PAWL__STEP_ID].text);
        put_member(out, "  status: ", says ? pawl__text(says) : step->status);
        if (v[PAWL__STEP_TOKEN].text.data) {
                put(out, "  checkpoint: ", v[PAWL__STEP_TOKEN].text, " at ");
                put(out, "", v[PAWL__STEP_CURSOR].text, "\n");
        }
        pawl__retry_say(retry, &step->why.retry, h->now_us);
        put_member(out, "  tries: ", pawl__text(retry));
        put_blockers(out, h, v[PAWL__STEP_ID].text);
        put_terms(out, &step->terms);
        if (v[PAWL__STEP_EXIT_CODE].integer >= 0)
                pawl__buf_addf(out, "  exit code: %" PRId64 "\n", v[PAWL__STEP_EXIT_CODE].integer);
        put_member(out, "  reason: ", step->why.reason);
}

static void put_in_progress(pawl__buf *out, const pawl__handoff *h)
{
        const pawl__value *v = h->session.v;

        put_heading(out, PAWL__SECTION_IN_PROGRESS);
        put_none(out, h->at_hand.n);
        for (size_t i = 0; i < h->at_hand.n; i++)
                put_hand_step(out, h, &h->at_hand.list[i]);
        if (v[PAWL__SES_CHECKPOINTS].integer && !v[PAWL__SES_RUN].text.data)
                pawl__buf_addf(out, "Checkpoints: %" PRId64 ", the last at seq %" PRId64 "\n",
                        v[PAWL__SES_CHECKPOINTS].integer, v[PAWL__SES_CHECKPOINT_SEQ].integer);
}

static void put_next(pawl__buf *out, const pawl__handoff *h)
{
        put_heading(out, PAWL__SECTION_NEXT);
        put_none(out, h->next.n);
        for (size_t i = 0; i < h->next.n; i++) {
                pawl__buf_addf(out, "%zu", i + 1);
                put_member(out, ". ", h->next.list[i].row->v[PAWL__STEP_ID].text);
        }
}

static void put_files(pawl__buf *out, const pawl__handoff *h)
{
        size_t shown = h->n_changes < CHANGES_SHOWN ? h->n_changes : CHANGES_SHOWN;

        put_heading(out, PAWL__SECTION_FILES);
        put_none(out, h->n_files + h->n_changes);
        for (size_t i = 0; i < h->n_files; i++)
                put_member(out, "- ", h->files[i]);
        for (size_t i = 0; i < shown; i++) {
                put(out, "- ", h->changes[i].path, " ");
                pawl__buf_addf(out, "(%s)\n", h->changes[i].how);
        }
        if (shown < h->n_changes)
                pawl__buf_addf(out,
                        "- and %zu more; `pawl diff%s %" PRId64 " %" PRId64 "` lists them\n",
                        h->n_changes - shown, h->named, h->from_n, h->to_n);
}

/* "  pawl resolve ID --pick 1  # team_domain: what it means": a shell takes the line as it is. */
static pawl_status put_candidates(pawl__buf *out, const char *named, const pawl__value *c,
        const pawl__answer_way *way, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        const bool asks = pawl__text_is(c[PAWL__CON_TYPE].text, "question");
        pawl_text json = c[PAWL__CON_CANDIDATES].text;
        pawl__answer_way pick = *way;
        char option[32];
        uint64_t n = 0;
        pawl_status status =
                json.data ? pawl__json_tree_read(&tree, json.data, json.len, err) : PAWL_OK;

        pick.option = option;
        for (pawl__node at = status || !json.data ? PAWL__NO_NODE : pawl__json_first(&tree, 0);
                at != PAWL__NO_NODE; at = pawl__json_after(&tree, 0, at)) {
                snprintf(option, sizeof option, "--pick %" PRIu64, ++n);
                pawl__buf_adds(out, "  ");
                pawl__answer_add(out, &pick, named);
                put(out, "  # ", asks ? pawl__text("") : pawl__json_get_text(&tree, at, "scope"),
                        asks ? "" : ": ");
                put(out, "", pawl__json_get_text(&tree, at, "definition"), "\n");
        }
        pawl__json_tree_free(&tree);
        if (!status && n == 0) {
                pawl__buf_adds(out, "  ");
                pawl__answer_add(out, way, named);
                pawl__buf_addc(out, '\n');
        }
        return status;
}

/* How many steps failed. */
static size_t put_failures(pawl__buf *out, const pawl__handoff *h)
{
        size_t n = 0;

        for (size_t i = 0; i < h->at_hand.n; i++) {
                const pawl__hand_step *step = &h->at_hand.list[i];
                if (!pawl__text_is(step->status, "failed"))
                        continue;
                put(out, "- step ", step->row->v[PAWL__STEP_ID].text,
                        step->why.reason.len ? " failed: " : " failed");
                put(out, "", step->why.reason, "\n");
                n++;
        }
        return n;
}

static pawl_status put_issues(pawl__buf *out, const pawl__handoff *h, pawl_error *err)
{
        pawl_status status = PAWL_OK;

        put_heading(out, PAWL__SECTION_ISSUES);
        if (put_failures(out, h) == 0 && h->n_conflicts == 0)
                pawl__buf_adds(out, "None blocking\n");
        for (size_t i = 0; i < h->n_conflicts && !status; i++) {
                const pawl__value *c = h->conflicts[i].v;
                put(out, "- ", c[PAWL__CON_ID].text, ": ");
                put(out, "\"", c[PAWL__CON_TERM].text, "\" is ");
                put(out, "", c[PAWL__CON_TYPE].text, ", ");
                put(out, "severity ", c[PAWL__CON_SEVERITY].text, ", ");
                put(out, "in step ", c[PAWL__CON_STEP].text, "\n");
                status = put_candidates(out, h->named, c, &h->ways[i], err);
        }
        return status;
}

static void put_notes(pawl__buf *out, const pawl__notes *notes)
{
        if (notes->n == 0)
                return;
        put_heading(out, PAWL__SECTION_NOTES);
        for (size_t i = 0; i < notes->n; i++) {
                const pawl__note *note = &notes->list[i];
                pawl__buf_adds(out, "- ");
                if (note->section.len)
                        put(out, "(", note->section, ") ");
                put_lines(out, note->text, "  ", false);
        }
}

bool pawl__handoff_is_over(const pawl__handoff *h)
{
        const pawl__value *v = h->session.v;
        const pawl_text run = h->run.v[PAWL__RUN_STATUS].text;

        if (v[PAWL__SES_RUN].text.data)
                return h->has_run &&
                       (pawl__text_is(run, "completed") || pawl__text_is(run, "cancelled"));
        return pawl__text_is(v[PAWL__SES_STATUS].text, "completed") && h->done.n && !h->at_hand.n &&
               !h->next.n;
}

static void put_command(pawl__buf *out, const pawl__handoff *h)
{
        const pawl__value *v = h->session.v;
        const size_t before = out->len;

        if (v[PAWL__SES_RUN].text.data) {
                pawl__run_command_add(out, &(pawl__run_next){.run = &h->run,
                                                   .shown = v[PAWL__SES_RUN].text,
                                                   .place = &h->run_place,
                                                   .at_work = h->at_work,
                                                   .named = h->named});
        } else {
                pawl__place_add(out, &h->place);
                pawl__command_add(out,
                        h->has_active ? "pawl session resume --take-over" : "pawl session resume",
                        v[PAWL__SES_ID].text, h->named);
        }
        pawl__buf_adds(out, out->len > before ? "\n" : "");
}

/* What stands before the command, or in its place. */
static void put_go_on_how(pawl__buf *out, const pawl__handoff *h)
{
        const pawl__value *v = h->session.v;
        const bool active = pawl__text_is(v[PAWL__SES_STATUS].text, "active");

        if (h->n_conflicts)
                pawl__buf_adds(out, "When the issues above are answered:\n");
        if (h->has_run && pawl__run_way_of(&h->run) == PAWL__BY_PROGRAM)
                pawl__buf_adds(out, "Run the program that began it again.\n");
        else if (h->run_place.gone)
                pawl__buf_addf(out, "Its " PAWL__GONE ".\n", PAWL__FMT(h->run_place.root),
                        PAWL__WORD(h->run.v[PAWL__RUN_ID].text));
        else if (h->at_work)
                pawl__buf_adds(out, pawl__run_way_of(&h->run) == PAWL__BY_WORKER
                                            ? "A worker has it.\n"
                                            : "It is at work; this waits for it, and resumes it "
                                              "where it stops:\n");
        else if (v[PAWL__SES_RUN].text.data)
                return;
        else if (pawl__text_is(v[PAWL__SES_STATUS].text, "completed"))
                pawl__buf_adds(
                        out, h->at_hand.n || h->next.n
                                     ? "It was ended with steps still to be done:\n"
                                     : "It was ended; what is left to do it did not tell:\n");
        else if (h->has_active)
                pawl__buf_adds(out, active ? "It is active; this takes it over:\n"
                                           : "Another session of its mission is active; this takes "
                                             "that over:\n");
}

/* The last line is the command to go on with. */
static void put_go_on(pawl__buf *out, const pawl__handoff *h)
{
        const pawl__value *v = h->session.v;

        put_heading(out, PAWL__SECTION_GO_ON);
        if (pawl__handoff_is_over(h)) {
                put(out, "Nothing is left to do: it is ",
                        h->has_run ? h->run.v[PAWL__RUN_STATUS].text : v[PAWL__SES_STATUS].text,
                        ".\n");
                return;
        }
        put_go_on_how(out, h);
        put_command(out, h);
}

pawl_status pawl__handoff_command(pawl__buf *out, const pawl__handoff *handoff, pawl_error *err)
{
        if (pawl__handoff_is_over(handoff))
                return PAWL_OK;
        const size_t before = out->len;
        put_command(out, handoff);
        pawl_status status = pawl__buf_check(out, err);
        if (!status && out->len > before)
                out->data[--out->len] = '\0'; /* the end of its line */
        return status;
}

pawl_status pawl__handoff_print_notes(pawl__buf *out, const pawl__notes *notes, pawl_error *err)
{
        put_notes(out, notes);
        return pawl__buf_check(out, err);
}

pawl_status pawl__handoff_print(pawl__buf *out, const pawl__handoff *handoff, pawl_error *err)
{
        put_title(out, handoff);
        put_current(out, handoff);
        put_done(out, handoff);
        put_in_progress(out, handoff);
        put_next(out, handoff);
        put_files(out, handoff);
        pawl_status status = put_issues(out, handoff, err);
        put_notes(out, &handoff->notes);
        put_go_on(out, handoff);
        return status ? status : pawl__buf_check(out, err);
}
