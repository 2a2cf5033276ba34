/* The document, byte by byte: tests/golden/handoff holds what each of these logs gives. */
#include "session/handoff_text.h"
#include "support/history.h"
#include <dirent.h>
#include <pawl/session.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONFLICT "3f2a9c01deadbeef"

static char *document_of(struct history *h, pawl_log *log, const char *session, size_t summary)
{
        char *text = NULL;
        size_t len = 99;

        if (pawl_session_handoff(&text, &len, log, session, summary, &h->err)) {
                print_error("%s\n", h->err.message);
                fail();
        }
        assert_int_equal(strlen(text), len);
        assert_true(pawl__utf8_valid(text, len));
        char *own = test_text(text, len);
        pawl_free(text);
        return own;
}

static char *document(struct history *h, const char *session, size_t summary)
{
        return document_of(h, h->log, session, summary);
}

/* By a handle that may not write. */
static char *looked_at(struct history *h, const char *session, size_t summary)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        pawl_log *log;

        options.flags = PAWL_LOG_READONLY;
        assert_ok(pawl_log_open(&log, h->path, &options, &h->err));
        char *text = document_of(h, log, session, summary);
        pawl_log_close(log);
        return text;
}

/* What the log wrote is read back whole, and nothing of it is a new note. */
static void reads_back(struct history *h, const char *text)
{
        const pawl_text none = {NULL, 0};
        pawl__handoff_text read;
        pawl__edits edits;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__state *state;
        pawl__row row;

        assert_ok(pawl__state_of(&state, h->log, NULL));
        assert_ok(pawl__handoff_parse(&read, "h.md", text, strlen(text), NULL));
        for (int s = PAWL__SECTION_CURRENT; s < PAWL__SECTION_OTHER; s++)
                assert_true(read.present[s] || s == PAWL__SECTION_NOTES);
        assert_ok(pawl__session_find(&row, state, read.session_id.data, none, &arena, NULL));
        assert_ok(pawl__handoff_edits(
                &edits, &read, h->log, state, &row, row.v[PAWL__SES_MISSION].text, &arena, NULL));
        assert_int_equal(edits.fresh.n + edits.n_done, 0);
        pawl__arena_free(&arena);
        pawl__handoff_text_free(&read);
}

/* The same log gives these bytes: now, again, and to one who may not write. */
static void document_is(struct history *h, const char *session, size_t summary, const char *golden)
{
        char name[64];
        size_t len;

        snprintf(name, sizeof name, "handoff/%s.txt", golden);
        char *path = path_in(GOLDEN_DIR, name);
        char *expected = file_read(path, &len);
        for (int i = 0; i < 3; i++) {
                char *text = i < 2 ? document(h, session, summary) : looked_at(h, session, summary);
                if (strcmp(text, expected) != 0)
                        fprintf(stderr, "---- %s\n%s----\n", golden, text);
                assert_string_equal(text, expected);
        }
        reads_back(h, expected);
}

/* ---- Of a run -------------------------------------------------------------------------------- */

/* A session of run-1, which is started. */
static void begin(struct history *h, const char *session, const char *steps)
{
        h->session = session;
        assert_ok(history_claim(h));
        if (steps)
                history_start(h, steps);
        history_add(h, "SessionStarted", "{}");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
}

