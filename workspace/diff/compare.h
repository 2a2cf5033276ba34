/**
 * @file workspace/diff/compare.h
 * @brief What a comparison is made of: its files (compare_files.c), its members
 *        (compare_members.c) and git's commits
 *        (compare_git.c).
 */
#pragma once

#include "workspace/ignored_then.h"
#include "workspace/store/rootdir.h"
#include "workspace/workspace.h"

/** What a caller gets, and what it lies in. */
typedef struct pawl__comparing {
        pawl_comparison shown;
        pawl__workspace ws;
        pawl__row rows[2]; /**< a and b */
        pawl_workspace_checkpoint_info a, b;
        bool has_b;       /**< false: b is the workspace as scan saw it */
        pawl__scan *scan; /**< NULL: b is a checkpoint */
        pawl__rootdir root;
        pawl__ignored_then then[2]; /**< what a and b leave out; without a tree: the workspace */
        pawl_text ignored; /**< the directory that was listed as ignored last; absent: none was */
        pawl__buf before, after, hunks; /**< of the current file */
        pawl_patch_fn patch;
        void *patch_user;

        pawl_git_between git;
        bool has_git;
        pawl_file_change *files;
        size_t n_files, cap_files;
        pawl_unknown_file *unknown;
        size_t n_unknown, cap_unknown;
        pawl_member_change *members;
        size_t n_members, cap_members;
} pawl__comparing;

PAWL_MUST_CHECK pawl_status pawl__compare_files(pawl__comparing *c, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__compare_members(pawl__comparing *c, pawl_error *err);
PAWL_MUST_CHECK pawl_status pawl__compare_git(pawl__comparing *c, pawl_error *err);
