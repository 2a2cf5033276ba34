#include "cli/pawl/prompt.h"
#include "base/number.h"
#include "cli/pawl/agree.h"
#include "command/command.h"
#include "command/printable.h"
#include "events/log.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum { BAD_ANSWERS = 3, LONGEST_ANSWER = 65536 };

/* Wait for the person, who may take longer than a lease lasts. PAWL_EINTERRUPTED leaves the
 * signal's byte for the runner to read. Of renewals only a newer claim counts: a log that cannot be
 * written just now may be by the next one. */
static pawl_status wait_for_input(const cli_prompt *prompt)
{
        struct pollfd fds[] = {
                {.fd = STDIN_FILENO, .events = POLLIN},
                {.fd = prompt->signal_fd, .events = POLLIN},
        };
        const int third_ms = (int)(pawl__log_lease_ms(prompt->log) / 3); /* fits: a third of it */
        int n;

        while ((n = poll(fds, 2, third_ms ? third_ms : 1)) <= 0) {
                if (n < 0 && errno != EINTR)
                        return PAWL_EIO;
                if (n == 0 && pawl_log_renew_all(prompt->log) == PAWL_EFENCED)
                        return PAWL_EFENCED;
        }
        return fds[1].revents ? PAWL_EINTERRUPTED : PAWL_OK;
}

static void forget_line(cli_prompt *prompt)
{
        prompt->input.len -= prompt->used;
        if (prompt->used)
                memmove(prompt->input.data, prompt->input.data + prompt->used, prompt->input.len);
        prompt->used = 0;
}

/* There will be no answer: what is said next begins a line of its own. */
static pawl_status leave_line(pawl_status status)
{
        fputc('\n', stderr);
        return status;
}

/* The next line, trimmed, until the next call. PAWL_DONE: the input has ended. */
static pawl_status read_line(pawl_text *out, cli_prompt *prompt)
{
        const char *end;
        char chunk[4096];

        forget_line(prompt);
        fflush(stderr);
        while (prompt->input.len == 0 ||
                !(end = memchr(prompt->input.data, '\n', prompt->input.len))) {
                pawl_status status = wait_for_input(prompt);
                if (status)
                        return leave_line(status);
                ssize_t n = read(STDIN_FILENO, chunk, sizeof chunk);
                if (n < 0 && (errno == EINTR || errno == EAGAIN))
                        continue;
                if (n <= 0 || prompt->input.len + (size_t)n > LONGEST_ANSWER)
                        return leave_line(PAWL_DONE);
                if (pawl__buf_add(&prompt->input, chunk, (size_t)n))
                        return PAWL_ENOMEM;
        }
        prompt->used = (size_t)(end - prompt->input.data) + 1;
        *out = pawl__text_n(prompt->input.data, prompt->used - 1);
        while (out->len && strchr(" \t", out->data[0]))
                *out = pawl__text_n(out->data + 1, out->len - 1);
        while (out->len && strchr(" \t\r", out->data[out->len - 1]))
                out->len--;
        return PAWL_OK;
}

static void show_conflict(const pawl_conflict *conflict)
{
        char number[32];

        fputs("\n\"", stderr);
        cli_put(stderr, conflict->term);
        fputs("\" is ", stderr);
        cli_put(stderr, conflict->conflict_type);
        fputs(" (", stderr);
        cli_put(stderr, conflict->severity);
        fputs(")\n", stderr);
        if (conflict->context.len) {
                fputs("  in: ", stderr);
                cli_put(stderr, conflict->context);
                fputc('\n', stderr);
        }
        for (size_t i = 0; i < conflict->n_candidates; i++) {
                const pawl_sense *sense = &conflict->candidates[i];
                fprintf(stderr, "  %zu  ", i + 1);
                cli_put(stderr, sense->scope);
                int len = (int)pawl__number_format(number, sense->confidence);
                fprintf(stderr, "  %.*s  ", len, number);
                cli_put(stderr, sense->definition);
                fputc('\n', stderr);
        }
}

/* A number of a candidate, in digits alone? */
static bool picked(pawl_answer *answer, pawl_text line, size_t n_candidates)
{
        char digits[24];
        uint64_t n;

        if (line.len == 0 || line.len >= sizeof digits)
                return false;
        memcpy(digits, line.data, line.len);
        digits[line.len] = '\0';
        if (strlen(digits) != line.len || !cli_parse_number(&n, digits) || n < 1 ||
                n > n_candidates)
                return false;
        answer->pick = (size_t)n;
        return true;
}

static pawl_status define(bool *good, pawl_answer *answer, pawl_text text, cli_prompt *prompt)
{
        bool ok = true;

        *good = text.len > 0 && pawl__utf8_valid(text.data, text.len);
        if (!*good)
                return PAWL_OK;
        pawl_text kept = pawl__arena_text(&prompt->arena, text, &ok);
        if (!ok)
                return PAWL_ENOMEM;
        answer->define = kept;
        return PAWL_OK;
}

