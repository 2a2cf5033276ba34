/*
 * What is done to a log besides appending and running, on a disk that fails at each operation in
 * turn, once or from then on: resuming, answering, claims, a migration, a rebuild. Whatever failed,
 * the log ends where a transaction could, its tables are what its events say, no command ran that
 * the log does not know of; and with the disk mended the same is done.
 */
#include "events/sqlite/sqlite.h"
#include "state/state.h"
#include "support/stories.h"
#include "support/vfs.h"
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { ENDS = 64 };

/* An end of the log, which a commit may bring about. */
struct end {
        uint64_t seq;
        unsigned char hash[32];
};

/* What the process tells that did it. */
struct told {
        int count; /* operations, those that failed among them */
        pawl_status status, again;
        pawl_error err;
        uint64_t left; /* where the log ended when it had failed; 0: it was not looked at */
        size_t n_ends;
        struct end ends[ENDS]; /* the first: where the log ended before */
};

struct disk {
        struct stories s;
        struct mission_fixture *f; /* that of s */
        struct told *told;         /* shared */
        uint64_t fence;
};

typedef struct action {
        const char *name;
        enum story story;
        bool one; /* transaction: when it failed, nothing of it is there */
        const pawl__schema *schema;
        pawl_status (*before)(struct disk *d, pawl_log *log); /* on a sound disk; NULL: nothing */
        pawl_status (*act)(struct disk *d, pawl_log *log, pawl_error *err);
} action;

/* ---- Actions -------------------------------------------------------------------------------- */

static pawl_status said(pawl_log *log, pawl_status status, pawl_error *err)
{
        if (status)
                *err = *pawl__log_error(log);
        return status;
}

static pawl_status resume(struct disk *d, pawl_log *log, pawl_error *err)
{
        pawl_run_result *result = NULL;
        pawl_status status = pawl_mission_resume(&result, log, d->s.token, &d->f->options, err);

        pawl_run_result_free(result);
        return status;
}

static pawl_status resolve(struct disk *d, pawl_log *log, pawl_error *err)
{
        const pawl_answer answer = {.define = pawl__text("Where refunds land.")};

        return pawl_conflict_resolve(log, d->s.conflict, &answer, "user:ana", err);
}

static pawl_status take(struct disk *d, pawl_log *log)
{
        return pawl_log_claim(&d->fence, log, "refunds", "run-9", "user:ana", NULL);
}

static pawl_status claim(struct disk *d, pawl_log *log, pawl_error *err)
{
        return said(log, take(d, log), err);
}

/* A lease that is renewed within the millisecond is as it was, and nothing is written. */
static pawl_status take_and_wait(struct disk *d, pawl_log *log)
{
        pawl_status status = take(d, log);

        nanosleep(&(struct timespec){0, 2000000}, NULL);
        return status;
}

static pawl_status renew(struct disk *d, pawl_log *log, pawl_error *err)
{
        return said(log, pawl_log_renew(log, "run-9", d->fence), err);
}

static pawl_status release(struct disk *d, pawl_log *log, pawl_error *err)
{
        return said(log, pawl_log_release(log, "run-9", d->fence), err);
}

static pawl_status rebuild(struct disk *d, pawl_log *log, pawl_error *err)
{
        (void)d;
        return pawl__state_rebuild(log, err);
}

/* Opening did it. */
static pawl_status nothing(struct disk *d, pawl_log *log, pawl_error *err)
{
        (void)d, (void)log, (void)err;
        return PAWL_OK;
}

/* ---- The fixture ---------------------------------------------------------------------------- */

