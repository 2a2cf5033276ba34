/**
 * @file workspace/git/git_library.h
 * @brief libgit2, loaded when it is first used.
 */
#pragma once

#include "base/lazy.h"
#include <git2.h>

#define PAWL__GIT_FUNCTIONS(X)                                                                     \
        X(git_libgit2_init)                                                                        \
        X(git_error_last)                                                                          \
        X(git_diff_buffers)                                                                        \
        X(git_repository_open_ext)                                                                 \
        X(git_repository_discover)                                                                 \
        X(git_buf_dispose)                                                                         \
        X(git_repository_free)                                                                     \
        X(git_repository_head)                                                                     \
        X(git_repository_head_for_worktree)                                                        \
        X(git_repository_is_bare)                                                                  \
        X(git_repository_workdir)                                                                  \
        X(git_repository_commondir)                                                                \
        X(git_repository_index)                                                                    \
        X(git_repository_state)                                                                    \
        X(git_repository_path)                                                                     \
        X(git_reference_lookup)                                                                    \
        X(git_reference_free)                                                                      \
        X(git_reference_name)                                                                      \
        X(git_reference_symbolic_target)                                                           \
        X(git_reference_target)                                                                    \
        X(git_reference_type)                                                                      \
        X(git_reference_set_target)                                                                \
        X(git_oid_fromstr)                                                                         \
        X(git_oid_tostr)                                                                           \
        X(git_oid_equal)                                                                           \
        X(git_commit_lookup)                                                                       \
        X(git_commit_free)                                                                         \
        X(git_commit_tree)                                                                         \
        X(git_commit_summary)                                                                      \
        X(git_tree_free)                                                                           \
        X(git_tree_entry_bypath)                                                                   \
        X(git_tree_entry_id)                                                                       \
        X(git_tree_entry_type)                                                                     \
        X(git_tree_entry_free)                                                                     \
        X(git_tree_entrycount)                                                                     \
        X(git_tree_entry_byindex)                                                                  \
        X(git_tree_entry_name)                                                                     \
        X(git_tree_entry_filemode)                                                                 \
        X(git_blob_lookup)                                                                         \
        X(git_blob_free)                                                                           \
        X(git_blob_rawcontent)                                                                     \
        X(git_blob_rawsize)                                                                        \
        X(git_object_lookup)                                                                       \
        X(git_object_peel)                                                                         \
        X(git_object_id)                                                                           \
        X(git_object_free)                                                                         \
        X(git_revwalk_new)                                                                         \
        X(git_revwalk_push)                                                                        \
        X(git_revwalk_hide)                                                                        \
        X(git_revwalk_sorting)                                                                     \
        X(git_revwalk_next)                                                                        \
        X(git_revwalk_free)                                                                        \
        X(git_graph_descendant_of)                                                                 \
        X(git_diff_tree_to_tree)                                                                   \
        X(git_diff_tree_to_index)                                                                  \
        X(git_diff_num_deltas)                                                                     \
        X(git_diff_get_delta)                                                                      \
        X(git_diff_free)                                                                           \
        X(git_patch_from_diff)                                                                     \
        X(git_patch_line_stats)                                                                    \
        X(git_patch_free)                                                                          \
        X(git_index_free)                                                                          \
        X(git_index_read)                                                                          \
        X(git_index_read_tree)                                                                     \
        X(git_index_path)                                                                          \
        X(git_index_write)                                                                         \
        X(git_index_has_conflicts)                                                                 \
        X(git_worktree_list)                                                                       \
        X(git_strarray_dispose)

/** Its functions, under their own names. */
typedef struct pawl__git_library {
        PAWL__GIT_FUNCTIONS(PAWL__LAZY_FIELD)
} pawl__git_library;

/** Load and start it. PAWL_ENOTFOUND where it is not installed. Static. */
PAWL_MUST_CHECK pawl_status pawl__git_load(const pawl__git_library **out, pawl_error *err);

/** libgit2's last failure as "WHERE: DOING: what it says; ...": PAWL_ENOMEM, PAWL_ENOTFOUND,
 *  PAWL_EACCESS (another owner) or PAWL_EIO. */
pawl_status pawl__git_fail(pawl_error *err, int code, const char *where, const char *doing);
