#include "cli/pawl/plan.h"
#include "base/error.h"
#include "base/json_write.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include "session/standing.h"
#include <inttypes.h>

static const char *const actions[] = {[PAWL_PLAN_WRITE] = "write",
        [PAWL_PLAN_REMOVE] = "remove",
        [PAWL_PLAN_MODE] = "mode",
        [PAWL_PLAN_LEAVE] = "leave"};

/* ---- For people ------------------------------------------------------------------------------ */

static void print_item(FILE *stream, const pawl_rollback_plan_item *item)
{
        char size[32];

        fprintf(stream, "  %-7s ", actions[item->action]);
        cli_put(stream, item->path);
        if (item->kind == 'd')
                fputc('/', stream);
        if (item->action == PAWL_PLAN_WRITE && item->kind == 'f') {
                cli_size_text(size, item->size);
                fprintf(stream, " (%s)", size);
        }
        if (item->why)
                fprintf(stream, ": %s", item->why);
        if (item->wanted && !item->lost)
                fputs("; the checkpoint has something there", stream);
        fputc('\n', stream);
}

/* Of a run that has ended for good no step is run any more. */
static bool has_ended(const pawl_rollback_plan_view *plan)
{
        return pawl__text_is(plan->effect.run_status, "cancelled");
}

static void print_steps(FILE *stream, const pawl_rollback_plan_view *plan)
{
        for (size_t i = 0; i < plan->n_steps; i++) {
                const pawl_given_up *step = &plan->steps[i];
                cli_putf(stream, "  step    %.*s of run %.*s is %s\n", CLI_FMT(step->step_id),
                        CLI_FMT(step->run_id),
                        has_ended(plan) ? "pending again" : "to be run again");
        }
        for (size_t i = 0; i < plan->effect.n_back; i++) {
                const pawl_put_back *step = &plan->effect.back[i];
                cli_putf(stream, "  step    %.*s of run %.*s is %.*s again\n",
                        CLI_FMT(step->step_id), CLI_FMT(step->run_id), CLI_FMT(step->status));
        }
}

static void print_numbers(FILE *stream, const char *what, const uint64_t *numbers, size_t n)
{
        if (n == 0)
                return;
        fprintf(stream, "  %s checkpoint%s", what, n == 1 ? "" : "s");
        for (size_t i = 0; i < n; i++)
                fprintf(stream, "%s %" PRIu64, i ? "," : "", numbers[i]);
        fputc('\n', stream);
}

/* The first of the paths that it has in the plan, none of which is before the item `from`. The
 * first one. */
static size_t print_paths(FILE *stream, const pawl_rollback_plan_view *plan,
        const pawl_rollback_plan_other *other, size_t from)
{
        const uint64_t shown = other->paths < 8 ? other->paths : 8;
        uint64_t n = 0;

        for (size_t i = from; i < plan->n_items && n < shown; i++) {
                const pawl_rollback_plan_item *item = &plan->items[i];
                if (other->run_id.data      ? !pawl__text_eq(item->run_id, other->run_id)
                        : other->agent.data ? !pawl__text_eq(item->agent, other->agent)
                                            : !item->by_hand)
                        continue;
                if (n == 0)
                        from = i;
                cli_putf(stream, "%s%.*s", n++ ? ", " : "", CLI_FMT(item->path));
        }
        if (other->paths > n)
                fprintf(stream, " and %" PRIu64 " more", other->paths - n);
        return from;
}

/* Without the kind of actor. */
static pawl_text agent_name(pawl_text actor)
{
        static const char kind[] = "agent:";
        const size_t len = pawl__text_starts(actor, kind) ? sizeof kind - 1 : 0;

        return actor.len > len ? pawl__text_n(actor.data + len, actor.len - len) : actor;
}

