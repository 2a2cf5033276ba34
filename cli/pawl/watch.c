#include "cli/pawl/watch.h"
#include "base/error.h"
#include "base/sources.h"
#include "base/system.h"
#include "cli/pawl/commands.h"
#include "command/find.h"
#include "command/printable.h"
#include "events/log.h"
#include "mission/attempts.h"
#include "mission/runs.h"
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EVERY_MS = 250, AWAITED_MS = 10000, LAST_MS = 3000 };

/* One look at the run, as lines. */
typedef struct view {
        const cli_call *cli;
        pawl_log *log;
        pawl__run_view run;
        pawl__run_steps steps;
        pawl__arena arena;
        int64_t now_us;
        size_t columns, rows;
        size_t *widths; /* of the lines that are drawn, as they are */
        size_t drawn;
        char said[64]; /* elsewhere than on a terminal: what was said last */
} view;

static void pause_ms(long ms)
{
        nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static bool is(pawl_text status, const char *word)
{
        return pawl__text_is(status, word);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static const char *mark_of(pawl_text status)
{
        static const struct {
                const char *status, *mark;
        } marks[] = {{"completed", "\xe2\x9c\x93"}, {"running", "\xe2\x96\xb6"},
                {"failed", "\xe2\x9c\x97"}, {"blocked", "?"}, {"skipped", "-"}};

        for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
                if (is(status, marks[i].status))
                        return marks[i].mark;
        return "\xc2\xb7";
}

static void put_time(char out[32], int64_t us)
{
        const int64_t s = us > 0 ? us / 1000000 : 0;

        if (s < 60)
                snprintf(out, 32, "%" PRId64 " s", s);
        else if (s < 3600)
                snprintf(out, 32, "%" PRId64 " min %" PRId64 " s", s / 60, s % 60);
        else
                snprintf(out, 32, "%" PRId64 " h %" PRId64 " min", s / 3600, s / 60 % 60);
}

/* Half of the line at most, so that what becomes of it has room. */
static void put_name(FILE *out, const view *v, pawl_text name)
{
        cli_put_cut(out, name, v->columns / 2);
}

/* Of a step that is at work: since when, which attempt, and what it wrote last. */
static void tell_of_work(FILE *out, view *v, const pawl__row *step)
{
        const pawl_text run_id = v->run.row.v[PAWL__RUN_ID].text,
                        step_id = step->v[PAWL__STEP_ID].text;
        pawl__attempts attempts = {NULL, 0, 0};
        pawl_error err = PAWL_ERROR_INIT;
        pawl__buf text = PAWL__BUF_INIT;
        char took[32], retry[64] = "", last[200] = "";
        pawl__retry tries;
        pawl_event event;

        if (!pawl__log_event(&event, &v->arena, v->log,
                    (uint64_t)step->v[PAWL__STEP_CHECKPOINT_SEQ].integer)) {
                put_time(took, v->now_us - event.time_us);
                fprintf(out, "  %s", took);
        }
        if (!pawl__step_retry(&tries, v->log, &v->run, step_id, &err))
                pawl__retry_say(retry, &tries, v->now_us);
        if (*retry)
                fprintf(out, "  %s", retry);
        if (!pawl__attempts_read(&attempts, v->log, run_id, step_id, &v->arena, &err) &&
                attempts.n && !attempts.list[attempts.n - 1].seq &&
                !pawl__attempt_log(
                        &text, NULL, v->log, run_id, step_id, &attempts.list[attempts.n - 1], &err))
                pawl__last_line(last, sizeof last, pawl__buf_text(&text));
        if (*last)
                fprintf(out, "  | %s", last);
        pawl__buf_free(&text);
        free(attempts.list);
}

static void put_step(FILE *out, view *v, const pawl__row *step)
{
        const pawl_text status = pawl__row_step_status(step);

        fprintf(out, "%s ", mark_of(status));
        put_name(out, v, step->v[PAWL__STEP_ID].text);
        fprintf(out, "  %.*s", PAWL__FMT(status));
        if (is(status, "running") && v->run.held)
                tell_of_work(out, v, step);
        fputc('\n', out);
}

/* Is it one that must be seen? */
static bool stands_out(const pawl__row *step)
{
        const pawl_text status = step->v[PAWL__STEP_STATUS].text;

        return is(status, "running") || is(status, "blocked") || is(status, "failed");
}

/* Where the screen is too low, those that are completed at the beginning are counted, and of the
 * others those that neither run nor wait for somebody. */
static void put_steps(FILE *out, view *v)
{
        size_t lines = v->rows > 6 ? v->rows - 4 : 2, from = 0, shown = 0, others;

        while (v->steps.n - from > lines &&
                is(v->steps.rows[from].v[PAWL__STEP_STATUS].text, "completed"))
                from++;
        others = lines;
        for (size_t i = from; i < v->steps.n && others; i++)
                others -= stands_out(&v->steps.rows[i]);
        if (from)
                fprintf(out, "  %zu completed before\n", from);
        for (size_t i = from; i < v->steps.n && shown < lines; i++) {
                const bool first = stands_out(&v->steps.rows[i]);
                if (!first && !others)
                        continue;
                others -= !first;
                put_step(out, v, &v->steps.rows[i]);
                shown++;
        }
        if (shown < v->steps.n - from)
                fprintf(out, "  %zu more\n", v->steps.n - from - shown);
}

static void put_run(FILE *out, view *v)
{
        const pawl__value *row = v->run.row.v;
        char took[32];

        put_name(out, v, row[PAWL__RUN_MISSION].text);
        fprintf(out, "  %.*s  %" PRId64 "/%" PRId64, PAWL__FMT(v->run.status),
                row[PAWL__RUN_DONE].integer, row[PAWL__RUN_STEPS].integer);
        put_time(took,
                (v->run.held ? v->now_us : row[PAWL__RUN_UPDATED_US].integer) - v->run.started_us);
        fprintf(out, "  %s\n", took);
        put_steps(out, v);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static void measure(view *v)
{
        struct winsize size;
        const bool known =
                ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row;

        v->columns = known ? size.ws_col : 80;
        v->rows = known ? size.ws_row : 24;
}

/* The lines of the terminal that those take which are drawn: one each, until it became narrower. */
static size_t height(const view *v)
{
        size_t n = 0;

        for (size_t i = 0; i < v->drawn; i++)
                n += v->widths[i] > v->columns ? (v->widths[i] + v->columns - 1) / v->columns : 1;
        return n;
}

/* In place of the lines above. */
static pawl_status draw(view *v, pawl_error *err)
{
        char *text = NULL;
        size_t len = 0;
        FILE *out = open_memstream(&text, &len);

        if (!out)
                return pawl__nomem(err);
        put_run(out, v);
        fclose(out);
        const size_t above = height(v);
        size_t lines = 0;
        for (const char *at = text; at && *at; at++)
                lines += *at == '\n';
        size_t *widths = realloc(v->widths, (lines + 1) * sizeof *widths);
        if (!widths) {
                free(text);
                return pawl__nomem(err);
        }
        v->widths = widths;
        v->drawn = 0;
        if (above)
                printf("\033[%zuA\r", above);
        for (const char *line = text, *end; line && (end = strchr(line, '\n')); line = end + 1) {
                fputs("\033[K", stdout);
                widths[v->drawn++] = cli_put_cut(
                        stdout, (pawl_text){line, (size_t)(end - line)}, v->columns - 1);
                putchar('\n');
        }
        fputs("\033[J", stdout);
        fflush(stdout);
        free(text);
        return PAWL_OK;
}

/* Elsewhere: a line when the run or its step is another. */
static void say(view *v)
{
        const pawl__value *row = v->run.row.v;
        char line[sizeof v->said];

        snprintf(line, sizeof line, "%.16s %.*s %" PRId64, v->run.status.data,
                (int)(row[PAWL__RUN_CURRENT].text.len < 20 ? row[PAWL__RUN_CURRENT].text.len : 20),
                row[PAWL__RUN_CURRENT].text.data ? row[PAWL__RUN_CURRENT].text.data : "",
                row[PAWL__RUN_DONE].integer);
        if (strcmp(line, v->said) == 0)
                return;
        memcpy(v->said, line, sizeof line);
        printf("%.*s  %" PRId64 "/%" PRId64 "  ", PAWL__FMT(v->run.status),
                row[PAWL__RUN_DONE].integer, row[PAWL__RUN_STEPS].integer);
        cli_put(stdout, row[PAWL__RUN_CURRENT].text);
        putchar('\n');
        fflush(stdout);
}

static pawl_status look(view *v, const char *run_id, pawl_error *err)
{
        const pawl_sources sources = pawl__sources_complete(NULL);

        pawl__arena_free(&v->arena);
        v->arena = (pawl__arena)PAWL__ARENA_INIT;
        v->now_us = sources.wall_us(sources.user);
        return pawl__run_get(&v->run, &v->steps, v->log, pawl__text(run_id), &v->arena, err);
}

static bool goes_on(const view *v)
{
        return is(v->run.status, "running") || is(v->run.status, "queued");
}

pawl_status cli_watch(const cli_call *cli, pawl_log *log, const char *run_id, pawl_error *err)
{
        view v = {.cli = cli, .log = log};
        const bool terminal = cli_is_terminal(stdout);
        pawl_status status;

        for (int waited = 0;; waited += EVERY_MS) {
                status = look(&v, run_id, err);
                if (status == PAWL_ENOTFOUND && waited < AWAITED_MS) {
                        pause_ms(EVERY_MS);
                        continue;
                }
                if (status)
                        break;
                measure(&v);
                if (terminal)
                        status = draw(&v, err);
                else
                        say(&v);
                if (status || !goes_on(&v))
                        break;
                pause_ms(EVERY_MS);
        }
        pawl__arena_free(&v.arena);
        free(v.widths);
        return status;
}

/* ---- By a process of its own ----------------------------------------------------------------- */

/* The log is found as this process found it; a name that was given may have a password. */
static pawl_status start(cli_watcher *w, const cli_call *cli, const char *run_id, pawl_error *err)
{
        char *words[] = {"pawl", "runs", "--id", (char *)(uintptr_t)run_id, "--watch", NULL};
        const char *named = cli_named_log(cli);
        posix_spawnattr_t attributes;
        sigset_t blocked;

        if (named && setenv("PAWL_DB", named, 1))
                return pawl__nomem(err);
        if (posix_spawnattr_init(&attributes))
                return pawl__nomem(err);
        /* a Ctrl-C is for the run: the view shows what comes of it */
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
        /* and from behind it writes to the terminal whatever `stty tostop` says */
        pthread_sigmask(SIG_BLOCK, NULL, &blocked);
        sigaddset(&blocked, SIGTTOU);
        posix_spawnattr_setsigmask(&attributes, &blocked);
        const int error = posix_spawn(&w->pid, "/proc/self/exe", NULL, &attributes, words, environ);
        posix_spawnattr_destroy(&attributes);
        if (error)
                w->pid = 0;
        return error ? pawl__fail_errno(err, error, "the view", "start it") : PAWL_OK;
}

pawl_status cli_watcher_begin(
        cli_watcher *w, const cli_call *cli, const char *run_id, pawl_error *err)
{
        if (!isatty(STDOUT_FILENO))
                return PAWL_OK;
        const pawl_status status = start(w, cli, run_id, err);
        if (status)
                return status;
        fflush(stdout);
        const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        w->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        w->err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
        w->kept = open_memstream(&w->text, &w->len);
        if (null >= 0) {
                dup2(null, STDOUT_FILENO);
                dup2(null, STDERR_FILENO);
                close(null);
        }
        return PAWL_OK;
}

void cli_watcher_notice(const char *line, void *user)
{
        cli_watcher *w = user;

        if (!w->kept)
                return;
        cli_putf(w->kept, "pawl: %s\n", line);
}

static void put_back(int *from, int to)
{
        if (*from >= 0) {
                dup2(*from, to);
                close(*from);
        }
}

void cli_watcher_end(cli_watcher *w)
{
        int waited = 0;

        if (!w->pid)
                return;
        while (waitpid(w->pid, NULL, WNOHANG) == 0) {
                if (waited >= LAST_MS)
                        kill(w->pid, SIGKILL);
                pause_ms(10);
                waited += 10;
        }
        fflush(stdout);
        put_back(&w->out, STDOUT_FILENO);
        put_back(&w->err, STDERR_FILENO);
        if (w->kept && !fclose(w->kept))
                fputs(w->text, stderr);
        free(w->text);
        w->pid = 0;
}