static void complete(struct history *h, const char *step)
{
        h->step = step;
        history_step_started(h);
        history_completed(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
}

static void start_step(struct history *h, const char *step)
{
        h->step = step;
        history_step_started(h);
        history_evaluated(h);
        history_checkpointed(h, "execute", TOKEN(1));
        check_ok(h, history_commit(h), __FILE__, __LINE__);
}

HISTORY_TEST(a_running_one)
{
        begin(h, "session-1", "[\"one\",\"two\",\"three\",\"four\"]");
        complete(h, "one");
        start_step(h, "two");
        history_append(h, "SessionUpdated",
                "{\"files\":[\"notes.md\",\"/m.yaml\",\"notes.md\"],"
                "\"summary\":\"Two lines\\nof context.\"}");
        document_is(h, NULL, 0, "running");
        document_is(h, "session-1", 0, "running");
}

static void block(struct history *h)
{
        begin(h, "session-1", "[\"one\",\"two\",\"three\"]");
        complete(h, "one");
        h->step = "two";
        history_step_started(h);
        history_evaluated(h);
        history_checkpointed(h, "pre_generation_gate", TOKEN(1));
        history_blocked(h);
        history_requested(h, CONFLICT, TOKEN(1));
        history_add(h, "GlossaryClarificationRequested",
                "{\"conflict_id\":\"0123456789abcdef\",\"question\":\"What?\",\"term\":\"ledger\","
                "\"options\":[],\"urgency\":\"low\",\"retry_token\":\"" TOKEN(
                        1) "\",\"input_hash\":\"" HASH_A
                           "\",\"conflict_type\":\"unknown\",\"severity\":\"medium\"}");
        history_add(h, "SessionEnded", "{\"status\":\"interrupted\",\"reason\":\"blocked\"}");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
}

HISTORY_TEST(a_blocked_one)
{
        block(h);
        document_is(h, "session-1", 0, "blocked");
}

HISTORY_TEST(an_answered_one_has_no_issues)
{
        block(h);
        history_resolved(h, CONFLICT, "A folder.");
        history_resolved(h, "0123456789abcdef", "A book.");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        document_is(h, NULL, 0, "answered");
}

HISTORY_TEST(a_completed_one)
{
        begin(h, "session-1", "[\"one\",\"two\"]");
        complete(h, "one");
        complete(h, "two");
        history_add(h, "RunCompleted", "{}");
        history_add(h, "SessionEnded", "{\"status\":\"completed\"}");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        document_is(h, NULL, 0, "completed");
}

HISTORY_TEST(a_failed_one)
{
        begin(h, "session-1", "[\"one\",\"two\"]");
        start_step(h, "one");
        history_add(h, "StepFailed", "{\"reason\":\"exit code 3\",\"exit_code\":3}");
        history_add(h, "RunFailed", "{\"reason\":\"step one: exit code 3\"}");
        history_add(
                h, "SessionEnded", "{\"status\":\"error\",\"reason\":\"step one: exit code 3\"}");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        document_is(h, NULL, 0, "failed");
}

/* Another process does this and is killed in the middle of it. */
static void killed(struct history *h, void (*work)(struct history *h))
{
        int how;

        pawl_log_close(h->log);
        h->log = NULL;
        pid_t pid = fork();
        if (pid == 0) {
                history_reopen(h, 0);
                history_attach(h);
                work(h);
                kill(getpid(), SIGKILL);
        }
        assert_int_equal(waitpid(pid, &how, 0), pid);
        assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
        history_reopen(h, 0);
}

static void be_killed(struct history *h)
{
        begin(h, "session-1", "[\"one\",\"two\"]");
        start_step(h, "one");
}

/* Before anybody writes that it died, the log has it running; then, interrupted. In neither it is
 * done. */
HISTORY_TEST(a_killed_one)
{
        killed(h, be_killed);
        char *unsettled = looked_at(h, NULL, 0);
        assert_non_null(strstr(unsettled, ", active, "));
        assert_non_null(strstr(unsettled, "\n  status: running: it was begun, and is not done\n"));
        document_is(h, NULL, 0, "killed");
}

/* A later session's document is the one to look at, and the earlier one's says so. */
HISTORY_TEST(an_earlier_session_names_the_later)
{
        block(h);
        h->session = "session-2";
        history_add(h, "SessionStarted", "{}");
        assert_ok(history_claim(h));
        document_is(h, "session-1", 0, "earlier");
}

/* ---- Of an agent ----------------------------------------------------------------------------- */

HISTORY_TEST(an_agents_one)
{
        static const char *const pending[] = {"research", "draft", "review", "publish"};
        static const char *const done[] = {"research"}, *const files[] = {"a.md", "b.md", "a.md"};
        pawl_session_options options = PAWL_SESSION_OPTIONS_INIT;
        pawl_session_work work = {.pending = pending, .n_pending = 4, .current_step = "research"};
        char id[PAWL_SESSION_ID_MAX];

        options.actor = "agent:writer";
        assert_ok(pawl_session_start(id, h->log, "paper", &work, &options, &h->err));
        work = (pawl_session_work){.current_step = "draft",
                .completed = done,
                .n_completed = 1,
                .files = files,
                .n_files = 3,
                .summary = "Half way.\n\n\tSee \"b\"."};
        assert_ok(pawl_session_checkpoint(
                NULL, h->log, id, "agent:writer", "context_warning", &work, &h->err));
        document_is(h, NULL, 0, "agent");
        assert_ok(pawl_session_end(
                h->log, id, "agent:writer", "interrupted", "lunch", NULL, &h->err));
        document_is(h, NULL, 0, "agent_left");
        assert_ok(pawl_session_resume(id, h->log, id, 0,
                &(pawl_session_options){PAWL_SESSION_OPTIONS_VERSION, "agent:writer", false},
                &h->err));
        work = (pawl_session_work){.completed = pending, .n_completed = 4, .current_step = ""};
        assert_ok(pawl_session_end(h->log, id, "agent:writer", "completed", NULL, &work, &h->err));
        document_is(h, NULL, 0, "agent_completed");
}

/* ---- Many, and hostile ----------------------------------------------------------------------- */

HISTORY_TEST(a_thousand_steps_are_counted)
{
        char steps[16 * 1000] = "[", *at = steps + 1;

        for (int i = 1; i <= 300; i++)
                at += sprintf(at, "%s\"step-%d\"", i == 1 ? "" : ",", i);
        strcpy(at, "]");
        begin(h, "session-1", steps);
        for (int i = 1; i <= 1000; i++) { /* beyond the 300th, a program adds them as they start */
                sprintf(steps, "step-%d", i);
                h->step = steps;
                history_step_started(h);
                history_completed(h);
        }
        h->step = "last";
        history_step_started(h);
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        document_is(h, NULL, 3, "thousand");
        document_is(h, NULL, 1, "thousand_one");
        char *all = document(h, NULL, 0);
        assert_non_null(strstr(all, "\nDONE\n----\n- step-1\n- step-2\n"));
        assert_non_null(strstr(all, "\n- step-1000\n\nIN PROGRESS\n"));
        assert_null(strstr(all, "before these"));
        all = document(h, NULL, 1000);
        assert_null(strstr(all, "before these"));
}

/* Nothing that the log holds can pass for a heading, colour a terminal or turn text around. */
HISTORY_TEST(hostile_texts_stay_texts)
{
        h->mission = "HANDOFF x: mission y";
        h->actor = "NEXT";
        h->run = "it's a $(run)";
        begin(h, "session-1", "[\"NEXT\",\"- DONE\",\"DONE\",\"\\u001b[31mred\\nNEXT\\n----\"]");
        h->step = "NEXT";
        history_step_started(h);
        history_evaluated(h);
        history_checkpointed(h, "pre_generation_gate", TOKEN(1));
        history_blocked(h);
        history_add(h, "GlossaryClarificationRequested",
                "{\"conflict_id\":\"a'b\",\"question\":\"?\",\"term\":\"x\\nISSUES\\n------\\nNone "
                "blocking\",\"options\":[{\"surface\":\"x\",\"scope\":\"core\",\"definition\":"
                "\"one\\nGO ON\\n-----\\npawl resume other\\u202e\",\"confidence\":1}],\"urgency\":\"high\","
                "\"retry_token\":\"" TOKEN(
                        1) "\",\"input_hash\":\"" HASH_A
                           "\",\"conflict_type\":\"ambiguous\",\"severity\":\"high\"}");
        check_ok(h, history_commit(h), __FILE__, __LINE__);
        history_append(h, "SessionUpdated",
                "{\"files\":[\"\\nNOTES\\n-----\\n- forged\",\"\\u2028NEXT\"],\"summary\":"
                "\"\\r\\nNEXT\\n----\\n\\u001b]0;title\\u0007\\n  NEXT  \\n\\u202eabc\\ud83d\\ude00"
                "\\r\\n\"}");
        history_append(h, "SessionNoted",
                "{\"notes\":[{\"section\":\"NEXT\\nDONE\",\"text\":\"one\\nDONE\\n----\\n- two\"},"
                "{\"section\":\"\",\"text\":\"three\"},{\"odd\":true},7]}");
        document_is(h, NULL, 0, "hostile");
}

/* The tables may have been in anybody's hands. */
HISTORY_TEST(a_table_that_was_tampered_with_is_read_with_care)
{
        begin(h, "session-1", "[\"one\"]");
        history_sql(h, "UPDATE runs SET scope_refs = '[' || "
                       "substr(replace(hex(zeroblob(4000)), '00', ',0'), 2) || ']'");
        char *text = document(h, NULL, 0);
        assert_null(strstr(text, "glossary"));
}

/* ---- Into a file ----------------------------------------------------------------------------- */

static void assert_mode(const char *path, unsigned mode)
{
        struct stat st;

        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 07777, mode);
}

