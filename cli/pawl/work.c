/*
 * pawl work: carry out the runs that are in line, some at once.
 *
 * A run is a process of its own, `pawl resume RUN --dir DIR/N`, which claims it: of several workers
 * that want a run one gets it, and whatever becomes of a process, its run's fence stays right. So
 * this one only chooses what to start.
 */
#include "base/error.h"
#include "cli/pawl/backoff.h"
#include "cli/pawl/commands.h"
#include "cli/pawl/signals.h"
#include "cli/pawl/slot.h"
#include "command/find.h"
#include "events/log.h"
#include "pipeline/question.h"
#include "session/session.h"
#include "state/state.h"
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum {
        SLOTS_MAX = 1024,
        LISTED = 64,  /* runs read at once */
        TICK_MS = 500 /* the log is looked at so often while nothing else happens */
};

typedef struct worker {
        const cli_call *cli;
        pawl_log *log;
        pawl__state *state;
        cli_slot *slots;
        size_t n_slots, n_busy;
        const char *more[10]; /* of each process's words */
        char lease[24];
        pawl__arena arena; /* of the rows */
        pawl__row *rows;   /* in line, when it was read last ... */
        size_t n_rows, at; /* ... and those that were passed */
        uint64_t head;     /* of the log, then */
        pawl__row *active; /* sessions, then */
        size_t n_active;
        pawl__question_clock asked;
        cli_backoffs backoffs;
        bool json, draining, failed;
        pawl_error err, told; /* the failure that was said last */
} worker;

/* ---- Which run ------------------------------------------------------------------------------ */

static bool is_ours(const worker *w, pawl_text run_id)
{
        for (size_t i = 0; i < w->n_slots; i++)
                if (w->slots[i].pid && pawl__text_is(run_id, w->slots[i].run_id))
                        return true;
        return false;
}

/* May the process of an active session have died? */
static bool any_may_be_dead(const worker *w)
{
        for (size_t i = 0; i < w->n_active; i++) {
                const pawl_text run_id = w->active[i].v[PAWL__SES_RUN].text;
                if (run_id.data && !is_ours(w, run_id) && !pawl__log_holder_seen(w->log, run_id))
                        return true;
        }
        return false;
}

static pawl_status read_active(worker *w)
{
        w->n_active = 0;
        return pawl__state_active_sessions(&w->active, &w->n_active, w->state, &w->arena, &w->err);
}

/* Sessions of processes that died are ended, and questions whose time is over answered, so that
 * their runs are in line. */
static pawl_status settle(worker *w)
{
        pawl_status status = read_active(w);

        if (!status && any_may_be_dead(w)) {
                status = pawl__sessions_settle(w->log, w->state, &w->err);
                if (!status)
                        status = read_active(w);
        }
        return status ? status : pawl__questions_settle(&w->asked, w->log, w->state, &w->err);
}

static pawl_status read_line(worker *w)
{
        pawl__arena_clear(&w->arena);
        w->rows = NULL;
        w->n_rows = w->at = 0;
        pawl_status status = settle(w);
        if (!status)
                status = pawl__state_in_line(&w->rows, &w->n_rows, w->state,
                        LISTED + w->backoffs.n + w->n_busy, &w->arena, &w->err);
        return status;
}

/* Is it still in line, and nobody at it? */
static pawl_status look(bool *ready, worker *w, pawl_text run_id)
{
        pawl__row now = {.v[PAWL__RUN_ID].text = run_id};
        pawl_owner owner = {0};
        bool held = false;

        *ready = false;
        if (is_ours(w, run_id) || !cli_backoff_passed(&w->backoffs, run_id, cli_now_ms()))
                return PAWL_OK;
        pawl_status status = pawl__state_get(w->state, PAWL__RUNS, &now, &w->arena, &w->err);
        const pawl_text as = now.v[PAWL__RUN_STATUS].text;
        if (status || pawl__text_is(as, "completed") || pawl__text_is(as, "failed") ||
                pawl__text_is(as, "running"))
                return status;
        status = pawl__log_holder(&held, &owner, w->log, run_id);
        if (status)
                return pawl__log_failed(w->log, status, &w->err);
        *ready = !held;
        return PAWL_OK;
}

