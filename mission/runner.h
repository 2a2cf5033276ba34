/**
 * @file mission/runner.h
 * @brief One session of one run: what run and resume share, from the claim to its release.
 *
 *   open -> session -> claim -> steps -> end -> result -> free
 *
 * The claim's transaction, each pass of the pipeline and the end are one commit each; between them
 * nothing waits in the pipeline's batch but a StepCompleted, which the next commit takes along.
 */
#pragma once

#include "base/json_write.h"
#include "events/types.h"
#include "mission/baseline.h"
#include "mission/command.h"
#include "mission/secrets.h"
#include "mission/seeds.h"
#include "mission/watcher.h"
#include "pipeline/chain.h"
#include "session/retry.h"
#include "state/forked.h"
#include "workspace/workspace.h"

typedef struct pawl__snapshot pawl__snapshot; /* mission/snapshots.c */

typedef struct pawl__runner {
        pawl_log *log;
        pawl__state *state;
        pawl_mission *mission;     /**< the caller's, or own_mission */
        pawl_mission *own_mission; /**< loaded by resume; NULL for run */
        pawl_run_options options;  /**< a copy of the caller's, or the defaults */
        pawl__arena arena;         /**< lives as long as the runner */
        pawl_error error;          /**< why, also when the caller wants no message */

        pawl_text run_id, session_id, actor; /**< in the arena, NUL-ended */
        pawl__strictness runtime, project;
        uint32_t keep_sessions;    /**< PAWL__KEEP_ALL: no retention */
        pawl__retention retention; /**< of checkpoints */
        size_t log_max;            /**< of steps that say nothing of it */
        pawl__secrets secrets;
        const pawl__mask *mask_before; /**< the log's, before the run's own secrets were known */
        bool masks;                    /**< the log masks them */
        struct pawl__step_logs *logs;  /**< mission/step_log.c; NULL: no command was started yet */
        pawl__scope_ref refs[PAWL__SCOPE_REFS_MAX];
        size_t n_refs;
        uint64_t fence;        /**< 0: not claimed */
        bool released;         /* with the transaction that ended the session */
        bool claims_again;     /**< a run that others began, which it may not have claimed yet */
        bool resumes;          /**< the same, once it is claimed */
        bool beside;           /**< options.alone, but the claim found an unfinished run */
        bool completed;        /**< RunCompleted is in the log already */
        bool mission_accepted; /**< somebody said yes to what changed in the mission */
        bool changes_open;     /**< that is in inputs which layer 5 asks about; yes records it */
        bool mission_compared; /**< it was compared with the run's at the claim's last look */

        pawl__glossary *glossary;
        pawl_pipeline *pipeline;
        pawl__trust trust, *trusts; /**< which answers count; the second NULL: all do */
        pawl__sense_filter filter;  /**< so of the glossary */
        bool signers_told;          /**< that whose do has changed */

        pawl_text token, token_step;   /**< what resume was asked for; absent: each step's newest */
        pawl__mission_changes changes; /**< what the file differs from the run's mission in */

        bool done_before;    /**< a step of it had completed at the claim */
        int64_t started_seq; /**< of what others began: the event that it started with; else 0 */
        pawl__row begun;     /**< its row then */
        pawl__hidden hidden; /**< answers that do not count for it: it is a fork */
        const char *root;    /**< that its files have for themselves; NULL: as the log's */

        struct pawl__done { /**< steps that have ended well, while the batch has their events */
                size_t step;
                pawl_run_stage stage;
        } * done;
        size_t n_done, cap_done;
        pawl_context *last; /**< of the step that completed last here, for its output */
        size_t last_step;
        pawl_changed_inputs changed_inputs; /**< of the step whose inputs changed last */
        pawl_changed_member *members;       /**< its items */
        size_t cap_members;
        const char
                *directory; /**< of a submitted run: its workspace here; NULL: of one that is not */
        bool is_set_up;     /**< its files are there: what is, is the run's */
        uint64_t from;      /**< of either: the checkpoint of the workspace that it began with */
        int signal;         /**< that interrupted the run, or 0 */
        int64_t deadline_ms; /**< by the boot clock: when the time limit is over; 0: there is none
                              */
        bool timed_out;
        int64_t renew_at, look_at; /**< by the boot clock: when the claim is renewed, and when it is
                                        looked whether it is held; 0: not known yet */
        pawl_text running[PAWL__COMMANDS_MOST]; /**< steps whose commands are at work */
        size_t n_running;
        bool terms_taken[PAWL__COMMANDS_MOST]; /**< pairs of files that tell commands of terms */
        unsigned n_terms;                      /**< so many of them there are */
        bool others_wait;         /**< commands are at work: nobody is asked about changed inputs */
        bool put_off;             /**< somebody was to be asked about them all the same */
        bool stopped;             /**< by who was asked about a checkpoint that failed */
        pawl__watchers watchers;  /**< of commands that have ended; none while no step runs */
        pawl__snapshot *snapshot; /**< of the workspace; NULL: none was taken yet */
        pawl_error failure;       /**< why the run failed, for its events */
} pawl__runner;

