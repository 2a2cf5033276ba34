#include "cli/pawl/plan.h"
#include "base/json_write.h"
#include "cli/pawl/workspace.h"
#include "command/find.h"
#include "command/json.h"
#include "command/printable.h"
#include <inttypes.h>

static const char *const actions[] = {[PAWL_PLAN_WRITE] = "write",
        [PAWL_PLAN_REMOVE] = "remove",
        [PAWL_PLAN_MODE] = "mode",
        [PAWL_PLAN_LEAVE] = "leave"};

/* ---- For people ---------------------------------------------------------------------------------
 */

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

static void print_steps(FILE *stream, const pawl_rollback_plan *plan)
{
        for (size_t i = 0; i < pawl_rollback_plan_steps(plan); i++) {
                const pawl_given_up *step = pawl_rollback_plan_step_at(plan, i);
                fputs("  step    ", stream);
                cli_put(stream, step->step_id);
                fputs(" of run ", stream);
                cli_put(stream, step->run_id);
                fputs(" is to be run again\n", stream);
        }
        for (size_t i = 0; i < pawl_rollback_plan_affects(plan)->n_back; i++) {
                const pawl_put_back *step = &pawl_rollback_plan_affects(plan)->back[i];
                fputs("  step    ", stream);
                cli_put(stream, step->step_id);
                fputs(" of run ", stream);
                cli_put(stream, step->run_id);
                fputs(" is ", stream);
                cli_put(stream, step->status);
                fputs(" again\n", stream);
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

/* The first of the paths that it has in the plan. */
static void print_paths(
        FILE *stream, const pawl_rollback_plan *plan, const pawl_rollback_plan_other *other)
{
        enum { SHOWN = 8 };
        uint64_t n = 0;

        for (size_t i = 0; i < pawl_rollback_plan_items(plan) && n < SHOWN; i++) {
                const pawl_rollback_plan_item *item = pawl_rollback_plan_item_at(plan, i);
                if (other->run_id.data ? !pawl__text_eq(item->run_id, other->run_id)
                                       : !item->by_hand)
                        continue;
                fputs(n++ ? ", " : "", stream);
                cli_put(stream, item->path);
        }
        if (other->paths > n)
                fprintf(stream, " and %" PRIu64 " more", other->paths - n);
}

static void print_others(FILE *stream, const pawl_rollback_plan *plan)
{
        const pawl_rollback_plan_effect *effect = pawl_rollback_plan_affects(plan);

        for (size_t i = 0; i < effect->n_others; i++) {
                const pawl_rollback_plan_other *other = &effect->others[i];
                fputs(other->run_id.data ? "  run     " : "  by hand ", stream);
                cli_put(stream, other->run_id);
                fputs(other->run_id.data ? " changed " : "", stream);
                print_paths(stream, plan, other);
                fputs(other->run_id.data ? "; its steps stay as they are\n" : "\n", stream);
        }
}

static void print_git(FILE *stream, const pawl_rollback_plan_git *git)
{
        if (!git)
                return;
        fputs("  git     ", stream);
        cli_put(stream, git->branch);
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

void cli_plan_print(FILE *stream, const pawl_rollback_plan *plan)
{
        const pawl_workspace_checkpoint_info *target = pawl_rollback_plan_target(plan);
        const pawl_rollback_plan_effect *effect = pawl_rollback_plan_affects(plan);

        fprintf(stream, "%s%s checkpoint %" PRIu64 " (",
                pawl_rollback_plan_is_undo(plan) ? "undo: back to" : "rollback to",
                effect->in_part ? " some paths of" : "", target->n);
        cli_put(stream, target->id);
        fputs(")\n", stream);
        for (size_t i = 0; i < pawl_rollback_plan_items(plan); i++)
                print_item(stream, pawl_rollback_plan_item_at(plan, i));
        print_others(stream, plan);
        print_steps(stream, plan);
        print_numbers(stream, "gives up", effect->given_up, effect->n_given_up);
        print_numbers(stream, "takes up", effect->taken_up, effect->n_taken_up);
        print_git(stream, pawl_rollback_plan_git_move(plan));
        print_counts(stream, pawl_rollback_plan_counted(plan));
        fprintf(stream, "plan %s\n", pawl_rollback_plan_hash(plan));
}

/* ---- As JSON ------------------------------------------------------------------------------------
 */

static void write_items(pawl__json_writer *w, const pawl_rollback_plan *plan)
{
        pawl__json_name(w, "items");
        pawl__json_open_array(w);
        for (size_t i = 0; i < pawl_rollback_plan_items(plan); i++) {
                const pawl_rollback_plan_item *item = pawl_rollback_plan_item_at(plan, i);
                pawl__json_open_object(w);
                pawl__json_member_string(w, "action", actions[item->action]);
                cli_path_member(w, item->path);
                pawl__json_member_text(w, "kind", pawl__text(cli_kind_name(item->kind)));
                pawl__json_member_integer(w, "bytes", (int64_t)item->size);
                pawl__json_member_bool(w, "wanted", item->wanted);
                pawl__json_member_bool(w, "lost", item->lost);
                pawl__json_member_text(w, "why", pawl__text(item->why));
                pawl__json_member_text(w, "run_id", item->run_id);
                pawl__json_member_bool(w, "by_hand", item->by_hand);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

static void write_steps(pawl__json_writer *w, const pawl_rollback_plan *plan)
{
        pawl__json_name(w, "steps");
        pawl__json_open_array(w);
        for (size_t i = 0; i < pawl_rollback_plan_steps(plan); i++) {
                const pawl_given_up *step = pawl_rollback_plan_step_at(plan, i);
                pawl__json_open_object(w);
                pawl__json_member_text(w, "run_id", step->run_id);
                pawl__json_member_text(w, "step_id", step->step_id);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

static void write_numbers(pawl__json_writer *w, const char *name, const uint64_t *numbers, size_t n)
{
        pawl__json_name(w, name);
        pawl__json_open_array(w);
        for (size_t i = 0; i < n; i++)
                pawl__json_integer(w, (int64_t)numbers[i]);
        pawl__json_close_array(w);
}

static void write_effect(pawl__json_writer *w, const pawl_rollback_plan_effect *effect)
{
        pawl__json_member_bool(w, "in_part", effect->in_part);
        pawl__json_name(w, "steps_back");
        pawl__json_open_array(w);
        for (size_t i = 0; i < effect->n_back; i++) {
                pawl__json_open_object(w);
                pawl__json_member_text(w, "run_id", effect->back[i].run_id);
                pawl__json_member_text(w, "step_id", effect->back[i].step_id);
                pawl__json_member_text(w, "status", effect->back[i].status);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
        write_numbers(w, "given_up", effect->given_up, effect->n_given_up);
        write_numbers(w, "taken_up", effect->taken_up, effect->n_taken_up);
        pawl__json_name(w, "others");
        pawl__json_open_array(w);
        for (size_t i = 0; i < effect->n_others; i++) {
                pawl__json_open_object(w);
                pawl__json_member_text(w, "run_id", effect->others[i].run_id);
                pawl__json_member_integer(w, "paths", (int64_t)effect->others[i].paths);
                pawl__json_close_object(w);
        }
        pawl__json_close_array(w);
}

static void write_git(pawl__json_writer *w, const pawl_rollback_plan_git *git)
{
        pawl__json_name(w, "git");
        if (!git) {
                pawl__json_null(w);
                return;
        }
        pawl__json_open_object(w);
        cli_text_member(w, "branch", git->branch);
        pawl__json_member_string(w, "from", git->from);
        pawl__json_member_string(w, "to", git->to);
        pawl__json_member_integer(w, "commits", (int64_t)git->commits);
        pawl__json_close_object(w);
}

int cli_plan_json(const cli_call *cli, const pawl_rollback_plan *plan, bool applied)
{
        const pawl_rollback_plan_counts *n = pawl_rollback_plan_counted(plan);
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_bool(&w, "applied", applied);
        pawl__json_member_bool(&w, "undo", pawl_rollback_plan_is_undo(plan));
        pawl__json_name(&w, "target");
        pawl__json_open_object(&w);
        cli_checkpoint_members(&w, pawl_rollback_plan_target(plan));
        pawl__json_close_object(&w);
        pawl__json_name(&w, "safety");
        if (pawl_rollback_plan_safety(plan))
                pawl__json_integer(&w, (int64_t)pawl_rollback_plan_safety(plan));
        else
                pawl__json_null(&w);
        pawl__json_member_string(&w, "plan", pawl_rollback_plan_hash(plan));
        pawl__json_member_integer(&w, "writes", (int64_t)n->writes);
        pawl__json_member_integer(&w, "bytes", (int64_t)n->bytes);
        pawl__json_member_integer(&w, "removes", (int64_t)n->removes);
        pawl__json_member_integer(&w, "modes", (int64_t)n->modes);
        pawl__json_member_integer(&w, "left", (int64_t)n->left);
        pawl__json_member_integer(&w, "lost", (int64_t)n->lost);
        write_items(&w, plan);
        write_steps(&w, plan);
        write_effect(&w, pawl_rollback_plan_affects(plan));
        write_git(&w, pawl_rollback_plan_git_move(plan));
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w);
}

int cli_plan_done(const cli_call *cli, const pawl_rollback_plan *plan)
{
        const pawl_rollback_plan_counts *n = pawl_rollback_plan_counted(plan);
        const pawl_rollback_plan_effect *effect = pawl_rollback_plan_affects(plan);

        if (cli_given(cli, "json"))
                return cli_plan_json(cli, plan, true);
        fprintf(cli->in->out,
                "the %s checkpoint %" PRIu64 " has %s: %" PRIu64 " written, %" PRIu64
                " removed, %" PRIu64 " left alone\n",
                effect->in_part ? "paths are as" : "workspace is as",
                pawl_rollback_plan_target(plan)->n, effect->in_part ? "them" : "it", n->writes,
                n->removes, n->left);
        for (size_t i = 0; i < pawl_rollback_plan_items(plan); i++)
                if (pawl_rollback_plan_item_at(plan, i)->lost)
                        print_item(cli->in->out, pawl_rollback_plan_item_at(plan, i));
        if (effect->run_id.data && !pawl__text_is(effect->run_status, "completed")) {
                fputs("go on with `pawl resume ", cli->in->out);
                cli_put_word(cli->in->out, effect->run_id);
                cli_say_log(cli, cli->in->out);
                fputs("`\n", cli->in->out);
        }
        cli_sayf(cli, cli->in->out, "`pawl undo` takes this back");
        fputc('\n', cli->in->out);
        return CLI_DONE;
}