static void file_is_document(struct history *h, const char *path)
{
        size_t len;
        char *text = document(h, NULL, 0), *written = file_read(path, &len);

        assert_string_equal(written, text);
}

HISTORY_TEST(it_is_written_whole)
{
        char *path = path_in(h->directory, "h.md");

        block(h);
        umask(022);
        assert_ok(pawl_session_handoff_write(h->log, NULL, path, 0, &h->err));
        file_is_document(h, path);
        assert_mode(path, 0644);
        assert_int_equal(chmod(path, 0600), 0);
        file_write(path, "old", 3);
        assert_ok(pawl_session_handoff_write(h->log, NULL, path, 0, &h->err));
        file_is_document(h, path);
        assert_mode(path, 0600);
}

/* As `git config` does it: what the link leads to is replaced, also where it is not there yet. */
HISTORY_TEST(a_link_is_followed)
{
        char *sub = path_in(h->directory, "sub"), *target = path_in(h->directory, "sub/h.md"),
             *first = path_in(h->directory, "first"),
             *link_name = path_in(h->directory, "sub/second");
        struct stat st;

        block(h);
        assert_int_equal(mkdir(sub, 0700), 0);
        assert_int_equal(symlink("sub/second", first), 0);
        assert_int_equal(symlink("h.md", link_name), 0);
        for (int i = 0; i < 2; i++) {
                assert_ok(pawl_session_handoff_write(h->log, NULL, first, 0, &h->err));
                file_is_document(h, target);
                assert_int_equal(lstat(first, &st), 0);
                assert_true(S_ISLNK(st.st_mode));
                assert_int_equal(lstat(link_name, &st), 0);
                assert_true(S_ISLNK(st.st_mode));
        }
}