/** Take over log and options (NULL: the defaults). PAWL_EINVAL for an option that is not of its
 *  form. After any call that failed, pawl__runner_free() is still due. */
/** Load the mission's secrets, and let the log mask them until the runner is freed. */
PAWL_MUST_CHECK pawl_status pawl__runner_mask(pawl__runner *r);
PAWL_MUST_CHECK pawl_status pawl__runner_open(
        pawl__runner *r, pawl_log *log, const pawl_run_options *options);

/** At the very end: what was done counts only if the log is at its path. @p status, or why it
 * does not. */
PAWL_MUST_CHECK pawl_status pawl__runner_keep_log(pawl__runner *r, pawl_status status);

/** Release the claim if it is held, and free all. */
void pawl__runner_free(pawl__runner *r);

/** The project's settings, the pipeline and an empty glossary; writes nothing. The run's id and the
 *  mission must be set. */
PAWL_MUST_CHECK pawl_status pawl__runner_prepare(pawl__runner *r);

/** Put an event of the run into the pipeline's batch; the writer is freed. step_id may be absent.
 */
PAWL_MUST_CHECK pawl_status pawl__runner_emit(
        pawl__runner *r, pawl__event_type type, pawl_text step_id, pawl__json_writer *w);

/** Put an event of the session into it; @p status and @p reason may be NULL. */
PAWL_MUST_CHECK pawl_status pawl__runner_tell(
        pawl__runner *r, pawl__event_type type, const char *status, const char *reason);

/** The envelope that the runner's events have in common: its ids and the actor. */
pawl_event pawl__runner_envelope(const pawl__runner *r);

/* ---- A run's beginning (mission/run.c), also of one that is submitted ------------------------ */

/** Read all of the mission's, before anything is written; r->refs names them. After any call they
 *  are to be freed. */
PAWL_MUST_CHECK pawl_status pawl__runner_load_seeds(pawl__seeds *with, pawl__runner *r);
/** The caller's, or a fresh one. */
PAWL_MUST_CHECK pawl_status pawl__runner_choose_id(pawl__runner *r);
/** PAWL_EEXISTS, or PAWL_EHELD while somebody holds it, where the log has a run of that id. */
PAWL_MUST_CHECK pawl_status pawl__runner_is_new(pawl__runner *r);
/** Members of the event that begins a run: its mission, scope_refs and strictness. */
PAWL_MUST_CHECK pawl_status pawl__runner_write_begin(pawl__runner *r, pawl__json_writer *w);
/** Those that the log has not seen go into the batch. */
PAWL_MUST_CHECK pawl_status pawl__runner_activate_seeds(pawl__runner *r, const pawl__seeds *with);

