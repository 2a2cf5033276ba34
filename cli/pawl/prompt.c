#include "cli/pawl/prompt.h"
#include "base/number.h"
#include "cli/pawl/agree.h"
#include "command/command.h"
#include "command/printable.h"
#include "events/log.h"
#include "pipeline/question.h"
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

        cli_putf(stderr, "\n\"%.*s\" is %.*s (%.*s)\n", CLI_FMT(conflict->term),
                CLI_FMT(conflict->conflict_type), CLI_FMT(conflict->severity));
        if (conflict->context.len)
                cli_putf(stderr, "  in: %.*s\n", CLI_FMT(conflict->context));
        for (size_t i = 0; i < conflict->n_candidates; i++) {
                const pawl_sense *sense = &conflict->candidates[i];
                cli_putf(stderr, "  %zu  %.*s", i + 1, CLI_FMT(sense->scope));
                int len = (int)pawl__number_format(number, sense->confidence);
                cli_putf(stderr, "  %.*s  %.*s\n", len, number, CLI_FMT(sense->definition));
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

/* "QUESTION [y/N]: " */
static pawl_status ask_yes(bool *yes, cli_prompt *prompt, const char *question)
{
        pawl_text line = {"", 0};

        fprintf(stderr, "%s [y/N]: ", question);
        pawl_status status = read_line(&line, prompt);
        *yes = !status && cli_is_yes(line.data, line.len);
        return status == PAWL_DONE ? PAWL_OK : status;
}

static pawl_text trim_left(pawl_text text)
{
        while (text.len && strchr(" \t", text.data[0]))
                text = pawl__text_n(text.data + 1, text.len - 1);
        return text;
}

/* What was typed counts once it was shown with where it goes, and agreed to. *good: it does, or it
 * was taken back and the question is asked again. */
static pawl_status define(
        bool *good, pawl_answer *answer, pawl_text term, pawl_text text, cli_prompt *prompt)
{
        bool yes = false;

        *good = text.len > 0 && pawl__utf8_valid(text.data, text.len);
        if (!*good)
                return PAWL_OK;
        const pawl_text kept = pawl__arena_copy(&prompt->arena, text);
        if (prompt->arena.failed)
                return PAWL_ENOMEM;
        cli_putf(stderr, "  team_domain  \"%.*s\": %.*s\n", CLI_FMT(term), CLI_FMT(kept));
        const pawl_status status = ask_yes(&yes, prompt, "is that what it means?");
        if (!status && yes)
                answer->define = kept;
        return status;
}

/* The definition that is behind a c, or on the next line. */
static pawl_status read_definition(pawl_text *out, pawl_text rest, cli_prompt *prompt)
{
        *out = trim_left(rest);
        if (out->len)
                return PAWL_OK;
        fputs("definition: ", stderr);
        return read_line(out, prompt);
}

/* A letter alone, or with something behind it? */
static bool begins_with(pawl_text line, char letter)
{
        return line.len > 0 && line.data[0] == letter &&
               (line.len == 1 || line.data[1] == ' ' || line.data[1] == '\t');
}

/* One question and its answer. *good: it was one, which may be to ask again; PAWL_DONE: deferred.
 */
static pawl_status ask(
        bool *good, pawl_answer *answer, const pawl_conflict *conflict, cli_prompt *prompt)
{
        pawl_text line;

        fprintf(stderr, "%sc and a definition, n if it is no term, or d to decide later [d]: ",
                conflict->n_candidates ? "a number, " : "");
        pawl_status status = read_line(&line, prompt);
        if (status)
                return status;
        if (line.len == 0 || pawl__text_is(line, "d"))
                return PAWL_DONE;
        answer->dismiss = pawl__text_is(line, "n");
        *good = answer->dismiss || picked(answer, line, conflict->n_candidates);
        if (*good || !begins_with(line, 'c'))
                return PAWL_OK;
        status = read_definition(&line, pawl__text_n(line.data + 1, line.len - 1), prompt);
        return status ? status : define(good, answer, conflict->term, line, prompt);
}

/* ---- What a step asks people ----------------------------------------------------------------- */

static void show_question(const pawl_conflict *conflict)
{
        cli_putf(stderr, "\n%.*s\n", CLI_FMT(conflict->term));
        for (size_t i = 0; i < conflict->n_candidates; i++)
                cli_putf(stderr, "  %zu  %.*s\n", i + 1,
                        CLI_FMT(conflict->candidates[i].definition));
}

/* The word of an option goes before the number of another. PAWL_DONE: deferred. */
static pawl_status ask_question(
        bool *good, pawl_answer *answer, const pawl_conflict *conflict, cli_prompt *prompt)
{
        pawl_text line;

        fputs(conflict->n_candidates ? "one of these, or its number, or an empty line to decide "
                                       "later: "
                                     : "the answer, or an empty line to decide later: ",
                stderr);
        const pawl_status status = read_line(&line, prompt);
        if (status || line.len == 0)
                return status ? status : PAWL_DONE;
        for (size_t i = 0; i < conflict->n_candidates && !*good; i++) {
                *good = pawl__text_eq(line, conflict->candidates[i].definition);
                answer->pick = *good ? i + 1 : 0;
        }
        if (*good || picked(answer, line, conflict->n_candidates)) {
                *good = true;
        } else if (!conflict->n_candidates && pawl__utf8_valid(line.data, line.len)) {
                answer->answer = pawl__arena_copy(&prompt->arena, line);
                *good = true;
        }
        return prompt->arena.failed ? PAWL_ENOMEM : PAWL_OK;
}

static void not_an_answer(void)
{
        fputs("that is not one of the answers\n", stderr);
}

pawl_status cli_prompt_clarify(pawl_answer *answer, const pawl_conflict *conflict, void *user)
{
        const bool asks = pawl__is_question(conflict->conflict_type);
        cli_prompt *prompt = user;
        pawl_status status = PAWL_OK;

        (asks ? show_question : show_conflict)(conflict);
        for (int bad = 0; !status && !cli_is_answered(answer) && bad < BAD_ANSWERS;) {
                bool good = false;
                status = (asks ? ask_question : ask)(&good, answer, conflict, prompt);
                if (!status && !good) {
                        bad++;
                        not_an_answer();
                }
        }
        if (status == PAWL_DONE || (!status && !cli_is_answered(answer))) {
                fputs("deferred\n", stderr);
                return PAWL_OK;
        }
        if (!status)
                cli_print_answered_elsewhere(prompt, answer, conflict, 1);
        return status;
}

/* ---- Many terms at once ---------------------------------------------------------------------- */

enum { LINE_WIDTH = 78 };

/* Those that are not answered yet, in lines. */
static void show_terms(const pawl_answer *answers, const pawl_conflict *conflicts, size_t n)
{
        size_t column = 0;

        for (size_t i = 0; i < n; i++) {
                char number[24];
                if (cli_is_answered(&answers[i]))
                        continue;
                const size_t digits = (size_t)snprintf(number, sizeof number, "%zu", i + 1);
                const size_t width = digits + conflicts[i].term.len + 4;
                if (column && column + width > LINE_WIDTH) {
                        fputc('\n', stderr);
                        column = 0;
                }
                cli_putf(stderr, "  %s %.*s", number, CLI_FMT(conflicts[i].term));
                column += width - 1;
        }
        fputc('\n', stderr);
}

/* A number from 1 to n at the beginning of the text, which is cut off; 0: there is none. */
static size_t take_number(pawl_text *text, size_t n)
{
        size_t at = 0, number = 0;

        while (at < text->len && text->data[at] >= '0' && text->data[at] <= '9' && number <= n)
                number = number * 10 + (size_t)(text->data[at++] - '0');
        *text = pawl__text_n(text->data + at, text->len - at);
        return number <= n ? number : 0;
}

/* "1 4-6": dismiss these; of no number all. Nothing is, where one is wrong. */
static bool dismiss(pawl_answer *answers, size_t n, pawl_text list)
{
        for (int pass = 0; pass < 2; pass++) { /* look, then do */
                pawl_text rest = trim_left(list);
                if (pass == 1 && !rest.len)
                        for (size_t i = 0; i < n; i++)
                                answers[i].dismiss = !cli_is_answered(&answers[i]);
                while (rest.len) {
                        const size_t first = take_number(&rest, n);
                        size_t last = first;
                        if (rest.len && rest.data[0] == '-') {
                                rest = pawl__text_n(rest.data + 1, rest.len - 1);
                                last = take_number(&rest, n);
                        }
                        if (!first || last < first || (rest.len && !strchr(" \t,", rest.data[0])))
                                return false;
                        for (size_t i = first - 1; i < last && pass == 1; i++)
                                if (!answers[i].define.data)
                                        answers[i].dismiss = true;
                        while (rest.len && strchr(" \t,", rest.data[0]))
                                rest = pawl__text_n(rest.data + 1, rest.len - 1);
                }
        }
        return true;
}

/* PAWL_DONE: the rest is deferred. */
static pawl_status ask_terms(bool *good, pawl_answer *answers, const pawl_conflict *conflicts,
        size_t n, cli_prompt *prompt)
{
        pawl_text line;

        fputs("n if none of them is a term, n 1 4-6 if these are none, c 2 and a definition,\n"
              "or d to decide later [d]: ",
                stderr);
        pawl_status status = read_line(&line, prompt);
        if (status)
                return status;
        if (line.len == 0 || pawl__text_is(line, "d"))
                return PAWL_DONE;
        if (begins_with(line, 'n')) {
                *good = dismiss(answers, n, pawl__text_n(line.data + 1, line.len - 1));
        } else if (begins_with(line, 'c')) {
                line = trim_left(pawl__text_n(line.data + 1, line.len - 1));
                const size_t number = take_number(&line, n);
                if (!number || cli_is_answered(&answers[number - 1]))
                        return PAWL_OK;
                status = read_definition(&line, line, prompt);
                if (!status)
                        status = define(good, &answers[number - 1], conflicts[number - 1].term,
                                line, prompt);
        }
        return status;
}

static size_t count_open(const pawl_answer *answers, size_t n)
{
        size_t open = 0;

        for (size_t i = 0; i < n; i++)
                open += !cli_is_answered(&answers[i]);
        return open;
}

pawl_status cli_prompt_terms(
        pawl_answer *answers, const pawl_conflict *conflicts, size_t n, void *user)
{
        cli_prompt *prompt = user;
        size_t open = n;
        pawl_status status = PAWL_OK;

        for (int bad = 0; !status && open && bad < BAD_ANSWERS;) {
                bool good = false;
                fprintf(stderr, "\n%zu terms are in no glossary, the most frequent first:\n", open);
                show_terms(answers, conflicts, n);
                status = ask_terms(&good, answers, conflicts, n, prompt);
                open = count_open(answers, n);
                if (!status && !good) {
                        bad++;
                        not_an_answer();
                }
        }
        if (status && status != PAWL_DONE)
                return status;
        if (open)
                fprintf(stderr, "%zu deferred\n", open);
        cli_print_answered_elsewhere(prompt, answers, conflicts, n);
        return PAWL_OK;
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

pawl_status cli_prompt_mission(bool *yes, const pawl_mission_change *changes, size_t n, void *user)
{
        cli_prompt *prompt = user;

        /* The failure's line names the first of them. */
        if (!prompt->asks && n == 1)
                return PAWL_OK;
        fputs("the mission changed since the run began:\n", stderr);
        for (size_t i = 0; i < n; i++)
                cli_putf(stderr, "  step %s: %s\n", changes[i].step_id, changes[i].change);
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
        cli_putf(stderr, "step %.*s: its inputs changed since the checkpoint:\n",
                CLI_FMT(change->step_id));
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

        cli_putf(stderr,
                "no checkpoint of the workspace was taken: %s\n"
                "retry, skip it, or stop the run? [skip]: ",
                line);
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