static void print_others(FILE *stream, const pawl_rollback_plan_view *plan)
{
        const pawl_rollback_plan_effect *effect = &plan->effect;
        size_t from = 0; /* they are in the order of their first paths */

        for (size_t i = 0; i < effect->n_others; i++) {
                const pawl_rollback_plan_other *other = &effect->others[i];
                const pawl_text who = other->run_id.data ? other->run_id : agent_name(other->agent);
                cli_putf(stream, "%s%.*s%s",
                        other->run_id.data  ? "  run     "
                        : other->agent.data ? "  agent   "
                                            : "  by hand ",
                        CLI_FMT(who), who.data ? " changed " : "");
                from = print_paths(stream, plan, other, from);
                fputs(other->run_id.data ? "; its steps stay as they are\n" : "\n", stream);
        }
}

static void print_git(FILE *stream, const pawl_rollback_plan_git *git)
{
        if (!git)
                return;
        cli_putf(stream, "  git     %.*s", CLI_FMT(git->branch));
        fprintf(stream, " goes from %.12s to %.12s", git->from, git->to);
        if (git->commits)
                fprintf(stream, ", giving up %" PRIu64 " commit%s", git->commits,
                        git->commits == 1 ? "" : "s");
        fputc('\n', stream);
}

static void print_counts(FILE *stream, const pawl_rollback_plan_counts *n)
{
        fprintf(stream,
                "%" PRIu64 " to write, %" PRIu64 " to remove, %" PRIu64
                " to set the mode of, %" PRIu64 " left alone\n",
                n->writes, n->removes, n->modes, n->left);
}

static const char *own_word(const pawl_rollback_plan_view *plan)
{
        return plan->redo ? "redo" : plan->undo ? "undo" : "rollback";
}

void cli_plan_print(FILE *stream, const pawl_rollback_plan *of)
{
        const pawl_rollback_plan_view look = pawl_rollback_plan_look(of), *plan = &look;
        const pawl_workspace_checkpoint_info *target = plan->target;
        const pawl_rollback_plan_effect *effect = &plan->effect;

        cli_putf(stream, "%s%s%s%s checkpoint %" PRIu64 " (%.*s)",
                plan->abandons ? "abandon the " : "", own_word(plan),
                plan->undo && !plan->abandons ? ": back to" : " to",
                effect->in_part ? " some paths of" : "", target->n, CLI_FMT(target->id));
        if (plan->undo && !plan->abandons)
                fprintf(stream, ", as before the %s%s to checkpoint %" PRIu64, plan->reversed,
                        strcmp(plan->reversed, "rollback") == 0 ? "" : " that went",
                        plan->reversed_target);
        fputc('\n', stream);
        for (size_t i = 0; i < plan->n_items; i++)
                print_item(stream, &plan->items[i]);
        print_others(stream, plan);
        print_steps(stream, plan);
        print_numbers(stream, "gives up", effect->given_up, effect->n_given_up);
        print_numbers(stream, "takes up", effect->taken_up, effect->n_taken_up);
        print_git(stream, plan->git);
        print_counts(stream, &plan->counts);
        fprintf(stream, "plan %s\n", plan->hash);
}

/* ---- As JSON --------------------------------------------------------------------------------- */

static const char *action_word(const void *value, char buf[CLI_WORD_MAX])
{
        (void)buf;
        return actions[*(const pawl_rollback_plan_action *)value];
}

#define ITEM(member) CLI_AT(pawl_rollback_plan_item, member)

static const cli_field item_fields[] = {
        {"action", CLI_AS_WORD, ITEM(action), .word = action_word},
        {"path", CLI_AS_BYTES, ITEM(path)},
        {"kind", CLI_AS_WORD, ITEM(kind), .word = cli_kind_word},
        {"bytes", CLI_AS_INTEGER, ITEM(size)},
        {"wanted", CLI_AS_BOOL, ITEM(wanted)},
        {"lost", CLI_AS_BOOL, ITEM(lost)},
        {"missed", CLI_AS_BOOL, ITEM(missed)},
        {"why", CLI_AS_STRING, ITEM(why)},
        {"run_id", CLI_AS_TEXT, ITEM(run_id)},
        {"agent", CLI_AS_TEXT, ITEM(agent)},
        {"by_hand", CLI_AS_BOOL, ITEM(by_hand)},
        CLI_NO_FIELD,
};