/** The mission of a submitted run, as the log has it, in options.directory. PAWL_ESTATE: that, and
 *  the run, do not go together. (mission/submitted.c) */
PAWL_MUST_CHECK pawl_status pawl__runner_load_submitted(pawl__runner *r, const pawl__row *run);

/** Puts into the batch what the claim's transaction holds beside RunClaimed and SessionStarted. */
typedef pawl_status (*pawl__prepare_fn)(pawl__runner *r, void *user);

/**
 * Claim the run for a new session. Asks again for up to wait_ms while another holds it; and, with
 * another session's id, when one of the same second was quicker, or when the run was claimed since
 * @p fill looked at it (which it then says by the batch's after_fence): fill (may be NULL) is then
 * called again.
 * @return PAWL_EHELD naming the owner, PAWL_EINTERRUPTED when a signal ended the waiting, what fill
 *         returned.
 */
PAWL_MUST_CHECK pawl_status pawl__runner_claim(
        pawl__runner *r, unsigned wait_ms, pawl__prepare_fn fill, void *user);

/** Ask, and ask again while the answer is PAWL_EHELD, for up to wait_ms. PAWL_EINTERRUPTED. */
PAWL_MUST_CHECK pawl_status pawl__runner_wait(
        pawl__runner *r, unsigned wait_ms, pawl_status (*ask)(pawl__runner *r));

/** One line for the caller who shows the run, if there is one. */
void pawl__runner_notice(const pawl__runner *r, const char *line);

/** PAWL_EHELD: "run X: is held by pid P on HOST; ...". */
pawl_status pawl__runner_fail_held(pawl__runner *r, const pawl_owner *owner);

/** A signal that waits in signal_fd, taken out of it: kept in r->signal, PAWL_EINTERRUPTED. */
PAWL_MUST_CHECK pawl_status pawl__runner_signalled(pawl__runner *r, int wait_ms);

/** The run was interrupted by this signal. Returns PAWL_EINTERRUPTED. */
pawl_status pawl__runner_interrupted(pawl__runner *r, int signal);

/** Renew the claim, where that is due. PAWL_EFENCED, no other failure: it may work the next time.
 */
PAWL_MUST_CHECK pawl_status pawl__runner_keep_claim(pawl__runner *r);

/** Is the time limit over? r->timed_out and PAWL_EINTERRUPTED; its message names the limit. */
PAWL_MUST_CHECK pawl_status pawl__runner_in_time(pawl__runner *r);

/* ---- The mission that the run began with (mission/accept.c) ---------------------------------- */

/** Which steps of the mission completed with a sense that has changed since: they were told a
 *  definition of a term that does not hold any more. *out: one a step of the mission. */
PAWL_MUST_CHECK pawl_status pawl__runner_outdated(
        bool **out, pawl__runner *r, const pawl__row *run, const pawl__row *rows, size_t n_rows);

/** *changed becomes true where a step was told a definition that its term does not have any more;
 *  @p buf is scratch memory. PAWL_ENOMEM without a message. */
PAWL_MUST_CHECK pawl_status pawl__terms_changed(bool *changed, pawl__buf *buf,
        const pawl_glossary_terms *told, const pawl_glossary_terms *now);

/** Members of an event that says what the run is compared with from now on: mission_document, whose
 *  text goes into the batch, mission_hash, steps, plan. */
PAWL_MUST_CHECK pawl_status pawl__runner_write_mission(pawl__runner *r, pawl__json_writer *w);
/** Of these `steps`, and `plan`: what they need and ask, and how strict they are
 * (mission/mission_plan.c); and that alone, of rows of a run whose events said so, with the
 * questions of @p mission where that is given. */
PAWL_MUST_CHECK pawl_status pawl__runner_write_plan(pawl__runner *r, pawl__json_writer *w);
PAWL_MUST_CHECK pawl_status pawl__rows_write_plan(pawl__json_writer *w, const pawl__row *steps,
        size_t n, const pawl_mission *mission, pawl_log *log, pawl_error *err);
