#include "support/shapes.h"
#include "base/digest.h"
#include "support/vfs.h"
#include "workspace/store/mark.h"

static int set_up_on(void **state, const char *vfs)
{
        shapes *t = test_alloc(sizeof *t);
        assert_int_equal(event_log_setup(state), 0);
        t->f = *state;
        t->f->vfs = vfs;
        event_log_open(t->f);
        assert_ok(pawl__state_of(&t->state, t->f->log, &t->err));
        assert_ok(pawl__contents_open(&t->contents, t->f->log, &t->err));
        assert_ok(pawl__hasher_new(&t->hasher, &t->err));
        *state = t;
        return 0;
}

int shapes_setup(void **state)
{
        return set_up_on(state, NULL);
}

int shapes_setup_memory(void **state)
{
        fault_reset();
        return set_up_on(state, FAULT_VFS); /* which syncs nothing, and so is quick */
}

int shapes_teardown(void **state)
{
        shapes *t = *state;

        pawl__contents_close(t->contents);
        pawl__hasher_free(t->hasher);
        *state = t->f;
        return event_log_teardown(state);
}

size_t shapes_text(char out[64], char letter)
{
        return (size_t)snprintf(out, 64, "the content of %c, which is no other's", letter);
}

static void file_entry(pawl__entry *entry, shapes *t, char letter, char name[24], int i)
{
        char text[64];
        size_t len = shapes_text(text, letter);

        snprintf(name, 24, "file-%d", i);
        *entry = (pawl__entry){
                .kind = PAWL__ENTRY_FILE, .name = pawl__text(name), .mode = 0644, .size = len};
        assert_ok(pawl__sha256(t->hasher, entry->hash, text, len, NULL));
}

static pawl_status put_file(shapes *t, char letter, pawl_error *err)
{
        char text[64];
        unsigned char hash[32];
        size_t len = shapes_text(text, letter);

        assert_ok(pawl__sha256(t->hasher, hash, text, len, NULL));
        return pawl__contents_put_whole(t->contents, hash, pawl__text_n(text, len), NULL, err);
}

pawl_status shapes_put_directory(unsigned char hash[32], const shape *s, int from, int to,
        const unsigned char *inner, bool put, pawl_error *err)
{
        pawl__entry entries[SHAPE_FILES + 1];
        pawl__buf encoded = PAWL__BUF_INIT;
        char names[SHAPE_FILES][24];
        size_t n = 0;
        pawl_status status = PAWL_OK;

        for (int i = from; i < to && !status; i++) {
                if (s->files[i] == '-')
                        continue;
                file_entry(&entries[n++], s->t, s->files[i], names[i], i);
                if (put)
                        status = put_file(s->t, s->files[i], err);
        }
        if (inner) {
                entries[n] = (pawl__entry){
                        .kind = PAWL__ENTRY_DIRECTORY, .name = pawl__text("in"), .mode = 0755};
                memcpy(entries[n++].hash, inner, 32);
        }
        if (!status)
                status = pawl__tree_encode(&encoded, entries, n, err);
        if (!status)
                status = pawl__sha256(s->t->hasher, hash, encoded.data, encoded.len, err);
        if (!status && put)
                status = pawl__contents_put_whole(
                        s->t->contents, hash, pawl__buf_text(&encoded), NULL, err);
        pawl__buf_free(&encoded);
        return status;
}

pawl_status shapes_put_tree(unsigned char tree[32], const shape *s, bool put, pawl_error *err)
{
        unsigned char inner[32];
        pawl_status status = shapes_put_directory(inner, s, 0, 3, NULL, put, err);

        return status ? status : shapes_put_directory(tree, s, 3, SHAPE_FILES, inner, put, err);
}

static pawl_status put_checkpoint(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        const shape *s = user;
        unsigned char tree[32];
        char hex[65], payload[600];
        pawl_status status = shapes_put_tree(tree, s, true, err);

        (void)log;
        if (status)
                return status;
        pawl__hex(hex, tree, 32);
        snprintf(payload, sizeof payload,
                "{\"n\":%d,\"id\":\"cp-%02d\",\"trigger\":\"auto\",\"root\":\".\",\"tree\":\"%s\","
                "\"files\":%d,\"bytes\":10,\"skipped\":0%s}",
                (int)s->t->n + 1, (int)s->t->n + 1, hex, SHAPE_FILES, s->more ? s->more : "");
        const pawl_event event = {.type = pawl__text("WorkspaceCheckpointed"),
                .v = 1,
                .mission_id = pawl__text(s->run ? "mission-1" : NULL),
                .run_id = pawl__text(s->run),
                .payload = pawl__text(payload)};
        return pawl__batch_event(batch, &event, err);
}