static const cli_field back_fields[] = {
        {"run_id", CLI_AS_TEXT, CLI_AT(pawl_put_back, run_id)},
        {"step_id", CLI_AS_TEXT, CLI_AT(pawl_put_back, step_id)},
        {"status", CLI_AS_TEXT, CLI_AT(pawl_put_back, status)},
        CLI_NO_FIELD,
};

static const cli_field other_fields[] = {
        {"run_id", CLI_AS_TEXT, CLI_AT(pawl_rollback_plan_other, run_id)},
        {"agent", CLI_AS_TEXT, CLI_AT(pawl_rollback_plan_other, agent)},
        {"paths", CLI_AS_INTEGER, CLI_AT(pawl_rollback_plan_other, paths)},
        CLI_NO_FIELD,
};

static const cli_field git_fields[] = {
        {"branch", CLI_AS_BYTES, CLI_AT(pawl_rollback_plan_git, branch)},
        {"from", CLI_AS_CHARS, CLI_AT(pawl_rollback_plan_git, from)},
        {"to", CLI_AS_CHARS, CLI_AT(pawl_rollback_plan_git, to)},
        {"commits", CLI_AS_INTEGER, CLI_AT(pawl_rollback_plan_git, commits)},
        CLI_NO_FIELD,
};

#define AT(member)     CLI_AT(pawl_rollback_plan_view, member)
#define LIST(items, n) CLI_ITEMS(pawl_rollback_plan_view, items, n)

static const cli_field fields[] = {
        {"undo", CLI_AS_BOOL, AT(undo)},
        {"redo", CLI_AS_BOOL, AT(redo)},
        {"abandons", CLI_AS_BOOL, AT(abandons)},
        {"reverses", CLI_AS_INTEGER, AT(reverses), .or_null = true},
        {"target", CLI_AS_POINTER, AT(target), .fields = cli_checkpoint_fields},
        {"safety", CLI_AS_INTEGER, AT(safety), .or_null = true},
        {"plan", CLI_AS_STRING, AT(hash)},
        {"writes", CLI_AS_INTEGER, AT(counts.writes)},
        {"bytes", CLI_AS_INTEGER, AT(counts.bytes)},
        {"removes", CLI_AS_INTEGER, AT(counts.removes)},
        {"modes", CLI_AS_INTEGER, AT(counts.modes)},
        {"left", CLI_AS_INTEGER, AT(counts.left)},
        {"lost", CLI_AS_INTEGER, AT(counts.lost)},
        {"missed", CLI_AS_INTEGER, AT(counts.missed)},
        {"items", CLI_AS_LIST, LIST(items, n_items), .fields = item_fields},
        {"steps", CLI_AS_LIST, LIST(steps, n_steps), .fields = cli_given_up_fields},
        {"in_part", CLI_AS_BOOL, AT(effect.in_part)},
        {"steps_back", CLI_AS_LIST, LIST(effect.back, effect.n_back), .fields = back_fields},
        {"run_status", CLI_AS_TEXT, AT(effect.run_status)},
        {"given_up", CLI_AS_LIST, LIST(effect.given_up, effect.n_given_up), .fields = cli_numbers},
        {"taken_up", CLI_AS_LIST, LIST(effect.taken_up, effect.n_taken_up), .fields = cli_numbers},
        {"others", CLI_AS_LIST, LIST(effect.others, effect.n_others), .fields = other_fields},
        {"git", CLI_AS_POINTER, AT(git), .fields = git_fields},
        CLI_NO_FIELD,
};