/* One question and its answer. *good: it was one; PAWL_DONE: deferred. */
static pawl_status ask(
        bool *good, pawl_answer *answer, const pawl_conflict *conflict, cli_prompt *prompt)
{
        pawl_text line;

        fputs(conflict->n_candidates ? "a number, c and a definition, or d to decide later [d]: "
                                     : "c and a definition, or d to decide later [d]: ",
                stderr);
        pawl_status status = read_line(&line, prompt);
        if (status)
                return status;
        if (line.len == 0 || pawl__text_is(line, "d"))
                return PAWL_DONE;
        *good = picked(answer, line, conflict->n_candidates);
        if (*good || line.data[0] != 'c')
                return PAWL_OK;
        if (line.len == 1) {
                fputs("definition: ", stderr);
                status = read_line(&line, prompt);
                return status ? status : define(good, answer, line, prompt);
        }
        if (line.data[1] != ' ' && line.data[1] != '\t')
                return PAWL_OK;
        for (line = pawl__text_n(line.data + 1, line.len - 1);
                line.data[0] == ' ' || line.data[0] == '\t';)
                line = pawl__text_n(line.data + 1, line.len - 1);
        return define(good, answer, line, prompt);
}

pawl_status cli_prompt_clarify(pawl_answer *answer, const pawl_conflict *conflict, void *user)
{
        cli_prompt *prompt = user;
        pawl_status status = PAWL_OK;
        bool good = false;

        show_conflict(conflict);
        for (int bad = 0; !status && !good && bad < BAD_ANSWERS; bad++) {
                status = ask(&good, answer, conflict, prompt);
                if (!status && !good)
                        fputs("that is not one of the answers\n", stderr);
        }
        if (status == PAWL_DONE || (!status && !good)) {
                fputs("deferred\n", stderr);
                return PAWL_OK;
        }
        return status;
}

static void show_diff(const char *diff)
{
        if (!*diff)
                fputs("  (the inputs were not kept, only their hashes)\n", stderr);
        while (*diff) {
                size_t len = strcspn(diff, "\n");
                fputs("  ", stderr);
                cli_put(stderr, pawl__text_n(diff, len));
                fputc('\n', stderr);
                diff += len + (diff[len] == '\n');
        }
}

/* "QUESTION [y/N]: " */
static pawl_status ask_yes(bool *yes, cli_prompt *prompt, const char *question)
{
        pawl_text line = {"", 0};

        fprintf(stderr, "%s [y/N]: ", question);
        pawl_status status = read_line(&line, prompt);
        *yes = !status && cli_is_yes(line.data, line.len);
        return status == PAWL_DONE ? PAWL_OK : status;
}

pawl_status cli_prompt_mission(bool *yes, const pawl_mission_change *changes, size_t n, void *user)
{
        cli_prompt *prompt = user;

        /* The failure's line names the first of them. */
        if (!prompt->asks && n == 1)
                return PAWL_OK;
        fputs("the mission changed since the run began:\n", stderr);
        for (size_t i = 0; i < n; i++) {
                fputs("  step ", stderr);
                cli_puts(stderr, changes[i].step_id);
                fprintf(stderr, ": %s\n", changes[i].change);
        }
        if (!prompt->asks)
                return PAWL_OK;
        return ask_yes(yes, prompt, "go on with the changed mission, and keep what is completed?");
}

pawl_status cli_prompt_confirm(bool *yes, const pawl_input_change *change, void *user)
{
        cli_prompt *prompt = user;
        const char *second = strchr(change->diff, '\n');

        /* The failure's line names the first of the changed members. */
        if (!prompt->asks && (!second || !second[1]))
                return PAWL_OK;
        fputs("the inputs changed since the checkpoint:\n", stderr);
        show_diff(change->diff);
        fprintf(stderr, "  checkpoint %.16s, now %.16s\n", change->checkpoint_hash,
                change->current_hash);
        if (!prompt->asks)
                return PAWL_OK;
        return ask_yes(yes, prompt, "start the step again with the changed inputs?");
}

pawl_trouble_answer cli_prompt_trouble(const char *line, void *user)
{
        static const struct {
                const char *words[2];
                pawl_trouble_answer answer;
        } known[] = {{{"r", "retry"}, PAWL_TROUBLE_RETRY}, {{"s", "skip"}, PAWL_TROUBLE_SKIP},
                {{"stop", "q"}, PAWL_TROUBLE_STOP}};
        cli_prompt *prompt = user;
        pawl_text said;

        fputs("no checkpoint of the workspace was taken: ", stderr);
        cli_puts(stderr, line);
        fputs("\nretry, skip it, or stop the run? [skip]: ", stderr);
        if (read_line(&said, prompt))
                return PAWL_TROUBLE_SKIP;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
                if (pawl__text_is(said, known[i].words[0]) ||
                        pawl__text_is(said, known[i].words[1]))
                        return known[i].answer;
        return PAWL_TROUBLE_SKIP;
}

void cli_prompt_free(cli_prompt *prompt)
{
        pawl__buf_free(&prompt->input);
        pawl__arena_free(&prompt->arena);
}