/* The next one of the line. Where several workers read the same, each begins at a place of its
 * own. */
static pawl_status next(pawl_text *run_id, worker *w)
{
        pawl_status status = PAWL_OK;
        bool ready = false;

        *run_id = pawl__text(NULL);
        while (w->at < w->n_rows && !ready && !status) {
                const size_t left = w->n_rows - w->at;
                const size_t ahead = left < 4 ? left : 4;
                pawl__row *first = &w->rows[w->at++];
                pawl__row *chosen =
                        first + (w->n_active > w->n_busy ? (size_t)random() % ahead : 0);
                const pawl__row row = *chosen;
                *chosen = *first;
                status = look(&ready, w, row.v[PAWL__RUN_ID].text);
                if (ready)
                        *run_id = row.v[PAWL__RUN_ID].text;
        }
        return status;
}

/* ---- Slots ---------------------------------------------------------------------------------- */

static cli_slot *free_slot(worker *w)
{
        for (size_t i = 0; i < w->n_slots; i++)
                if (!w->slots[i].pid)
                        return &w->slots[i];
        return NULL;
}

/* Give each free slot a run, as long as there are some in line. */
static pawl_status fill_slots(worker *w)
{
        bool again = w->at > 0 || w->n_rows == 0;
        cli_slot *slot;

        while (!w->draining && (slot = free_slot(w))) {
                pawl_text run_id;
                char id[129];
                pawl_status status = next(&run_id, w);
                if (status)
                        return status;
                if (!run_id.data) {
                        if (!again)
                                return PAWL_OK;
                        again = false;
                        status = read_line(w);
                        if (status)
                                return status;
                        continue;
                }
                snprintf(id, sizeof id, "%.*s", PAWL__FMT(run_id));
                status = cli_slot_start(slot, id, w->more, &w->err);
                if (status)
                        return status;
                w->n_busy++;
                cli_slot_tell(w->cli->in->out, w->json, slot, "started", NULL);
        }
        return PAWL_OK;
}

static pawl_status put_off(worker *w, const cli_slot *slot, cli_backoff_why why)
{
        bool given_up;

        if (cli_backoff_put_off(
                    &given_up, &w->backoffs, slot->run_id, slot->since_ms, cli_now_ms(), why))
                return pawl__nomem(&w->err);
        w->failed = w->failed || (!w->draining && (given_up || why == CLI_BACKOFF_FAILED));
        return PAWL_OK;
}

/* What became of its run, which says whether it is to be taken again at once. */
static pawl_status run_ended(worker *w, cli_slot *slot, int code)
{
        pawl__row run = {.v[PAWL__RUN_ID].text = pawl__text(slot->run_id)};
        pawl__arena arena = PAWL__ARENA_INIT;
        char as[16];
        pawl_status status = pawl__state_get(w->state, PAWL__RUNS, &run, &arena, &w->err);

        w->n_busy--;
        snprintf(as, sizeof as, "%.*s",
                PAWL__FMT(status ? pawl__text("") : run.v[PAWL__RUN_STATUS].text));
        pawl__arena_free(&arena);
        if (status)
                return status;
        const char *said = strcmp(as, "running") == 0 ? "interrupted" : as;
        cli_slot_tell(w->cli->in->out, w->json, slot, "ended", code == CLI_BUSY ? "busy" : said);
        if (code == CLI_BUSY)
                return put_off(w, slot, CLI_BACKOFF_BUSY);
        if (strcmp(as, "completed") == 0 || strcmp(as, "failed") == 0 ||
                strcmp(as, "blocked") == 0 || strcmp(as, "cancelled") == 0) {
                cli_backoff_forget(&w->backoffs, slot->run_id);
                return PAWL_OK;
        }
        return put_off(w, slot, code > 128 ? CLI_BACKOFF_KILLED : CLI_BACKOFF_FAILED);
}

