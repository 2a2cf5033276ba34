/* A document as people left it: what of it becomes notes. */
#include "session/handoff_text.h"
#include "support/history.h"
#include "support/sweep.h"
#include <pawl/session.h>
#include <sys/stat.h>

#define CONFLICT "3f2a9c01deadbeef"

static void block(struct history *h)
{
        h->session = "session-1";
        assert_ok(history_claim(h));
        history_start(h, "[\"one\",\"two\",\"three\",\"- --\",\"[x] 1. NEXT\"]");
        history_add(h, "SessionStarted", "{}");
        history_step_started(h);
        history_completed(h);
        h->step = "two";
        history_step_started(h);
        history_evaluated(h);
        history_checkpointed(h, "pre_generation_gate", TOKEN(1));
        history_blocked(h);
        history_requested(h, CONFLICT, TOKEN(1));
        history_requested(h, "0123456789abcdef", TOKEN(1));
        history_add(h, "SessionEnded", "{\"status\":\"interrupted\",\"reason\":\"blocked\"}");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
}

static char *document(struct history *h)
{
        char *text = NULL;
        size_t len;

        check_ok(h, pawl_session_handoff(&text, &len, h->log, "session-1", 0, &h->err), __FILE__,
                __LINE__);
        char *own = test_text(text, len);
        pawl_free(text);
        return own;
}

static pawl_status take_from(struct history *h, const char *path)
{
        const pawl_event like = {.mission_id = pawl__text(h->mission),
                .run_id = pawl__text(h->run),
                .session_id = pawl__text("session-1"),
                .actor = pawl__text(h->actor)};

        return pawl__handoff_take_notes(&h->batch, &like, h->log, h->state, path, &h->err);
}

/* Read a document, append what waits; the payload of its event, or NULL where there is none. */
static char *take(struct history *h, const char *text)
{
        char *path = path_in(h->directory, "h.md"), *payload = NULL;

        file_write(path, text, strlen(text));
        if (take_from(h, path)) {
                print_error("%s\n", h->err.message);
                fail();
        }
        if (h->batch.n) {
                assert_int_equal(h->batch.n, 1);
                assert_text(h->batch.events[0].type, "SessionNoted");
                payload =
                        test_text(h->batch.events[0].payload.data, h->batch.events[0].payload.len);
                check_ok(h, history_commit(h), __FILE__, __LINE__);
        }
        return payload;
}

static void takes(struct history *h, const char *text, const char *notes)
{
        char *payload = take(h, text), *again;

        assert_non_null(payload);
        assert_says(payload, notes);
        again = take(h, text); /* what is in force already is nothing new */
        assert_null(again);
}

static void takes_nothing(struct history *h, const char *text)
{
        char *payload = take(h, text);

        if (payload)
                print_error("%s\n", payload);
        assert_null(payload);
}

/* A copy with the first @p what replaced. */
static char *edited(const char *text, const char *what, const char *by)
{
        const char *at = strstr(text, what);
        pawl__buf out = PAWL__BUF_INIT;

        assert_non_null(at);
        assert_ok(pawl__buf_addf(&out, "%.*s%s%s", (int)(at - text), text, by, at + strlen(what)));
        return test_take(&out);
}

HISTORY_TEST(a_document_that_nobody_edited_gives_no_notes)
{
        block(h);
        char *text = document(h);
        takes_nothing(h, text);
        history_resolved(h, CONFLICT, "A folder.");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        takes_nothing(h, text); /* nor does it when the log has gone on */
        char *later = document(h);
        assert_string_not_equal(text, later);
        takes_nothing(h, later);
}

HISTORY_TEST(what_people_add_is_noted)
{
        pawl__buf around = PAWL__BUF_INIT;
        pawl__row row;

        block(h);
        char *text = document(h);
        char *notes = edited(text, "GO ON\n",
                "NOTES\n-----\nNone\n- [ ] three\n   mind the tone\n* (NEXT) ask  Ben\n\nGO ON\n");
        takes(h, notes,
                "{\"notes\":[{\"section\":\"\",\"text\":\"three\\nmind the tone\"},"
                "{\"section\":\"\",\"text\":\"(NEXT) ask  Ben\"}],\"source\":\"");
        char *end = edited(text, "GO ON\n", "QUESTIONS\n---\nWho\nsigns?\n\nGO ON\n");
        takes(h, end, "{\"section\":\"QUESTIONS\",\"text\":\"Who\\nsigns?\"}]");
        assert_ok(pawl__buf_addf(
                &around, "Read this first.\n%s  with care\n\n[x] In the end.\n", text));
        end = test_take(&around);
        takes(h, end,
                "{\"section\":\"\",\"text\":\"Read this first.\"},"
                "{\"section\":\"\",\"text\":\"with care\"},"
                "{\"section\":\"\",\"text\":\"In the end.\"}]");
        row = history_row(h, PAWL__SESSIONS, "session-1", NULL);
        assert_int_equal(row.v[PAWL__SES_NOTES_SEQ].integer, history_head(h));
        text = document(h);
        assert_non_null(strstr(text, "\nNOTES\n-----\n- three\n  > mind the tone\n"
                                     "- (NEXT) ask  Ben\n"));
        assert_non_null(strstr(text, "- (QUESTIONS) Who\n  > signs?\n- Read this first.\n"));
        takes_nothing(h, text);
}