static void refused(struct history *h, const char *name, pawl_status status, const char *says)
{
        char *path = path_in(h->directory, name);

        assert_int_equal(pawl_session_handoff_write(h->log, NULL, path, 0, &h->err), status);
        assert_says(h->err.message, path);
        assert_says(h->err.message, says);
}

HISTORY_TEST(what_is_no_file_is_refused)
{
        needs_file();
        char *loop = path_in(h->directory, "loop"), *long_name = test_alloc(301);

        block(h);
        memset(long_name, 'x', 300);
        long_name[300] = '\0';
        assert_int_equal(symlink("loop", loop), 0);
        refused(h, ".", PAWL_EINVAL, "is not a regular file");
        refused(h, "none/h.md", PAWL_ENOTFOUND, "check the path");
        refused(h, "none/", PAWL_EINVAL, "names no file");
        refused(h, "events.db/h.md", PAWL_ENOTFOUND, "Not a directory");
        refused(h, "loop", PAWL_EINVAL, "fix the symbolic links");
        refused(h, long_name, PAWL_EINVAL, "use a shorter path");
        assert_int_equal(pawl_session_handoff_write(h->log, NULL, "", 0, &h->err), PAWL_EINVAL);
        assert_int_equal(
                pawl_session_handoff_write(h->log, "nobody", loop, 0, &h->err), PAWL_ENOTFOUND);
}