void shapes_take_as(shapes *t, const char *files, const char *more, const char *run)
{
        shape s = {t, files, more, run};
        pawl__batch batch = {.prepare = put_checkpoint, .prepare_user = &s};

        t->f->wall_us += 1000000;
        if (pawl__log_commit(t->f->log, &batch, 0, NULL))
                fail_msg("%s", pawl_log_errmsg(t->f->log));
        pawl__batch_free(&batch);
        t->n++;
}

void shapes_take(shapes *t, const char *files)
{
        shapes_take_as(t, files, NULL, NULL);
}

void shapes_append(shapes *t, const char *type, const char *run, const char *payload)
{
        const pawl_event event = {.type = pawl__text(type),
                .v = 1,
                .mission_id = pawl__text(run ? "mission-1" : NULL),
                .run_id = pawl__text(run),
                .step_id = pawl__text(run && strncmp(type, "Run", 3) != 0 ? "one" : NULL),
                .payload = pawl__text(payload)};

        if (append_one(t->f->log, event, run ? t->fence : 0))
                fail_msg("%s", pawl_log_errmsg(t->f->log));
}

uint64_t shapes_head(shapes *t)
{
        unsigned char hash[32];
        uint64_t seq = 0;

        assert_ok(pawl_log_head(&seq, hash, t->f->log));
        return seq;
}

void shapes_start_rollback(shapes *t, int target, const char *files, const char *now, bool undo)
{
        shape s = {.t = t, .files = files};
        unsigned char tree[32];
        char hex[65], payload[400];

        shapes_take_as(t, now, ",\"safety\":true", NULL);
        assert_ok(shapes_put_tree(tree, &s, false, NULL));
        pawl__hex(hex, tree, 32);
        snprintf(payload, sizeof payload,
                "{\"target\":%d,\"safety\":%d,\"tree\":\"%s\",\"plan_hash\":\"%s\",\"undo\":%s}",
                target, (int)t->n, hex, hex, undo ? "true" : "false");
        shapes_append(t, "WorkspaceRollbackStarted", NULL, payload);
}

void shapes_end_rollback(shapes *t, const char *outcome)
{
        char payload[200];

        snprintf(payload, sizeof payload,
                "{\"started_seq\":%d,\"outcome\":\"%s\",\"invalidated\":[],\"revalidated\":[],"
                "\"steps\":[]}",
                (int)shapes_head(t), outcome);
        shapes_append(t, "WorkspaceRolledBack", NULL, payload);
}

pawl_workspace_prune_report *shapes_prune(shapes *t, size_t keep, bool dry_run)
{
        pawl_workspace_prune_options options = PAWL_CHECKPOINT_PRUNE_INIT;
        pawl_workspace_prune_report *report = NULL;

        options.keep = keep;
        options.dry_run = dry_run;
        options.actor = "user:ana";
        if (pawl_workspace_prune(&report, t->f->log, &options, &t->err))
                fail_msg("%s", t->err.message);
        return report;
}

static pawl_status pass(const void *data, size_t len, void *user, pawl_error *err)
{
        (void)data, (void)len, (void)user, (void)err;
        return PAWL_OK;
}

void shapes_check_there(shapes *t, const char *files)
{
        shape s = {.t = t, .files = files};
        pawl__mark *reach = NULL;
        unsigned char tree[32];

        assert_ok(shapes_put_tree(tree, &s, false, NULL));
        assert_ok(pawl__mark_new(&reach, t->contents, &t->err));
        if (pawl__mark_add(reach, tree, 0, &t->err))
                fail_msg("%s: %s", files, t->err.message);
        pawl__mark_free(reach);
        for (int i = 0; i < SHAPE_FILES; i++) {
                char text[64];
                unsigned char hash[32];
                if (files[i] == '-')
                        continue;
                size_t len = shapes_text(text, files[i]);
                assert_ok(pawl__sha256(t->hasher, hash, text, len, NULL));
                if (pawl__contents_read(t->contents, hash, len, pass, NULL, &t->err))
                        fail_msg("%s: %s", files, t->err.message);
        }
}

pawl_usage *shapes_usage(shapes *t)
{
        pawl_usage *usage = NULL;

        if (pawl_workspace_usage(&usage, t->f->log, &t->err))
                fail_msg("%s", t->err.message);
        return usage;
}
