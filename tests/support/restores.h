/**
 * @file tests/support/restores.h
 * @brief A workspace that plans are done in, whose contents come out of memory.
 */
#pragma once

#include "support/trees.h"
#include "workspace/rollback/restore.h"

/** FOLDER/root is the workspace. */
typedef struct restores {
        trees t;
        char *directory, *root;
        pawl__rootdir b;
        pawl__plan plan;
        tree_hash now, target;
        void (*meddle)(struct restores *); /* called when a content is asked for; once */
        uint64_t names;
} restores;

/** Which way directories are reached: all tests run both. */
extern bool restores_by_component;
/** cmocka's setup of all tests of a program: name by name. */
int restores_by_name(void **state);

int restores_setup(void **state);
int restores_teardown(void **state);
#define RESTORES_TEST(name) UNIT_TEST_WITH(name, restores *f, restores_setup, restores_teardown)
/** A plan between two trees, both recorded. */
void restores_plan(restores *f, tree_hash now, tree_hash target);
/** Do the plan, or go back. */
pawl_status restores_run(restores *f, bool back, bool again, pawl_error *err);
/** The same, which must succeed. */
void restores_must_run(restores *f, bool back, bool again);
/** The workspace is this tree. */
bool restores_on_disk(restores *f, tree_hash wanted);
/** A plan over one of everything, and the workspace as it is before. */
void restores_start(restores *f);
/** Make the workspace empty, as root can. */
void restores_wipe(restores *f);
