/* The resource API: what the registry's commands answer, by paths. Methods of one path stand beside
 * each other, as the OpenAPI document wants them. */
#include "service/route.h"

#define V1 "/api/v1"

#define ROW(...)                                                                                   \
        {                                                                                          \
                __VA_ARGS__                                                                        \
        }
#define ROUTE(method, path, traits, fields, run, ...)                                              \
        ROW(method, V1 path, traits, fields, run, SERVICE_OPERATION(__VA_ARGS__))
#define COMMAND(method, path, traits, fields, ...)                                                 \
        ROW(method, V1 path, traits, fields, service_api_command, SERVICE_OPERATION(__VA_ARGS__))

enum { CHANGES = SERVICE_CHANGES | SERVICE_WORKSPACE };

#define PLAN_CHANGED "409, with nothing changed, when the plan is another now: get it again."

/* ---- Fields of several routes ------------------------------------------------------------ */

#define TEXT(name_, about_)         ROW(.name = (name_), .about = (about_))
#define FLAG(name_, about_)         ROW(.name = (name_), .type = SERVICE_FLAG, .about = (about_))
#define CHOICE(name_, about_, all_) ROW(.name = (name_), .about = (about_), .values = (all_))
#define NUMBER(name_, about_)                                                                      \
        ROW(.name = (name_), .type = SERVICE_NUMBER, .least = 1, .about = (about_))
#define LIMIT(most_, preset_)                                                                      \
        ROW(.name = "limit", .type = SERVICE_NUMBER, .least = 1, .most = (most_),                  \
                .preset = (preset_), .about = "At most this many.")
#define DECISIONS                                                                                  \
        CHOICE("decisions",                                                                        \
                "Answers given since: keep them (if not said), or drop them to be "                \
                "asked again.",                                                                    \
                "keep drop")
#define EXPECT                                                                                     \
        ROW(.name = "expect", .type = SERVICE_HASH, .option = "apply",                             \
                .required = "get the plan, and send its \"plan\", the hash of what was agreed to", \
                .about = "The `plan` of the plan that was agreed to: that one is done, or "        \
                         "nothing.")
#define SCOPE                                                                                                           \
        CHOICE("scope",                                                                                                 \
                "Where the sense, or the dismissal, goes; if not said, team_domain, or where the picked candidate is.", \
                "mission_local team_domain audience_domain core spec_kitty_core")
#define TERM                                                                                       \
        ROW(.name = "term", .argument = true, .required = "name a term",                           \
                .about = "The term, or an alias of it.")
#define MISSION TEXT("mission", "The mission whose own sense it is, which is in mission_local.")
/* which of a term's senses */
#define SENSE                                                                                      \
        CHOICE("scope", "The sense of this scope.",                                                \
                "mission_local team_domain audience_domain core spec_kitty_core"),                 \
                MISSION, NUMBER("pick", "Of several, the one of this number in their order."),     \
        {                                                                                          \
                .name = "since_seq", .type = SERVICE_NUMBER, .option = "since-seq",                \
                .about = "The sense that has this `since_seq`."                                    \
        }
#define SENSE_CHANGED                                                                              \
        "404 where the term has no such sense in force, 400 where it has several and none is "     \
        "said, 409 where the one of `since_seq` changed since."
#define DRY_RUN                                                                                    \
        ROW(.name = "dry_run", .type = SERVICE_FLAG, .option = "dry-run",                          \
                .about = "Only say what it would change: nothing is.")
#define REASON TEXT("reason", "Why, for the log.")
#define ACTOR                                                                                      \
        ROW(.name = "actor", .type = SERVICE_ID, .least = 1, .most = 128,                          \
                .about = "Who does it, such as user:ana; if not said, X-Pawl-Actor, or the owner " \
                         "of the service. Kept in the log.")
