#include "support/checkpoints.h"
#include "base/json_write.h"
#include "state/state.h"
#include "workspace/store/contents_internal.h"
#include "workspace/store/object_set.h"

struct putting {
        const trees *trees;
        tree_hash tree;
        const char *state, *outputs;
        pawl__contents *contents;
        uint64_t n;
};

static void put_contents(struct putting *p)
{
        pawl__buf packed = PAWL__BUF_INIT;

        for (size_t i = 0; i < p->trees->n; i++) {
                const pawl__buf *data = &p->trees->items[i].data;
                uint32_t parts, part = 0;
                assert_ok(pawl__contents_parts(&parts, data->len, NULL));
                for (; part < parts; part++) {
                        const size_t at = part * PAWL__PART_SIZE, left = data->len - at;
                        pawl__buf_clear(&packed);
                        assert_ok(pawl__contents_compress(&packed, p->contents,
                                pawl__text_n(data->data ? data->data + at : "",
                                        left < PAWL__PART_SIZE ? left : PAWL__PART_SIZE),
                                (pawl_text){NULL, 0}, NULL));
                        assert_ok(pawl__contents_put(p->contents, p->trees->items[i].hash, part,
                                data->len, pawl__buf_text(&packed), NULL));
                }
        }
        pawl__buf_free(&packed);
}

static void add_document(
        pawl__json_writer *w, const char *name, const char *json, pawl__batch *batch, pawl_log *log)
{
        unsigned char hash[32];
        char hex[65];

        if (!json)
                return;
        assert_ok(pawl__sha256(pawl__log_hasher(log), hash, json, strlen(json), NULL));
        pawl__hex(hex, hash, 32);
        pawl__json_member_string(w, name, hex);
        assert_ok(pawl__batch_blob(batch, hash, pawl__text(json), NULL));
}

static pawl_status fill(pawl_log *log, pawl__batch *batch, void *user, pawl_error *err)
{
        struct putting *p = user;
        pawl__directories directories = trees_directories((trees *)p->trees);
        pawl__object_set holdings = PAWL__OBJECT_SET_INIT;
        pawl__tree_sums sums;
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        char hex[65], id[40];
        pawl_event event = {.type = pawl__text("WorkspaceCheckpointed"),
                .run_id = pawl__text("run-1"),
                .step_id = pawl__text("implement"),
                .mission_id = pawl__text("mission-1")};

        (void)err;
        assert_ok(pawl__object_set_tree(&holdings, &sums, p->tree.bytes, &directories, NULL));
        pawl__object_set_free(&holdings);
        put_contents(p);
        snprintf(id, sizeof id, "cp-%02d-implement-20260120-143000", (int)p->n);
        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "n", (int64_t)p->n);
        pawl__json_member_string(&w, "id", id);
        pawl__json_member_string(&w, "trigger", "manual");
        pawl__json_member_string(&w, "root", ".");
        pawl__hex(hex, p->tree.bytes, 32);
        pawl__json_member_string(&w, "tree", hex);
        pawl__json_member_integer(&w, "files", (int64_t)sums.files);
        pawl__json_member_integer(&w, "bytes", (int64_t)sums.bytes);
        pawl__json_member_integer(&w, "skipped", 0);
        pawl__json_member_string(&w, "description", "as it was \"then\"");
        add_document(&w, "state_hash", p->state, batch, log);
        add_document(&w, "outputs_hash", p->outputs, batch, log);
        pawl__json_close_object(&w);
        assert_ok(pawl__json_end_writer(&w));
        event.payload = pawl__buf_text(&w.buf);
        assert_ok(pawl__batch_event(batch, &event, NULL));
        pawl__json_writer_free(&w);
        return PAWL_OK;
}

uint64_t checkpoint_put(
        pawl_log *log, const trees *all, tree_hash tree, const char *state, const char *outputs)
{
        struct putting p = {all, tree, state, outputs, NULL, 1};
        pawl__batch batch = PAWL__BATCH_INIT;
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__state *known;
        pawl__row row;

        assert_ok(pawl__state_of(&known, log, NULL));
        if (pawl__state_workspace_newest(&row, known, &arena, NULL) == PAWL_OK)
                p.n = (uint64_t)row.v[PAWL__WCP_N].integer + 1;
        assert_ok(pawl__contents_open(&p.contents, log, NULL));
        batch.prepare = fill;
        batch.prepare_user = &p;
        assert_ok(pawl__log_commit(log, &batch, 0, NULL));
        pawl__batch_free(&batch);
        pawl__contents_close(p.contents);
        pawl__arena_free(&arena);
        return p.n;
}

struct reading {
        pawl__contents *contents;
        pawl__buf out;
};

static pawl_status append(const void *data, size_t len, void *user, pawl_error *err)
{
        (void)err;
        return pawl__buf_add(user, data, len);
}

static pawl_status read_entry(const pawl__change *change, void *user, pawl_error *err)
{
        struct reading *r = user;
        const pawl__entry *entry = change->to;

        assert_ok(pawl__buf_addf(
                &r->out, "%s %c %o ", change->path.data, entry->kind, (unsigned)entry->mode));
        if (entry->kind == PAWL__ENTRY_FILE)
                assert_ok(pawl__contents_read(
                        r->contents, entry->hash, entry->size, append, &r->out, err));
        if (entry->kind == PAWL__ENTRY_LINK)
                assert_ok(pawl__buf_add(&r->out, entry->target.data, entry->target.len));
        return pawl__buf_addc(&r->out, '\n');
}

char *checkpoint_read(pawl_log *log, uint64_t n)
{
        struct reading r = {NULL, PAWL__BUF_INIT};
        pawl__arena arena = PAWL__ARENA_INIT;
        unsigned char tree[32];
        pawl__state *state;
        pawl__row row;

        memset(&row, 0, sizeof row);
        row.v[PAWL__WCP_N].integer = (int64_t)n;
        assert_ok(pawl__state_of(&state, log, NULL));
        assert_ok(pawl__state_get(state, PAWL__WORKSPACE, &row, &arena, NULL));
        assert_true(pawl__unhex32(tree, row.v[PAWL__WCP_TREE].text));
        assert_ok(pawl__contents_open(&r.contents, log, NULL));
        const pawl__directories directories = pawl__contents_directories(r.contents);
        assert_ok(pawl__diff_trees(&directories, NULL, tree, read_entry, &r, NULL));
        pawl__contents_close(r.contents);
        pawl__arena_free(&arena);
        return test_take(&r.out);
}