/** Where nothing of the mission is to be accepted, but its plan is another than the log has: put
 *  that into the batch. */
PAWL_MUST_CHECK pawl_status pawl__runner_hold_plan(pawl__runner *r, const pawl__row *run);
/** Hold the mission against that one. Changes that are accepted go into the batch
 *  (RunMissionChanged); PAWL_EINPUTS for those that are not, but for inputs of steps that are at
 *  a checkpoint, which layer 5 asks about. r->changes has them all. */
PAWL_MUST_CHECK pawl_status pawl__runner_hold_mission(pawl__runner *r, const pawl__row *run);
/** The same, with nothing put into the batch: *yes where changes are accepted; it comes in as
 * false.
 */
PAWL_MUST_CHECK pawl_status pawl__runner_judge_mission(
        bool *yes, pawl__runner *r, const pawl__row *run);
/** What a resume of this run looks at before it claims it, and nothing more: PAWL_OK, or what the
 *  resume would be refused with. r->changes are those of the mission. (mission/resume.c) */
PAWL_MUST_CHECK pawl_status pawl__runner_try_resume(pawl__runner *r, pawl_text run_id);
/** Keep in the mission's document whose answers the run takes, as it was when it began, whatever
 *  the mission says now; and tell if that differs. (mission/signed.c) */
PAWL_MUST_CHECK pawl_status pawl__runner_hold_signers(pawl__runner *r, const pawl__row *run);
/** Of a run that began so that it takes signed answers alone: read the state from verified events
 *  from now on. PAWL_EDAMAGED: they do not verify, or what it requires is not in the log. */
PAWL_MUST_CHECK pawl_status pawl__runner_believe(pawl__runner *r, pawl_text run_id);
/** Does the completion of a step, whose row that is, count? PAWL_EDAMAGED: no. Where answers need
 *  not be signed, all do. (mission/steps.c) */
PAWL_MUST_CHECK pawl_status pawl__step_counts(pawl__runner *r, size_t index, const pawl__row *row);
/** The same of each step of the mission that a run has ended with (@p step_id absent), or of one
 *  (mission/signed_end.c).
 */
PAWL_MUST_CHECK pawl_status pawl__runner_check_end(
        pawl__runner *r, const pawl__row *run, pawl_text step_id);
/** Does its `when` say that the step runs? (mission/steps.c) */
PAWL_MUST_CHECK pawl_status pawl__step_holds(bool *out, pawl__runner *r, size_t index);
/** A submitted mission's signers are those that the log keeps. */
PAWL_MUST_CHECK pawl_status pawl__runner_take_signers(pawl__runner *r, const pawl__row *run);
/** From now on the answers alone count that are signed, if the run began so or its mission says so
 *  now. */
PAWL_MUST_CHECK pawl_status pawl__runner_require_signed(pawl__runner *r);
/** The step has passed the gate, with inputs that are what they were, though the file may have them
 *  in other words: then that is recorded. */
PAWL_MUST_CHECK pawl_status pawl__runner_passed(pawl__runner *r, pawl_text step_id);
/** pawl_confirm_fn of the pipeline; @p user is the runner. */
pawl_status pawl__runner_confirm(bool *yes, const pawl_input_change *change, void *user);

/** Load the glossary and run the steps, each behind what it needs, as far as they go: PAWL_OK when
 *  all of them are completed, else the verdict or failure that stopped them, with r->error. A step
 *  that fails, or is blocked, only holds what needs it. (mission/schedule.c) */
PAWL_MUST_CHECK pawl_status pawl__runner_steps(pawl__runner *r);

/* ---- The handoff (mission/handoff.c). What fails here is told as a notice and stops nothing. ----
 */

