#include "support/event_samples.h"

#define HASH_1 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_2 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define ACTOR                                                                                      \
        "\"actor\":{\"actor_id\":\"user:ana\",\"actor_type\":\"user\",\"display_name\":\"ana\"}"
#define PROVENANCE                                                                                 \
        "\"provenance\":{\"source\":\"seed_file\",\"timestamp\":\"2026-11-20T12:35:00.000000Z\","  \
        "\"actor_id\":\"user:ana\"}"
#define SENSE                                                                                      \
        "\"confidence\":0.9,\"definition\":\"A folder of files.\",\"scope\":\"team_domain\","      \
        "\"surface\":\"workspace\""
#define REFS "\"scope_refs\":[{\"scope\":\"team_domain\",\"version_id\":\"" SAMPLE_VERSION "\"}]"
#define RESUMED                                                                                    \
        "{\"cursor\":\"post_gate\",\"inputs_changed\":false,\"retry_token\":\"" SAMPLE_TOKEN "\"}"

#define TEXT(string)                                                                               \
        {                                                                                          \
                string, sizeof(string) - 1                                                         \
        }
#define SAMPLE(name, step, json)                                                                   \
        {                                                                                          \
                0, INT64_C(1795178100000000), TEXT(name), 1, TEXT("mission-1"), TEXT("run-1"),     \
                        step, TEXT("session-1"), TEXT("user:ana"), TEXT(json), {0},                \
                {                                                                                  \
                        0                                                                          \
                }                                                                                  \
        }
#define NO_STEP                                                                                    \
        {                                                                                          \
                NULL, 0                                                                            \
        }
#define ONE TEXT("one")