static pawl_status reap(worker *w, bool *any)
{
        pawl_status status = PAWL_OK;
        int code;

        for (size_t i = 0; i < w->n_slots && !status; i++)
                if (cli_slot_ended(&code, &w->slots[i])) {
                        *any = true;
                        status = run_ended(w, &w->slots[i], code);
                }
        return status;
}

static void send_all(const worker *w, int number)
{
        for (size_t i = 0; i < w->n_slots; i++)
                if (w->slots[i].pid)
                        kill(w->slots[i].pid, number);
}

/* ---- The loop ------------------------------------------------------------------------------- */

/* Until a process ends, a signal comes or it is time to look at the log again. */
static void await(const worker *w, struct pollfd *watch, int signal_fd)
{
        nfds_t n = 0;

        watch[n++] = (struct pollfd){signal_fd, POLLIN, 0};
        for (size_t i = 0; i < w->n_slots; i++)
                if (w->slots[i].pid && w->slots[i].watch >= 0)
                        watch[n++] = (struct pollfd){w->slots[i].watch, POLLIN, 0};
        (void)poll(watch, n, TICK_MS);
}

/* The number of a signal that came, or 0. */
static int signal_of(int fd)
{
        unsigned char byte;

        return read(fd, &byte, 1) == 1 ? byte : 0;
}

/* Has the log changed since, or may somebody have died, or is a run to be tried again? */
static pawl_status has_news(bool *news, worker *w)
{
        unsigned char hash[32];
        uint64_t head;
        const pawl_status status = pawl_log_head(&head, hash, w->log);
        if (status)
                return pawl__log_failed(w->log, status, &w->err);
        if (head != w->head) /* by our runs' processes among others */
                pawl__log_acknowledge(w->log);
        *news = head != w->head || pawl__questions_due(&w->asked, w->log) || any_may_be_dead(w) ||
                cli_backoff_any(&w->backoffs, cli_now_ms(), false);
        w->head = head;
        return PAWL_OK;
}

/* One round: what ended, what is new, what can be started. PAWL_DONE: there is nothing left. */
static pawl_status round_of(worker *w, bool first)
{
        bool news = first, ended = false;
        pawl_status status = reap(w, &ended);

        if (w->draining)
                return status || w->n_busy ? status : PAWL_DONE;
        /* Asked before the line is read: who is due by now is found there, or is another's. */
        const bool again = cli_backoff_any(&w->backoffs, cli_now_ms(), true);
        if (!status && !ended && !news)
                status = has_news(&news, w);
        if (!status && news)
                w->n_rows = w->at = 0; /* what was read is old */
        if (!status && (ended || news))
                status = fill_slots(w);
        const bool waits = w->n_busy || w->at < w->n_rows || again;
        return !status && w->backoffs.once && !waits ? PAWL_DONE : status;
}

/* A log that is locked, full or out of reach now may not be so later. What fails is said once. */
static pawl_status bear(worker *w, pawl_status status)
{
        const bool passes = status == PAWL_EBUSY || status == PAWL_EFULL || status == PAWL_EIO;

        if (status == PAWL_EINTERRUPTED) /* by a signal, which is read next */
                return PAWL_OK;
        if (!passes || w->backoffs.once)
                return status;
        w->head = UINT64_MAX; /* what is there is to be read again */
        if (strcmp(w->told.message, w->err.message) != 0)
                cli_notice(w->cli, w->err.message);
        w->told = w->err;
        return PAWL_OK;
}

static int work(worker *w, int signal_fd)
{
        struct pollfd *watch = calloc(w->n_slots + 1, sizeof *watch);
        pawl_status status = watch ? PAWL_OK : pawl__nomem(&w->err);
        bool first = true;
        int number = 0;

        while (!status) {
                status = bear(w, round_of(w, first));
                first = false;
                if (status)
                        break;
                await(w, watch, signal_fd);
                while ((number = signal_of(signal_fd)) && !w->draining) {
                        w->draining = true;
                        send_all(w, SIGTERM);
                }
                if (number) { /* the second: whoever is left is killed */
                        send_all(w, SIGKILL);
                        break;
                }
        }
        free(watch);
        if (number)
                return 128 + number;
        if (status != PAWL_DONE) {
                send_all(w, SIGTERM);
                return cli_fail(w->cli, &w->err);
        }
        return w->backoffs.once && w->failed ? CLI_FAILED : CLI_DONE;
}