/* What the log says is the log's: what is written there is no note, and goes with the next one. */
HISTORY_TEST(edits_of_the_logs_own_sections_are_not_kept)
{
        static const char *const sections[] = {
                "CURRENT", "DONE", "IN PROGRESS", "NEXT", "FILES", "ISSUES"};
        char heading[32], edit[64];

        block(h);
        char *text = document(h);
        for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
                snprintf(heading, sizeof heading, "\n%s\n", sections[i]);
                snprintf(edit, sizeof edit, "\n%s\n- ask Ben\n", sections[i]);
                char *changed = edited(text, heading, edit);
                takes_nothing(h, changed);
        }
}

HISTORY_TEST(a_ticked_note_is_done)
{
        block(h);
        char *old = document(h),
             *both = edited(old, "GO ON\n", "TO DO\n=====\n- a\n  b\n- c\n\nGO ON\n");
        takes(h, both, "\"c\"}]");
        char *noted = document(h), *ticked = edited(noted, "- (TO DO) a\n", "- [x] (TO DO) a\n");
        takes(h, ticked,
                "{\"notes\":[{\"section\":\"TO DO\",\"text\":\"c\"}],"
                "\"done\":[{\"section\":\"TO DO\",\"text\":\"a\\nb\"}]");
        takes_nothing(h, noted); /* an old copy brings nothing back */
        takes_nothing(h, both);
        takes_nothing(h, old);
        char *now = document(h);
        assert_null(strstr(now, "(TO DO) a"));
        assert_non_null(strstr(now, "\nNOTES\n-----\n- (TO DO) c\n"));
}

/* What the log once said of a conflict, a step or a note is nobody's edit. */
HISTORY_TEST(what_the_log_once_said_is_no_edit)
{
        static const char *const first[] = {"a", "b"}, *const then[] = {"c"};
        pawl_session_work work = {.pending = first, .n_pending = 2};
        char id[PAWL_SESSION_ID_MAX], *text, *asked, *other;
        size_t len;

        block(h);
        text = document(h);
        history_add(h, "GlossaryClarificationRequested",
                "{\"conflict_id\":\"" CONFLICT
                "\",\"question\":\"Which?\",\"term\":\"workspace\",\"options\":[],\"urgency\":"
                "\"low\",\"retry_token\":\"" TOKEN(
                        1) "\",\"input_hash\":\"" HASH_A
                           "\",\"conflict_type\":\"unknown\",\"severity\":\"low\"}");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        asked = document(h);
        assert_string_not_equal(text, asked);
        takes_nothing(h, text);

        assert_ok(pawl_session_start(id, h->log, "m2", &work, NULL, &h->err));
        assert_ok(pawl_session_handoff(&other, &len, h->log, id, 0, &h->err));
        work.pending = then;
        work.n_pending = 1;
        assert_ok(pawl_session_update(h->log, id, NULL, &work, &h->err));
        takes_nothing(h, other);
        pawl_free(other);
}

HISTORY_TEST(a_title_that_is_gone_means_the_latest)
{
        block(h);
        takes_nothing(h, "NEXT\n- three\n- None\n");
        takes(h, "NEXT\n- three\nNOTES\n- four\n",
                "{\"notes\":[{\"section\":\"\",\"text\":\"four\"}]");
        takes(h, "HANDOFF nobody: mission x\n# Mine\n- [x] five\n",
                "{\"section\":\"Mine\",\"text\":\"[x] five\"}]");
        takes(h, "NOTES\n- [x] four\n", "\"done\":[{\"section\":\"\",\"text\":\"four\"}]");
        takes_nothing(h, "NOTES\n- four\n");
}

HISTORY_TEST(a_bad_file_leaves_the_batch_alone)
{
        char *path = path_in(h->directory, "h.md");

        block(h);
        assert_ok(take_from(h, path)); /* there is none */
        file_write(path, "NEXT\n- \xff\n", 9);
        assert_int_equal(take_from(h, path), PAWL_EPARSE);
        assert_says(h->err.message, "h.md: byte 8: is not UTF-8");
        assert_int_equal(remove(path), 0);
        assert_int_equal(mkfifo(path, 0600), 0);
        assert_int_equal(take_from(h, path), PAWL_EPARSE);
        assert_says(h->err.message, "is not a regular file");
        assert_int_equal(remove(path), 0);
        char *large = test_alloc(300001);
        memset(large, 'a', 300000);
        large[300000] = '\0';
        file_write(path, large, 300000);
        assert_int_equal(take_from(h, path), PAWL_EPARSE);
        assert_says(h->err.message, "its notes come to 300000 bytes");
        assert_int_equal(h->batch.n, 0);
}