static int setup(void **state)
{
        struct disk *d = test_alloc(sizeof *d);

        fault_reset();
        stories_setup(&d->s);
        d->f = d->s.f;
        d->told = mmap(
                NULL, sizeof *d->told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert_true(d->told != MAP_FAILED);
        *state = d;
        return 0;
}

static int teardown(void **state)
{
        struct disk *d = *state;

        fault_reset();
        munmap(d->told, sizeof *d->told);
        stories_teardown(&d->s);
        return 0;
}

#define TEST(name) UNIT_TEST_OF(name, setup, teardown, NULL)

/* ---- Doing it on a disk that fails ---------------------------------------------------------- */

static pawl_log *doing_log;
static struct told *doing;

static int before_commit(void *user)
{
        struct end *end = &doing->ends[doing->n_ends];

        (void)user;
        if (doing_log->writing && doing->n_ends < ENDS) {
                end->seq = doing_log->head_seq;
                memcpy(end->hash, doing_log->head_hash, 32);
                doing->n_ends++;
        }
        return 0;
}

static pawl_status open_on(
        struct disk *d, pawl_log **out, const char *vfs, const action *a, pawl_error *err)
{
        const pawl__log_setup log_setup = {.vfs = vfs, .schema = a->schema};

        return pawl__log_open_as(out, d->f->db, NULL, &log_setup, err);
}

/* In a process of its own: n 0 is a sound disk. */
static void do_it(struct disk *d, const action *a, fault_kind kind, int n, bool stays)
{
        struct told *told = d->told;
        pawl_log *log = NULL;

        if (a->before) {
                if (open_on(d, &log, FAULT_VFS, a, &told->err) || a->before(d, log))
                        _exit(1);
                if (pawl_log_head(&told->ends[0].seq, told->ends[0].hash, log))
                        _exit(1);
        }
        if (n)
                fault_at(kind, n, stays);
        if (!log)
                told->status = open_on(d, &log, FAULT_VFS, a, &told->err);
        if (log) {
                doing = told;
                doing_log = log;
                sqlite3_commit_hook(pawl__log_db(log), before_commit, NULL);
        }
        if (!told->status)
                told->status = a->act(d, log, &told->err);
        told->count = fault_count();
        told->again = told->status;
        if (log && told->status && !stays) { /* the same handle goes on */
                pawl_error err = PAWL_ERROR_INIT;
                unsigned char hash[32];
                fault_reset();
                if (pawl_log_head(&told->left, hash, log))
                        _exit(1);
                told->again = a->act(d, log, &err);
                if (told->again)
                        told->err = err;
        }
        pawl_log_close(log);
        _exit(0);
}

static void in_a_process(struct disk *d, const action *a, fault_kind kind, int n, bool stays)
{
        pawl_log *log = NULL;

        stories_put_back(&d->s, a->story);
        memset(d->told, 0, sizeof *d->told);
        d->told->err = (pawl_error)PAWL_ERROR_INIT;
        assert_ok(pawl_log_open(&log, d->f->db, NULL, &d->f->err));
        assert_ok(pawl_log_head(&d->told->ends[0].seq, d->told->ends[0].hash, log));
        d->told->n_ends = 1;
        pawl_log_close(log);
        pid_t pid = process_fork();
        if (pid == 0)
                do_it(d, a, kind, n, stays);
        child_exits(pid, 0);
}

/* ---- What it left --------------------------------------------------------------------------- */

static size_t end_of(const struct told *told, uint64_t seq, const unsigned char hash[32])
{
        size_t i = told->n_ends;

        while (i-- > 0)
                if (told->ends[i].seq == seq && memcmp(told->ends[i].hash, hash, 32) == 0)
                        return i;
        fail_msg("the log ends at %d, where no transaction could", (int)seq);
        return 0;
}

static void check_log(struct disk *d, const action *a, bool stays)
{
        const struct told *told = d->told;
        pawl_log *log = d->f->log;
        pawl_verify_result verified;
        pawl__state *state;
        unsigned char hash[32];
        uint64_t seq;

        assert_ok(pawl_log_head(&seq, hash, log));
        size_t at = end_of(told, seq, hash);
        if (!told->status)
                assert_int_equal(at, told->n_ends - 1);
        /* What a disk that fails for good was given with a failing sync, it may keep. */
        if (a->one && told->status && !stays)
                assert_int_equal(told->left ? told->left : seq, told->ends[0].seq);
        assert_ok(pawl_log_verify(&verified, log, 0, NULL));
        if (pawl__state_of(&state, log, &d->f->err) || pawl__replay_check(log, &d->f->err))
                fail_msg("%s", d->f->err.message);
        stories_check_gate(&d->s);
}

/* As the next process does it, on a sound disk. */
static void do_it_now(struct disk *d, const action *a)
{
        pawl_status status = a->before ? a->before(d, d->f->log) : PAWL_OK;

        if (!status)
                status = a->act(d, d->f->log, &d->f->err);
        if (status && !(status == PAWL_EEXISTS && d->told->n_ends > 1)) /* it was there after all */
                fail_msg("on a sound disk: %s", d->f->err.message);
}

static void check_message(const struct told *told, int n)
{
        const char *mend = told->status == PAWL_EFULL ? "free some space" : "check the disk";

        if (told->status != PAWL_EIO && told->status != PAWL_EFULL)
                fail_msg("operation %d: %d %s", n, (int)told->status, told->err.message);
        if (told->again == told->status)
                assert_says(told->err.message, mend);
        else if (told->again)
                fail_msg("operation %d, again: %s", n, told->err.message);
}

static void fail_each(struct disk *d, const action *a)
{
        static const struct {
                fault_kind kind;
                bool stays;
        } faults[] = {
                {FAULT_EIO, false}, {FAULT_EIO, true}, {FAULT_FULL, true}, {FAULT_SHORT, false}};
        struct told *told = d->told;
        int tried = 0, failures = 0, full = 0;

        in_a_process(d, a, FAULT_NONE, 0, false);
        assert_ok(told->status);
        const int step = test_full() || told->count < 25 ? 1 : 3;
        for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++) {
                int n = 1 - step;
                do {
                        n += step;
                        tried++;
                        in_a_process(d, a, faults[k].kind, n, faults[k].stays);
                        failures += told->status != PAWL_OK;
                        full += told->status == PAWL_EFULL;
                        if (told->status)
                                check_message(told, n);
                        assert_ok(open_on(d, &d->f->log, NULL, a, &d->f->err));
                        check_log(d, a, faults[k].stays);
                        if (told->again)
                                do_it_now(d, a);
                        stories_check_gate(&d->s);
                        if (pawl__replay_check(d->f->log, &d->f->err))
                                fail_msg("%s", d->f->err.message);
                        pawl_log_close(d->f->log);
                        d->f->log = NULL;
                } while (told->count >= n);
        }
        print_message("disk: %s: %d operations, %d failures in %d, %d for want of room\n", a->name,
                told->count, failures, tried, full);
        assert_true(failures > 3 && full > 0);
}