/* ---- The command ---------------------------------------------------------------------------- */

/* What every process is told. The log is named by the environment: what names it may hold a
 * password, and the words of a process can be read by everybody. */
static pawl_status set_words(worker *w)
{
        const cli_call *cli = w->cli;
        const char *named = cli_named_log(cli);
        size_t n = 0;

        if (setenv("PAWL_DB", named ? named : pawl__log_path(w->log), 1))
                return pawl__nomem(&w->err);
        snprintf(w->lease, sizeof w->lease, "%" PRIu64, cli_number(cli, "lease", 30));
        w->more[n++] = "--lease";
        w->more[n++] = w->lease;
        if (cli_given(cli, "actor")) {
                w->more[n++] = "--actor";
                w->more[n++] = cli_value(cli, "actor");
        }
        if (cli_given(cli, "key-file")) {
                w->more[n++] = "--key-file";
                w->more[n++] = cli_value(cli, "key-file");
        }
        w->more[n] = NULL;
        return PAWL_OK;
}

static pawl_status take_slots(worker *w)
{
        const size_t n = (size_t)cli_number(w->cli, "slots", 1);
        char directory[PATH_MAX];
        unsigned number = 0;
        pawl_status status = cli_slots_directory(directory, w->cli, w->log, &w->err);

        if (!status && !(w->slots = calloc(n, sizeof *w->slots)))
                status = pawl__nomem(&w->err);
        while (!status && w->n_slots < n) {
                status = cli_slot_take(&w->slots[w->n_slots], &number, directory, &w->err);
                w->n_slots += !status;
        }
        return status;
}

static int work_run(cli_call *cli)
{
        worker w = {.cli = cli,
                .backoffs.once = cli_given(cli, "once"),
                .json = cli_given(cli, "json")};
        unsigned seed = (unsigned)getpid(); /* which two machines' workers can share */
        int signal_fd, code;

        (void)!getrandom(&seed, sizeof seed, GRND_NONBLOCK);
        if (cli_number(cli, "slots", 1) > SLOTS_MAX)
                return cli_usage(cli, "--slots: %d at most", SLOTS_MAX);
        if (cli_open_log(&w.log, cli, CLI_WRITE, &w.err))
                return cli_fail(cli, &w.err);
        srandom(seed);
        if (pawl__state_of(&w.state, w.log, &w.err) || set_words(&w) || take_slots(&w) ||
                cli_signals_catch(&signal_fd, &w.err)) {
                code = cli_fail(cli, &w.err);
        } else {
                pawl__log_watch_signals(w.log, signal_fd);
                code = work(&w, signal_fd);
        }
        for (size_t i = 0; i < w.n_slots; i++)
                cli_slot_drop(&w.slots[i]);
        free(w.slots);
        free(w.backoffs.items);
        pawl__arena_free(&w.arena);
        cli_close_log(cli, w.log);
        return code;
}

static const cli_option work_options[] = {
        {"slots", 0, 0, CLI_NUMBER, "N", NULL, "so many runs at once (default: 1)"},
        {"dir", 0, 0, CLI_FILE, "DIR", NULL,
                "where the runs' files are set up, in a directory a slot (default: `work` beside "
                "the log)"},
        {"lease", 0, 0, CLI_NUMBER, "SECONDS", NULL,
                "after which another machine takes a run whose worker is silent (default: 30)"},
        {"once", 0, 0, CLI_FLAG, NULL, NULL, "work until nothing is in line, then end"},
        {"actor", 0, 0, CLI_TEXT, "ACTOR", NULL, "who carries them out (default: user:NAME)"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print an object a line: what starts and ends"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd pawl_work_cmd = {
        .name = "work",
        .traits = CLI_CHANGES | CLI_LINES,
        .options = work_options,
        .help = "Carry out the runs that are in line, each in a directory of its own",
        .run = work_run,
};