/* ---- Anything -------------------------------------------------------------------------------- */

static unsigned below(unsigned *seed, unsigned n)
{
        *seed = *seed * 1103515245 + 12345;
        return (*seed >> 16) % n;
}

/* Lines left out, blank ones put in, other ends of lines: no word is anybody's. */
static char *mangled(const char *text, unsigned *seed)
{
        char *out = test_alloc(3 * strlen(text) + 64), *to = out;
        bool crlf = below(seed, 2);

        if (below(seed, 2))
                to = stpcpy(to, "\xef\xbb\xbf");
        while (*text) {
                size_t len = strcspn(text, "\n");
                bool heading = len && strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ ") == len;
                bool left_out = !heading && len && below(seed, 8) == 0;
                if (!left_out) {
                        to = mempcpy(to, text, len);
                        to = stpcpy(to, crlf ? "\r\n" : "\n");
                }
                if (!heading && below(seed, 8) == 0 && text[len + 1] != '-')
                        to = stpcpy(to, below(seed, 2) ? "\n" : "  \n");
                text += len + 1;
        }
        *to = '\0';
        return out;
}

HISTORY_TEST(lines_that_go_or_part_are_no_edits)
{
        unsigned seed = 1;

        block(h);
        history_append(h, "SessionUpdated",
                "{\"files\":[\"a.md\"],\"summary\":\"NEXT\\n----\\n- forged\\n\\n\\tGO ON\"}");
        assert_non_null(take(h, "QUESTIONS\n---\nWho\n  NEXT\nsigns?\n\n- [x] a\n"));
        char *text = document(h);
        for (int i = 0; i < 300; i++) {
                char *changed = mangled(text, &seed);
                /* A line of a note that went leaves another note. */
                char *payload = strstr(changed, "  > ") ? take(h, changed) : NULL;
                if (payload && !strstr(payload, "Who"))
                        print_error("%s\n%s\n", changed, payload);
                assert_true(!payload || strstr(payload, "Who"));
        }
}

/* Any change of bytes gives a note or none, or is refused; it never fails otherwise. */
HISTORY_TEST(edits_at_random_are_read_or_refused)
{
        static const char *const pieces[] = {"\n", "NEXT", "- ", "[x] ", "-----\n", "\xff", "\r",
                "> ", "  ", "# ", "\xe2\x80\xae", "HANDOFF ", ": mission "};
        char *path = path_in(h->directory, "h.md");
        unsigned seed = 7, refusals = 0;

        block(h);
        char *text = document(h);
        size_t len = strlen(text);
        char *changed = test_alloc(2 * len + 512);
        for (int i = 0; i < 500; i++) {
                size_t n = len;
                memcpy(changed, text, len + 1);
                for (unsigned edits = below(&seed, 20); edits; edits--) {
                        size_t at = below(&seed, (unsigned)n);
                        const char *piece = pieces[below(&seed, sizeof pieces / sizeof *pieces)];
                        size_t gone = below(&seed, 30), add = strlen(piece);
                        if (gone > n - at)
                                gone = n - at;
                        memmove(changed + at + add, changed + at + gone, n - at - gone + 1);
                        memcpy(changed + at, piece, add);
                        n = n + add - gone;
                        if (n == 0)
                                break;
                }
                file_write(path, changed, n);
                pawl_status status = take_from(h, path);
                refusals += status == PAWL_EPARSE;
                assert_true(status == PAWL_OK || status == PAWL_EPARSE);
                pawl__batch_clear(&h->batch);
        }
        assert_in_range(refusals, 1, 499);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

HISTORY_TEST(every_allocation_may_fail)
{
        char *path = path_in(h->directory, "h.md"), *copy = path_in(h->directory, "copy.md");

        block(h);
        assert_non_null(take(h, "NOTES\n- old one\n  of two lines\n"));
        char *text = document(h), *ticked = edited(text, "- old", "- [x] old"),
             *edit = edited(ticked, "GO ON\n", "MINE\n---\n- new\n  one\n\nGO ON\n");
        file_write(path, edit, strlen(edit));
        pawl_log_close(h->log);
        h->log = NULL;
        pawl__batch_free(&h->batch);
        /* with a handle of its own each time, which SQLite's caches go with */
        for (sweep s = {.least = 90}; sweep_next(&s);) {
                char *out = NULL;
                size_t len;
                history_reopen(h, 0);
                history_attach(h);
                sweep_arm(&s);
                pawl_status status = take_from(h, path);
                if (!status)
                        status = pawl_session_handoff(&out, &len, h->log, NULL, 0, &h->err);
                if (!status)
                        status = pawl_session_handoff_write(h->log, NULL, copy, 0, &h->err);
                (void)sweep_done(&s, status, &h->err);
                pawl_free(out);
                pawl_log_close(h->log);
                h->log = NULL;
                pawl__batch_free(&h->batch);
        }
}