/* ---- What is done --------------------------------------------------------------------------- */

TEST(a_resume_from_a_token)
{
        fail_each(*state, &(action){.name = "resume", .story = STORY_ANSWERED, .act = resume});
}

TEST(an_answer)
{
        fail_each(*state, &(action){.name = "resolve", .one = true, .act = resolve});
}

TEST(a_claim)
{
        fail_each(*state, &(action){.name = "claim", .one = true, .act = claim});
}

TEST(a_renewal)
{
        fail_each(*state,
                &(action){.name = "renew", .one = true, .before = take_and_wait, .act = renew});
}

TEST(a_release)
{
        fail_each(
                *state, &(action){.name = "release", .one = true, .before = take, .act = release});
}

TEST(a_rebuild)
{
        fail_each(*state, &(action){.name = "rebuild", .one = true, .act = rebuild});
}

TEST(a_migration)
{
        const int old = pawl__schema_current.version;
        const pawl__migration steps[] = {
                {old, "CREATE TABLE more (n INTEGER); INSERT INTO more VALUES (0)", NULL, false},
                {old + 1, "UPDATE more SET n = n + 1", NULL, true},
        };
        const pawl__schema schema = {old + 2, pawl__schema_current.sql, steps, 2};

        fail_each(*state, &(action){.name = "migrate",
                                  .story = STORY_ANSWERED,
                                  .one = true,
                                  .schema = &schema,
                                  .act = nothing});
}

int main(void)
{
        return test_run_in_memory(NULL, NULL);
}