/* The file may not grow as long as the document: nothing of it is left, and the old one stands. */
HISTORY_TEST(a_full_disk_leaves_the_file_as_it_was)
{
        char *directory = path_in(h->directory, "sub"), *path = path_in(directory, "h.md");
        struct rlimit none = {100, RLIM_INFINITY}, before;
        size_t len, entries = 0;

        block(h);
        assert_int_equal(mkdir(directory, 0700), 0);
        file_write(path, "old", 3);
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
        void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
        pawl_status status = pawl_session_handoff_write(h->log, NULL, path, 0, &h->err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        signal(SIGXFSZ, handler);
        assert_int_equal(status, PAWL_EFULL);
        assert_says(h->err.message, "h.md: cannot write the handoff: File too large; ");
        char *text = file_read(path, &len);
        assert_string_equal(text, "old");
        DIR *dir = opendir(directory);
        assert_non_null(dir);
        while (readdir(dir))
                entries++;
        closedir(dir);
        assert_int_equal(entries, 3); /* ".", ".." and the file */
}

HISTORY_TEST(one_that_is_not_there_is_not_found)
{
        char *text = (char *)"untouched";
        size_t len = 7;

        assert_int_equal(
                pawl_session_handoff(&text, &len, h->log, NULL, 0, &h->err), PAWL_ENOTFOUND);
        assert_says(h->err.message, "no session yet");
        assert_int_equal(
                pawl_session_handoff(&text, &len, h->log, "x", 0, &h->err), PAWL_ENOTFOUND);
        assert_says(h->err.message, "session x: is not in this log");
        assert_string_equal(text, "untouched");
        assert_int_equal(len, 7);
}

HISTORY_TEST(one_as_data)
{
        pawl_session_details *details = NULL;
        char *json = NULL;
        size_t len = 0;

        assert_int_equal(pawl_session_find(&details, h->log, NULL, &h->err), PAWL_ENOTFOUND);
        assert_int_equal(
                pawl_session_handoff_json(&json, &len, h->log, NULL, &h->err), PAWL_ENOTFOUND);
        assert_null(details);
        assert_null(json);
        pawl_session_work work = {.current_step = "two", .summary = "halfway"};
        char id[PAWL_SESSION_ID_MAX];
        const char *const done[] = {"one"}, *const pending[] = {"three"};
        work.completed = done;
        work.n_completed = 1;
        work.pending = pending;
        work.n_pending = 1;
        uint64_t seq;
        assert_ok(pawl_session_start(id, h->log, "m", &work, NULL, &h->err));
        assert_ok(pawl_session_checkpoint(&seq, h->log, id, NULL, "manual", NULL, &h->err));
        for (int named = 0; named < 2; named++) {
                assert_ok(pawl_session_find(&details, h->log, named ? id : NULL, &h->err));
                assert_text(details->session.session_id, id);
                assert_text(details->session.summary, "halfway");
                assert_int_equal(details->n_steps, 3);
                assert_text(details->steps[0].step_id, "one");
                assert_text(details->steps[0].status, "completed");
                assert_text(details->steps[1].step_id, "two");
                assert_text(details->steps[1].status, "running");
                assert_text(details->steps[2].status, "pending");
                assert_int_equal(details->n_checkpoints, 1);
                assert_int_equal(details->checkpoints[0].seq, seq);
                assert_text(details->checkpoints[0].reason, "manual");
                assert_int_equal(details->n_captures, 0);
                assert_null(details->commit.data);
                pawl_session_details_free(details);
        }
        pawl_session_details_free(NULL);
        assert_ok(pawl_session_handoff_json(&json, &len, h->log, id, &h->err));
        assert_int_equal(strlen(json), len);
        check_says(json, "\"done\":[{\"step_id\":\"one\"", __FILE__, __LINE__);
        pawl_free(json);
        char *text = document(h, NULL, 0);
        assert_ok(pawl_handoff_parse(&json, &len, text, strlen(text), &h->err));
        assert_int_equal(strlen(json), len);
        check_says(json, id, __FILE__, __LINE__);
        check_says(json, "\"ticked\":", __FILE__, __LINE__);
        pawl_free(json);
        json = NULL;
        assert_int_equal(pawl_handoff_parse(&json, &len, "\xff", 1, &h->err), PAWL_EPARSE);
        assert_null(json);
}