/* Of a list that is read page by page: the newest of those before it, and how to go on. */
#define PAGE(about_) LIMIT(1000, 0), NUMBER("before", about_)
#define ACCEPT                                                                                     \
        {.name = "accept_changed_inputs",                                                          \
                .type = SERVICE_FLAG,                                                              \
                .option = "accept-changed-inputs",                                                 \
                .about = "Go on though a step's inputs changed since its checkpoint."},            \
                {.name = "accept_changed_mission",                                                 \
                        .type = SERVICE_FLAG,                                                      \
                        .option = "accept-changed-mission",                                        \
                        .about = "Go on though the mission changed, and keep what is completed."}, \
        {                                                                                          \
                .name = "rerun_changed", .type = SERVICE_FLAG, .option = "rerun-changed",          \
                .about = "Run again what changed, and what takes from it."                         \
        }
/* of the events, which service/api_events.c reads */
#define TYPE TEXT("type", "Of this type alone.")
#define RUN  TEXT("run", "Of this run alone.")
#define SEQ(name_, about_, ...)                                                                    \
        ROW(.name = name_, .type = SERVICE_NUMBER, .about = about_, __VA_ARGS__)

/* ---- The table --------------------------------------------------------------------------- */

const service_route service_api_routes[] = {
        COMMAND("GET", "/runs", 0,
                SERVICE_FIELDS(LIMIT(500, 50),
                        NUMBER("before", "Those that started before this event: the next page."),
                        CHOICE("status", "Those that are so now.",
                                "queued running blocked interrupted completed failed cancelled")),
                .id = "listRuns", .tag = "runs", .command = "runs", .answer = "Runs",
                .next = "next", .summary = "The runs, those that started last first."),
        COMMAND("GET", "/runs/{run_id}", 0, NULL, .id = "getRun", .tag = "runs", .command = "runs",
                .id_option = "--id=", .answer = "RunWithSteps",
                .summary = "A run, with its steps."),
        COMMAND("GET", "/runs/{run_id}/steps", 0, NULL, .id = "listSteps", .tag = "runs",
                .command = "runs", .id_option = "--id=", .part = "/steps", .answer = "Step[]",
                .summary = "The steps of a run, in mission order."),
        COMMAND("GET", "/runs/{run_id}/compare", SERVICE_WORKSPACE,
                SERVICE_FIELDS({.name = "with",
                        .argument = true,
                        .required = "name the other run",
                        .about = "The other run."}),
                .id = "compareRuns", .tag = "runs", .command = "compare", .answer = "Comparison",
                .summary = "What lies between a run and another, step by step."),
        COMMAND("POST", "/runs/{run_id}/fork", CHANGES,
                SERVICE_FIELDS({.name = "from",
                                       .required = "name the step that it begins with",
                                       .about = "The step that it begins with."},
                        FLAG("yes", "Go back to the files as they were, where those of the "
                                    "workspace are others now."),
                        ACTOR),
                .id = "forkRun", .tag = "runs", .command = "fork", .answer = "Forked",
                .summary = "Make a new run that begins as this one was before a step of it.",
                .description = "Nothing is run: resuming it goes on. 409, with nothing changed, "
                               "where files would go back and `yes` is not said; a safety "
                               "checkpoint is taken first where it is."),
        COMMAND("GET", "/runs/{run_id}/steps/{step_id}/log", 0,
                SERVICE_FIELDS(NUMBER("attempt", "This attempt alone.")), .id = "getLog",
                .tag = "runs", .command = "logs", .answer = "StepLog",
                .summary = "What the command of a step wrote to standard error, each attempt."),
        COMMAND("GET", "/runs/{run_id}/steps/{step_id}/output", 0, NULL, .id = "getOutput",
                .tag = "runs", .command = "output", .answer = "StepOutput",
                .summary = "The recorded output of a step."),

        COMMAND("GET", "/runs/{run_id}/resume", 0, SERVICE_FIELDS(ACCEPT), .id = "planResume",
                .tag = "runs", .command = "plan", .first = "resume", .answer = "Steering",
                .summary = "What resuming a run would do. Nothing is changed."),
        COMMAND("POST", "/runs/{run_id}/resume", CHANGES, SERVICE_FIELDS(ACCEPT, ACTOR),
                .id = "resumeRun", .tag = "runs", .command = "resume", .process = true,
                .answer = "Resumed", .summary = "Go on with a run.",
                .description =
                        "In a process of its own, which goes on when the service ends; the answer "
                        "comes when that has the run, or has ended. 409 where somebody holds the "
                        "run, or what changed since is not accepted."),
        COMMAND("GET", "/runs/{run_id}/cancel", 0, NULL, .id = "planCancel", .tag = "runs",
                .command = "plan", .first = "cancel", .answer = "Steering",
                .summary = "What cancelling a run would do. Nothing is changed."),
        COMMAND("POST", "/runs/{run_id}/cancel", SERVICE_CHANGES, SERVICE_FIELDS(ACTOR),
                .id = "cancelRun", .tag = "runs", .command = "cancel", .answer = "Cancelled",
                .summary = "End a run for good.",
                .description = "Its command gets TERM, wherever it runs, within seconds. 409 where "
                               "it is completed, or cancelled."),
        COMMAND("GET", "/runs/{run_id}/steps/{step_id}/skip", 0, NULL, .id = "planSkip",
                .tag = "runs", .command = "plan", .first = "skip", .answer = "Steering",
                .summary = "What skipping a step would do. Nothing is changed.",
                .description = "What then `runs` does so when the run is resumed."),
        COMMAND("POST", "/runs/{run_id}/steps/{step_id}/skip", SERVICE_CHANGES,
                SERVICE_FIELDS({.name = "output",
                                       .option = "output-json",
                                       .about = "JSON, as a text: its output from now on. Null, if "
                                                "not said."},
                        ACTOR),
                .id = "skipStep", .tag = "runs", .command = "skip", .answer = "Skipped",
                .summary = "Go past a step that failed.",
                .description = "409 where it has not failed, or the run is "
                               "held. Resuming the run goes on behind it."),

        ROUTE("GET", "/events", 0,
                SERVICE_FIELDS(SEQ("since", "Those after this seq; 0 if not said.", .least = 0),
                        NUMBER("before", "The newest of those before this seq, and after since."),
                        LIMIT(1000, 100), TYPE, RUN, TEXT("step", "Of this step alone.")),
                service_api_events, .id = "listEvents", .tag = "events", .answer = "Events",
                .summary = "Events, a page by seq.",
                .description = "A page has 4 MiB at most (or one event). One that is narrowed "
                               "looks at 65,536 events at most: it may be short or empty and have "
                               "a next."),
        ROUTE("GET", "/events/stream", SERVICE_STREAM,
                SERVICE_FIELDS(SEQ("since", "Begin after this seq; if not said, after the head.",
                                       .least = 0),
                        SEQ("last_event_id", "The same, over since.", .least = 0),
                        SEQ("Last-Event-ID", "The same, over both: the id of the last event seen.",
                                .header = true),
                        TYPE, RUN),
                service_api_stream, .id = "streamEvents", .tag = "events",
                .type = "text/event-stream",
                .summary = "Events as they come, as server-sent events.",
                .description = "Each event is \"id: SEQ\", \"event: TYPE\", \"data: ENVELOPE\". A "
                               "comment goes out every 15 seconds in which nothing else does. The "
                               "stream ends when the service stops, and with \"event: error\", "
                               "data an Error, when the log cannot be followed any more. Go on "
                               "with the id of the last event."),
        ROUTE("GET", "/events/{seq}", 0, NULL, service_api_event, .id = "getEvent", .tag = "events",
                .answer = "Event", .summary = "One event."),

        COMMAND("GET", "/conflicts", 0,
                SERVICE_FIELDS(
                        FLAG("all", "1: also those that were answered, or do not matter any more."),
                        PAGE("The newest of those asked before this event.")),
                .id = "listConflicts", .tag = "conflicts", .command = "conflicts",
                .answer = "Conflict[]", .next = "seq",
                .summary =
                        "The conflicts that wait for an answer, in the order of their requests."),
        COMMAND("GET", "/conflicts/{conflict_id}", 0, NULL, .id = "getConflict", .tag = "conflicts",
                .command = "conflicts", .id_option = "--id=", .answer = "Conflict",
                .summary = "A conflict, answered or not."),
        COMMAND("POST", "/conflicts/{conflict_id}/answer", SERVICE_CHANGES,
                SERVICE_FIELDS(NUMBER("pick", "A candidate's n."),
                        TEXT("define", "A definition of your own."),
                        FLAG("dismiss", "It is no term: nobody is asked about it again."),
                        TEXT("answer", "To a question: one of its options, or any text."), SCOPE,
                        FLAG("replace",
                                "The first answer was wrong, and no step has completed with "
                                "it."),
                        ACTOR),
                .id = "answerConflict", .tag = "conflicts", .command = "resolve",
                .one_of = {"pick", "define", "dismiss", "answer"}, .answer = "Answered",
                .summary = "Answer a conflict.",
                .description = "There is one answer to a conflict: a second is 409, and changes "
                               "nothing, unless it replaces the first."),
        COMMAND("POST", "/answers", SERVICE_CHANGES,
                SERVICE_FIELDS({.name = "answers",
                                       .type = SERVICE_LIST,
                                       .option = "answers-json",
                                       .required = "send the list of them",
                                       .about = "Objects with a `conflict_id`, one of `pick`, "
                                                "`define`, `dismiss` and `answer`, and maybe a "
                                                "`scope`."},
                        ACTOR),
                .id = "answerConflicts", .tag = "conflicts", .command = "resolve",
                .answer = "AnsweredAll",
                .summary = "Answer conflicts, all of them at once or none.",
                .description = "Where one is refused, nothing is changed; the message says which."),
        COMMAND("POST", "/runs/{run_id}/answers", SERVICE_CHANGES,
                SERVICE_FIELDS(FLAG("dismiss", "They are no terms."),
                        {.name = "pick_first",
                                .type = SERVICE_FLAG,
                                .option = "pick-first",
                                .about = "The first candidate of each that has one."},
                        SCOPE, ACTOR),
                .id = "answerRun", .tag = "conflicts", .command = "resolve", .word = "--all",
                .id_option = "--run=", .one_of = {"dismiss", "pick_first"}, .answer = "AnsweredAll",
                .summary = "Give every open conflict of a run the same answer, at once."),

        COMMAND("GET", "/sessions", 0,
                SERVICE_FIELDS(TEXT("mission", "Of this mission alone."),
                        CHOICE("status", "Those that are so.",
                                "active completed interrupted error"),
                        LIMIT(500, 50), NUMBER("before", "Those that began before this event.")),
                .id = "listSessions", .tag = "sessions", .command = "sessions",
                .answer = "Session[]", .next = "seq", .summary = "The sessions, newest first."),
        COMMAND("GET", "/sessions/{session_id}", 0, NULL, .id = "getSession", .tag = "sessions",
                .command = "sessions", .id_option = "--id=", .part = "/0", .answer = "Session",
                .summary = "A session."),
        COMMAND("GET", "/sessions/{session_id}/handoff", 0,
                SERVICE_FIELDS(NUMBER("summary", "The last so many steps that are done are listed, "
                                                 "the others counted.")),
                .id = "getHandoff", .tag = "sessions", .command = "handoff", .part = "/text",
                .type = "text/plain; charset=utf-8",
                .summary = "What a session leaves to whoever comes next."),

        COMMAND("GET", "/checkpoints", 0,
                SERVICE_FIELDS(
                        TEXT("run", "Those of this run: its id, or 4 characters or more that "
                                    "it alone begins with."),
                        TEXT("session", "Those of this session, named as a run is."),
                        TEXT("step", "Those of the step of this name, in any run."),
                        PAGE("The newest of those before the checkpoint of this number.")),
                .id = "listCheckpoints", .tag = "checkpoints", .command = "checkpoints",
                .answer = "Checkpoint[]", .next = "n",
                .summary = "The checkpoints of the workspace, oldest first."),
        COMMAND("POST", "/checkpoints", CHANGES,
                SERVICE_FIELDS({.name = "description",
                                       .argument = true,
                                       .about = "What it is, for people."},
                        ACTOR),
                .id = "takeCheckpoint", .tag = "checkpoints", .command = "checkpoint",
                .answer = "TakenCheckpoint",
                .summary = "Keep the files of the workspace as they are."),
        COMMAND("GET", "/checkpoints/{n}", 0, NULL, .id = "getCheckpoint", .tag = "checkpoints",
                .command = "show", .answer = "Checkpoint", .summary = "A checkpoint."),
        COMMAND("GET", "/checkpoints/{n}/diff", SERVICE_WORKSPACE,
                SERVICE_FIELDS(
                        {.name = "to",
                                .argument = true,
                                .about = "The other checkpoint; if not said, the workspace."},
                        FLAG("patch", "1: also as a unified diff.")),
                .id = "diffCheckpoint", .tag = "checkpoints", .command = "diff", .answer = "Diff",
                .summary =
                        "What lies between a checkpoint and another, or the workspace as it is."),
        COMMAND("GET", "/checkpoints/{n}/rollback", SERVICE_WORKSPACE,
                SERVICE_FIELDS(FLAG("git", "1: with the branch."), DECISIONS), .id = "planRollback",
                .tag = "checkpoints", .command = "rollback", .word = "--plan", .answer = "Plan",
                .summary = "What going back to a checkpoint would do. Nothing is changed."),
        COMMAND("POST", "/checkpoints/{n}/rollback", CHANGES,
                SERVICE_FIELDS(EXPECT, REASON, DECISIONS,
                        FLAG("git", "Move the branch back too, if nothing is lost by it."), ACTOR),
                .id = "rollBack", .tag = "checkpoints", .command = "rollback", .answer = "Plan",
                .summary = "Go back to a checkpoint, by the plan that was agreed to.",
                .description = PLAN_CHANGED),
        COMMAND("GET", "/rollbacks", 0,
                SERVICE_FIELDS(PAGE("The newest of those that began before this event.")),
                .id = "listRollbacks", .tag = "checkpoints", .command = "rollbacks",
                .answer = "Rollback[]", .next = "seq",
                .summary = "The rollbacks and undos, oldest first, and what each gave up."),
        COMMAND("GET", "/undo", SERVICE_WORKSPACE, NULL, .id = "planUndo", .tag = "checkpoints",
                .command = "undo", .word = "--plan", .answer = "Plan",
                .summary =
                        "What undoing the newest rollback or restore would do. Nothing is changed."),
        COMMAND("POST", "/undo", CHANGES, SERVICE_FIELDS(EXPECT, REASON, ACTOR), .id = "undo",
                .tag = "checkpoints", .command = "undo", .answer = "Plan",
                .summary = "Undo the newest rollback or restore, by the plan that was agreed to.",
                .description = PLAN_CHANGED),
        COMMAND("GET", "/redo", SERVICE_WORKSPACE, NULL, .id = "planRedo", .tag = "checkpoints",
                .command = "redo", .word = "--plan", .answer = "Plan",
                .summary = "What redoing the newest undo would do. Nothing is changed."),
        COMMAND("POST", "/redo", CHANGES, SERVICE_FIELDS(EXPECT, REASON, ACTOR), .id = "redo",
                .tag = "checkpoints", .command = "redo", .answer = "Plan",
                .summary = "Redo the newest undo, by the plan that was agreed to.",
                .description = PLAN_CHANGED),

        COMMAND("GET", "/glossary", 0,
                SERVICE_FIELDS(NUMBER("at", "As the glossary stood after this event.")),
                .id = "listSenses", .tag = "glossary", .command = "glossary list",
                .answer = "Sense[]", .summary = "The senses in force."),
        COMMAND("GET", "/glossary/log", 0, SERVICE_FIELDS(TERM), .id = "listSenseChanges",
                .tag = "glossary", .command = "glossary log", .answer = "SenseEvent[]",
                .summary = "Who changed what a term means, and when, oldest first.",
                .description = "Reads the whole log."),
        COMMAND("POST", "/glossary/edit", SERVICE_CHANGES,
                SERVICE_FIELDS(TERM,
                        {.name = "define",
                                .required = "write what the term means",
                                .about = "The definition from now on."},
                        SENSE, DRY_RUN, ACTOR),
                .id = "editSense", .tag = "glossary", .command = "glossary edit",
                .answer = "SensesChanged",
                .summary = "Give a sense another definition; the former one is deprecated.",
                .description = SENSE_CHANGED),
        COMMAND("POST", "/glossary/deprecate", SERVICE_CHANGES,
                SERVICE_FIELDS(TERM, SENSE, DRY_RUN, ACTOR), .id = "deprecateSense",
                .tag = "glossary", .command = "glossary deprecate", .answer = "SensesChanged",
                .summary = "Retire a sense: it decides nothing any more.",
                .description = SENSE_CHANGED),
        COMMAND("POST", "/glossary/ignore", SERVICE_CHANGES,
                SERVICE_FIELDS(TERM,
                        CHOICE("scope",
                                "Where nobody is to be asked about it; team_domain if not said, or "
                                "the mission's own.",
                                "mission_local team_domain audience_domain core spec_kitty_core"),
                        MISSION, DRY_RUN, ACTOR),
                .id = "ignoreTerm", .tag = "glossary", .command = "glossary ignore",
                .answer = "SensesChanged", .summary = "Say that a word is no term."),
        COMMAND("POST", "/glossary/import", SERVICE_CHANGES | SERVICE_LARGE,
                SERVICE_FIELDS({.name = "seed",
                                       .option = "text",
                                       .required = "send the text of a seed file",
                                       .about = "A seed, YAML or JSON, as a text."},
                        {.name = "scope",
                                .required = "say where the senses go",
                                .values = "team_domain audience_domain core spec_kitty_core",
                                .about = "Where the senses go."},
                        DRY_RUN, ACTOR),
                .id = "importSenses", .tag = "glossary", .command = "glossary import",
                .answer = "SensesImported", .summary = "Put the senses of a seed into a scope.",
                .description = "Where the seed has errors nothing is changed; the first ten are "
                               "said, each with its line."),
        COMMAND("GET", "/verify", 0, NULL, .id = "verify", .tag = "log",
                .command = "eventlog verify", .verdict = true, .answer = "Verified",
                .summary = "Recompute the chain of hashes.",
                .description = "A log that does not verify is an answer: ok is false. Reads the "
                               "whole log."),
        COMMAND("GET", "/stats", 0, NULL, .id = "stats", .tag = "log", .command = "eventlog stats",
                .answer = "Stats", .summary = "Events and bytes by type, mission and run.",
                .description = "Reads the whole log."),
        COMMAND("GET", "/head", 0, NULL, .id = "head", .tag = "log", .command = "eventlog head",
                .answer = "Head", .summary = "The last event's seq and hash."),
        ROUTE("GET", "/openapi.json", SERVICE_NO_LOG, NULL, service_api_document, .id = "describe",
                .tag = "service", .summary = "This document."),
        {"GET", "/openapi.json", SERVICE_NO_LOG, NULL, service_api_document,
                SERVICE_OPERATION(.id = "describeAtRoot", .tag = "service",
                        .summary = "This document.")},
        SERVICE_ROUTES_END,
};