void cli_plan_object(pawl__json_writer *w, const pawl_rollback_plan *plan, bool applied)
{
        const pawl_rollback_plan_view look = pawl_rollback_plan_look(plan);

        if (!plan) {
                pawl__json_null(w);
                return;
        }
        pawl__json_open_object(w);
        pawl__json_member_bool(w, "applied", applied);
        cli_fields_json(w, fields, &look);
        pawl__json_close_object(w);
}

pawl_status cli_plan_json(
        const cli_call *cli, const pawl_rollback_plan *plan, bool applied, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        cli_plan_object(&w, plan, applied);
        return cli_print_json(cli, &w, err);
}

pawl_status cli_plan_done(
        const cli_call *cli, pawl_log *log, const pawl_rollback_plan *of, pawl_error *err)
{
        pawl__row run;
        const pawl_rollback_plan_view look = pawl_rollback_plan_look(of), *plan = &look;
        const pawl_rollback_plan_counts *n = &plan->counts;
        const pawl_rollback_plan_effect *effect = &plan->effect;

        if (cli_given(cli, "json"))
                return cli_plan_json(cli, of, true, err);
        if (plan->abandons)
                fprintf(cli->in->out,
                        "the %s to checkpoint %" PRIu64
                        " was given up: the files are%s as they were before it",
                        own_word(plan), plan->target->n, n->missed ? " not all" : "");
        else if (n->missed)
                fprintf(cli->in->out, "not all of checkpoint %" PRIu64 " could be put back",
                        plan->target->n);
        else
                fprintf(cli->in->out, "the %s checkpoint %" PRIu64 " has %s",
                        effect->in_part ? "paths are as" : "workspace is as", plan->target->n,
                        effect->in_part ? "them" : "it");
        fprintf(cli->in->out,
                ": %" PRIu64 " written, %" PRIu64 " removed, %" PRIu64 " left alone\n", n->writes,
                n->removes, n->left);
        for (size_t i = 0; i < plan->n_items; i++)
                if (plan->items[i].lost || plan->items[i].missed)
                        print_item(cli->in->out, &plan->items[i]);
        if (plan->abandons)
                return PAWL_OK;
        if (effect->run_id.data && !pawl__text_is(effect->run_status, "completed") &&
                !has_ended(plan)) {
                TRY(cli_run_row(&run, effect->run_id, cli, log, err));
                cli_sayf(cli, cli->in->out, "continue with %s",
                        PAWL__ADVICE(log, &run, effect->run_id));
                fputc('\n', cli->in->out);
        }
        cli_sayf(cli, cli->in->out,
                plan->undo && !plan->redo ? "`pawl redo` takes this back"
                                          : "`pawl undo` takes this back");
        fputc('\n', cli->in->out);
        return PAWL_OK;
}

pawl_status cli_plan_missed(const pawl_rollback_plan *of, pawl_error *err)
{
        const pawl_rollback_plan_view look = pawl_rollback_plan_look(of), *plan = &look;
        const uint64_t n = plan->counts.missed;
        const pawl_rollback_plan_item *first = NULL;
        char number[24];

        /* one that --finish tries again, if there is one */
        for (size_t i = plan->n_items; i-- > 0;)
                if (plan->items[i].missed &&
                        (!first || plan->items[i].unwritten || !first->unwritten))
                        first = &plan->items[i];
        if (!first)
                return PAWL_OK;
        snprintf(number, sizeof number, "%" PRIu64, plan->target->n);
        return pawl__fail(err, PAWL_ESTATE,
                "checkpoint %" PRIu64 ": %" PRIu64
                " %s not as %s has %s, first %.*s: %s; %s, then `pawl rollback %s`",
                plan->target->n, n, n == 1 ? "path is" : "paths are",
                plan->abandons ? "the workspace before it" : "it", n == 1 ? "it" : "them",
                PAWL__FMT(first->path), first->why,
                first->fix ? first->fix : "move away what is in the way",
                first->unwritten ? "--finish" : number);
}