/* clang-format off: it would put a member a line */
const pawl_event event_samples[EVENT_SAMPLES] = {
        SAMPLE("RunClaimed", NO_STEP,
                "{\"fence\":1,\"owner\":{\"boot_id\":\"boot-1\",\"host\":\"host-a\",\"pid\":100,"
                "\"pid_start\":7}}"),
        SAMPLE("RunStarted", NO_STEP,
                "{\"mission_hash\":\"" HASH_1 "\",\"mission_path\":\"/m.yaml\"," REFS
                ",\"steps\":[\"one\",\"two\"],\"strictness\":null}"),
        SAMPLE("SessionStarted", NO_STEP, "{}"),
        SAMPLE("GlossaryScopeActivated", NO_STEP,
                "{\"glossary_version_id\":\"" SAMPLE_VERSION "\",\"scope_id\":\"team_domain\"}"),
        SAMPLE("GlossarySenseUpdated", NO_STEP,
                "{" ACTOR ",\"new_sense\":{" SENSE ",\"status\":\"active\"},"
                "\"normal\":\"workspace\"," PROVENANCE ",\"scope\":\"team_domain\","
                "\"term_surface\":\"workspace\",\"update_type\":\"create\","
                "\"version_id\":\"" SAMPLE_VERSION "\"}"),
        SAMPLE("StepStarted", ONE, "{\"input_hash\":\"" HASH_1 "\"}"),
        SAMPLE("TermCandidateObserved", ONE,
                "{\"actor_id\":\"user:ana\",\"confidence\":0.8,\"context\":\"in the workspace\","
                "\"extraction_method\":\"glossary_match\",\"source_step\":\"one\","
                "\"term\":\"workspace\"}"),
        SAMPLE("SemanticCheckEvaluated", ONE,
                "{\"blocked\":true,\"confidence\":0.9,\"effective_strictness\":\"medium\","
                "\"findings\":[{\"candidate_senses\":[{" SENSE "}],\"confidence\":0.9,"
                "\"conflict_type\":\"ambiguous\",\"context\":\"in the workspace\","
                "\"original\":\"workspace\",\"severity\":\"high\",\"term\":\"workspace\"}],"
                "\"overall_severity\":\"high\",\"recommended_action\":\"block\"}"),
        SAMPLE("StepCheckpointed", ONE,
                "{\"cursor\":\"pre_generation_gate\",\"input_hash\":\"" HASH_1
                "\",\"input_hash_alg\":\"jcs-sha256\",\"retry_token\":\"" SAMPLE_TOKEN "\"," REFS
                ",\"strictness\":\"medium\"}"),
        SAMPLE("GenerationBlockedBySemanticConflict", ONE,
                "{\"conflicts\":[{\"conflict_id\":\"conflict-1\",\"term\":\"workspace\"}],"
                "\"effective_strictness\":\"medium\",\"strictness_mode\":\"medium\"}"),
        SAMPLE("GlossaryClarificationRequested", ONE,
                "{\"confidence\":0.9,\"conflict_id\":\"conflict-1\","
                "\"conflict_type\":\"ambiguous\",\"context\":\"in the workspace\","
                "\"input_hash\":\"" HASH_1 "\",\"options\":[{" SENSE "}],\"question\":\"Which?\","
                "\"retry_token\":\"" SAMPLE_TOKEN "\",\"severity\":\"high\","
                "\"term\":\"workspace\",\"urgency\":\"high\"}"),
        SAMPLE("SessionEnded", NO_STEP, "{\"reason\":\"SIGTERM\",\"status\":\"interrupted\"}"),
        SAMPLE("GlossaryClarificationResolved", NO_STEP,
                "{" ACTOR ",\"conflict_id\":\"conflict-1\",\"normal\":\"workspace\"," PROVENANCE
                ",\"resolution_mode\":\"async\",\"selected_sense\":{" SENSE "},"
                "\"term_surface\":\"workspace\"}"),
        SAMPLE("StepResumeAborted", ONE, RESUMED),
        SAMPLE("StepResumed", ONE, RESUMED),
        SAMPLE("StepCompleted", ONE,
                "{\"exit_code\":0,\"input_hash\":\"" HASH_1 "\",\"output_hash\":\"" HASH_2 "\"}"),
        SAMPLE("StepAttemptFailed", TEXT("two"),
                "{\"attempt\":1,\"exit_code\":143,\"last_line\":\"no\",\"log_bytes\":3,"
                "\"log_hash\":\"" HASH_2 "\",\"reason\":\"interrupted by SIGTERM\"}"),
        SAMPLE("StepFailed", TEXT("two"), "{\"exit_code\":1,\"reason\":\"exit 1\"}"),
        SAMPLE("RunFailed", NO_STEP, "{\"reason\":\"step two failed\"}"),
        SAMPLE("RunCompleted", NO_STEP, "{}"),
        SAMPLE("WorkspaceCheckpointed", ONE,
                "{\"base\":0,\"bytes\":12,\"description\":\"one is done\",\"files\":3,"
                "\"git\":{\"branch\":\"main\",\"head\":\"0123\"},\"id\":\"cp-01-one\",\"n\":1,"
                "\"outputs_hash\":\"" HASH_2 "\",\"root\":\".\",\"skipped\":1,"
                "\"state_hash\":\"" HASH_1 "\",\"tree\":\"" HASH_1 "\",\"trigger\":\"auto\"}"),
        SAMPLE("ToolCallCheckpointed", ONE,
                "{\"call_id\":\"call-1\",\"checkpoint\":1,\"checkpoint_id\":\"cp-01-one\","
                "\"document\":\"" HASH_1 "\",\"message_id\":\"message-1\","
                "\"name\":\"2026-11-20T12-35-00-000Z-call-1-replace.json\","
                "\"tool\":\"replace\"}"),
        SAMPLE("WorkspaceCheckpointed", NO_STEP,
                "{\"base\":1,\"bytes\":9,\"files\":2,\"id\":\"cp-02-safety\",\"n\":2,"
                "\"root\":\".\",\"safety\":true,\"skipped\":0,\"tree\":\"" HASH_2
                "\",\"trigger\":\"manual\"}"),
        SAMPLE("WorkspaceRollbackStarted", NO_STEP,
                "{\"decisions\":\"keep\",\"git\":{\"from\":\"4567\",\"to\":\"0123\"},"
                "\"plan_hash\":\"" HASH_2 "\",\"reason\":\"start again\",\"safety\":2,"
                "\"target\":1,\"tree\":\"" HASH_1 "\",\"undo\":false}"),
        SAMPLE("WorkspaceRolledBack", NO_STEP,
                "{\"invalidated\":[2],\"outcome\":\"done\",\"revalidated\":[],"
                "\"started_seq\":24,\"steps\":[{\"run_id\":\"run-1\",\"step_id\":\"one\"}]}"),
        SAMPLE("CheckpointInvalidated", NO_STEP, "{\"n\":1,\"reason\":\"a.txt is damaged\"}"),
        SAMPLE("CheckpointUpdated", NO_STEP, "{\"n\":1,\"pinned\":true,\"valid\":true}"),
        SAMPLE("Pruned", NO_STEP,
                "{\"bytes\":7,\"contents\":1,\"kind\":\"checkpoints\",\"pruned\":[2]}"),
        SAMPLE("RunMissionChanged", NO_STEP,
                "{\"changes\":[{\"change\":\"removed\",\"step_id\":\"two\"},"
                "{\"change\":\"added\",\"step_id\":\"three\"}],"
                "\"mission_document\":\"" HASH_2 "\",\"mission_hash\":\"" HASH_1
                "\",\"rerun\":[\"one\"],\"steps\":[\"one\",\"three\"]}"),
        SAMPLE("RunCancelled", NO_STEP, "{\"reason\":\"cancelled by user:ana\"}"),
        SAMPLE("RunNotified", NO_STEP, "{\"seq\":24}"),
        SAMPLE("WorkspaceCheckpointFailed", NO_STEP,
                "{\"reason\":\".gitignore: cannot be read\",\"trigger\":\"auto\"}"),
};
/* clang-format on */
