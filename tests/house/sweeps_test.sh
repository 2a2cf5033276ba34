# Every function of the public headers is called where each allocation fails once, or is one of those
# that allocate nothing: they tell what a handle holds, or free it.
cd "$SOURCE_DIR"
fail=0
nothing='pawl_comparison_free pawl_conflicts_free pawl_context_conflict pawl_context_conflicts
pawl_context_cursor pawl_context_errmsg pawl_context_input_diff pawl_context_input_hash
pawl_context_inputs pawl_context_mission_id pawl_context_output pawl_context_retry_token
pawl_context_run_id pawl_context_set_critical pawl_context_step_id pawl_context_strictness
pawl_log_errmsg pawl_log_interrupt pawl_log_warning pawl_missed_free pawl_mission_id
pawl_mission_step_id pawl_mission_steps pawl_pipeline_errmsg pawl_prune_report_free
pawl_rollback_plan_free pawl_rollback_plan_look pawl_rollbacks_free pawl_runs_free pawl_senses_free
pawl_status_name pawl_toolcall_free pawl_toolcall_names_free pawl_toolcall_plan pawl_toolcall_told
pawl_toolcalls_at pawl_toolcalls_count pawl_toolcalls_failed pawl_toolcalls_free pawl_usage_free
pawl_validation_free pawl_version pawl_workspace_capture_free pawl_workspace_checkpoints_free
pawl_workspace_prune_free'

# Their declarations, each on one line; the name is what stands before the first parenthesis, once
# the attribute in front of it is gone.
functions=$(cat include/pawl/*.h | tr '\n' ' ' | grep -oE 'PAWL_EXTERN [^;(]*\(' |
        grep -oE 'pawl_[a-z0-9_]+\($' | tr -d '(' | sort -u)
[ "$(wc -w <<<"$functions")" -gt 60 ] || { echo "the headers were not understood"; exit 1; }

mapfile -t sweeps < <(grep -l 'allocator_fail_at' tests/*/*_test.c)
for function in $functions; do
        if grep -qw -- "$function" <<<"$nothing"; then
                continue
        fi
        grep -qE "\b$function\(" "${sweeps[@]}" || {
                echo "$function: no test calls it where allocations fail"
                fail=1
        }
done
for function in $nothing; do
        grep -qx -- "$function" <<<"$functions" || {
                echo "$function: is said to allocate nothing, but no header has it"
                fail=1
        }
done
exit $fail