/** Write the mission's handoff document, if it has one. */
void pawl__runner_hand_over(pawl__runner *r);
/** The document for the command that a resume starts first, and for every command where the mission
 *  keeps one; NULL: none. Written just now; lives in @p arena. */
const char *pawl__runner_context(pawl__runner *r, pawl__arena *arena);
/** At a session's end: prune as .pawl/config.yaml says. */
void pawl__runner_prune(pawl__runner *r);

/* ---- The workspace (mission/snapshots.c) ----------------------------------------------------- */

/**
 * Take a checkpoint of the workspace, as the mission asks, with what waits in the batch.
 * @param step_id  the step that was just completed; absent: the session ends.
 * @param then     adds to the batch, inside the transaction, what comes after it; may be NULL.
 * @return PAWL_DONE where none was taken: the batch waits on, and @p then was not heard. One that
 *         fails stops nothing, unless the person who is asked about it stops the run
 *         (PAWL_EINTERRUPTED), or the run is another's (PAWL_EFENCED).
 */
PAWL_MUST_CHECK pawl_status pawl__runner_snapshot(
        pawl__runner *r, pawl_text step_id, pawl__prepare_fn then, void *user);
/**
 * Take one with the claim that begins the run or goes on with it, if the files are not those of the
 * current checkpoint: it is armed on the batch. pawl__runner_snapshot_begun() after the claim.
 * @param failed  why the claim failed with it: let it begin without; NULL: take one.
 * @return PAWL_DONE: none is taken with it.
 */
PAWL_MUST_CHECK pawl_status pawl__runner_snapshot_first(pawl__runner *r, const pawl_error *failed);
void pawl__runner_snapshot_begun(pawl__runner *r);
/** Without @p then it waits for the batch's next commit. When that may have been: tell of it; where
 * that commit went without it, take it now. */
PAWL_MUST_CHECK pawl_status pawl__runner_snapshot_settle(pawl__runner *r);
/** Open the run's workspace: the log's, or a submitted run's directory. The caller closes it. */
PAWL_MUST_CHECK pawl_status pawl__runner_open_workspace(
        pawl__workspace *ws, pawl__runner *r, pawl_error *err);
/** Where the mission takes checkpoints of the log's workspace: PAWL_ESTATE, naming what to do,
 * while a rollback of that is half done, as steps would go on over files of two checkpoints;
 * PAWL_EHELD while somebody is at it. */
PAWL_MUST_CHECK pawl_status pawl__runner_check_idle(pawl__runner *r);
/** Of a submitted run: let no other be carried out in its directory. PAWL_EHELD. */
PAWL_MUST_CHECK pawl_status pawl__runner_own(pawl__runner *r);
/** Of a submitted run: let its directory hold what its last checkpoint has. */
PAWL_MUST_CHECK pawl_status pawl__runner_set_up(pawl__runner *r);
/** Say, once the session's end is in the log, that one failed; where nobody was asked about it. */
void pawl__snapshot_report(pawl__runner *r);
/** Count the files that changed since the checkpoint that this one was taken from, but for what
 * Pawl wrote itself. */
void pawl__changed_files(pawl_workspace_checkpoint_info *info, pawl__workspace *ws);
void pawl__snapshot_free(pawl__snapshot *snapshot);

/* ---- What commands write to standard error (mission/step_log.c) ------------------------------ */

struct pawl__step_run;
struct pawl__step_log;
/** The attempt that is about to begin, in p->ctx: numbered, with what earlier ones left behind put
 *  into the batch. */
PAWL_MUST_CHECK pawl_status pawl__step_log_begin(struct pawl__step_run *p);
/** For pawl__command.log, with the step as @p user. */
PAWL_MUST_CHECK pawl_status pawl__step_log_take(
        pawl_text *shown, const char *data, size_t len, void *user);
/** From now on what it writes is shown to who looks on, too. */
void pawl__step_log_show(struct pawl__step_run *p);
/** The attempt has ended: what is kept of it goes into the batch, and p->ctx says what that is. */
PAWL_MUST_CHECK pawl_status pawl__step_log_end(struct pawl__step_run *p);
/** What an attempt wrote, of @p total bytes, into the batch, and into what events say of it. */
PAWL_MUST_CHECK pawl_status pawl__attempt_keep(pawl__attempt *attempt, pawl__batch *batch,
        pawl_log *log, pawl_text text, uint64_t total, pawl_error *err);
/** StepAttemptFailed into the batch: it was cut off by something other than the command. */
PAWL_MUST_CHECK pawl_status pawl__attempt_cut_off(pawl__batch *batch, const pawl_event *like,
        const pawl__attempt *attempt, int exit_code, const char *why, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__step_run_cut_off(const struct pawl__step_run *p,
        const pawl__attempt *attempt, int exit_code, const char *why);
/** What the batch held is in the log: the files beside it go. */
void pawl__step_log_recorded(pawl__runner *r);
void pawl__step_logs_free(struct pawl__step_logs *logs);
void pawl__step_log_free(struct pawl__step_log *log);

/* ---- One step at work ----------------------------------------------------------------------- */

typedef struct pawl__step_run {
        pawl__runner *r;
        const pawl__step *step;
        size_t index;
        const pawl__row *row; /**< while it begins: as it was; NULL: the run has no such step yet */
        pawl_context *ctx;
        bool has_inputs;            /**< they are set, so that their hash can be told */
        bool passed;                /**< the gate lets it start its command */
        struct pawl__work *work;    /**< its command, which is at work; NULL: none is */
        struct pawl__step_log *log; /**< what that writes; NULL: none was started yet */
        bool again;                 /**< there is to be another attempt */
        int64_t due_ms;             /**< not before this, by the boot clock */
        pawl__retry retry;          /**< those that failed */
} pawl__step_run;

/** The files that tell a command of the glossary (mission/step_terms.c). */
typedef struct pawl__step_terms {
        unsigned number;          /**< of the pair; 0: it has none */
        pawl__buf json, markdown; /**< their paths */
        size_t dir;               /**< bytes of a path that are its directory's */
} pawl__step_terms;

/** Let them say what the step's command is to be told. In any case pawl__step_terms_end() is due:
 *  another command may have them. */
PAWL_MUST_CHECK pawl_status pawl__step_terms_begin(pawl__step_terms *files, pawl__step_run *p);
void pawl__step_terms_end(pawl__step_terms *files, pawl__runner *r);
/** Remove them all at the end of a run, @p n at least, and their directory; that stays where there
 * is something in it. */
void pawl__step_terms_tidy(const pawl_log *log, pawl_text run_id, unsigned n);

/** Let the step begin, up to its command. PAWL_OK with passed when that may be started, else when
 * it is completed or left out. */
PAWL_MUST_CHECK pawl_status pawl__step_run_begin(pawl__step_run *p);
/** Start the command of one that passed, once that is in the log. PAWL_OK with work when it is at
 *  work, with again when an attempt is to be waited for. */
PAWL_MUST_CHECK pawl_status pawl__step_run_start(pawl__step_run *p);

/** StepCompleted of a step that is skipped, with this output, canonical: @p reason NULL: somebody
 *  says so; @p input_hash absent: it has no inputs. @p like: the envelope. (mission/skip.c) */
PAWL_MUST_CHECK pawl_status pawl__skip_emit(pawl__batch *batch, const pawl_event *like,
        pawl_text input_hash, pawl_text output, const char *reason, pawl__hasher *hasher,
        pawl_error *err);

/** What skipping the step would be refused with; PAWL_OK: it would be done. (mission/skip.c) */
PAWL_MUST_CHECK pawl_status pawl__skip_try(
        pawl_log *log, pawl_text run_id, pawl_text step_id, pawl_error *err);

/** Start the step's command, which the gate has allowed, or wait until it is due; as
 *  pawl__step_run_begin(). Why not: in r->error. */
PAWL_MUST_CHECK pawl_status pawl__step_run_execute(pawl__step_run *p);
/** Start the attempt that is to come, if it is due. */
PAWL_MUST_CHECK pawl_status pawl__step_run_go_on(pawl__step_run *p);
/** The command at work. */
pawl__child *pawl__step_run_child(const pawl__step_run *p);
/** It is done: pass its output on. PAWL_OK when the step is completed, or there is to be another
 *  attempt; else why not, in r->error. */
PAWL_MUST_CHECK pawl_status pawl__step_run_ended(pawl__step_run *p);

/** Complete the step with this output. As pawl__step_run_execute(). */
PAWL_MUST_CHECK pawl_status pawl__step_run_output(pawl__step_run *p, pawl_text output);

/** Tell the caller of the run how far the step is. */
void pawl__step_run_progress(const pawl__step_run *p, pawl_run_stage stage);
/** The same of a step that has ended well, once that is in the log. PAWL_ENOMEM. */
PAWL_MUST_CHECK pawl_status pawl__step_run_done(const pawl__step_run *p, pawl_run_stage stage);
/** After a commit: tell of those that it took. */
void pawl__runner_tell_done(pawl__runner *r);

/* What came of it, told to the caller of the run and said in r->error: PAWL_OK with the context
 * kept for its output; PAWL_BLOCKED; PAWL_ESTEP with StepFailed in the batch and r->failure
 * for the run's end; a failure of the pipeline, passed on. */
pawl_status pawl__step_run_completed(pawl__step_run *p);
pawl_status pawl__step_run_blocked(const pawl__step_run *p);
pawl_status pawl__step_run_failed(const pawl__step_run *p, int exit_code, const char *why);
pawl_status pawl__step_run_error(const pawl__step_run *p, pawl_status status);

/* Trying again (mission/retry.c). */

/** What an earlier session left to be waited. */
PAWL_MUST_CHECK pawl_status pawl__retry_take_up(pawl__step_run *p);
/** Is there to be another attempt? @p exit_code of the one that failed; -1: it was not that. */
bool pawl__retry_due(const pawl__step_run *p, int exit_code);
/** StepAttemptFailed, durably: when the next attempt is due. */
PAWL_MUST_CHECK pawl_status pawl__retry_note(pawl__step_run *p, int exit_code, const char *why);

/** Put into a context what the file says of a step, its inputs apart. Why it failed: in ctx. */
PAWL_MUST_CHECK pawl_status pawl__step_settings(
        pawl_context *ctx, const pawl_mission *mission, const pawl__step *step);

/** Record what @p verdict means for run and session, in one commit with what waits. Returns the
 *  verdict, or the commit's failure. */
PAWL_MUST_CHECK pawl_status pawl__runner_end(pawl__runner *r, pawl_status verdict);

/** "SIGTERM" for 15, "signal 99" for a number without a name. */
void pawl__signal_name(char out[32], int signal);

/** Tell by the mission's command how the run ended. It may fail: that is told as a notice.
 *  (mission/notify.c) */
void pawl__runner_notify(pawl__runner *r, pawl_status verdict);
/** The same of the mission's runs that ended when nobody could be told any more. */
void pawl__runner_notify_left(pawl__runner *r);

/** Put '?' in place of bytes that are not UTF-8: a message goes into a payload, which takes nothing
 *  else, and a text shown in it may have been cut inside a character. */
void pawl__message_fix(char *message);

/** What a run came to, from the state tables, for the session @p session_id; and what changed. With
 *  PAWL_OK only the steps that the log knows where @p mission is NULL. */
PAWL_MUST_CHECK pawl_status pawl__run_result_make(pawl_run_result **out, const pawl__runner *r,
        pawl_text session_id, const pawl_mission *mission, pawl_error *err);
