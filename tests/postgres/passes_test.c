/* Needs PAWL_WITH_POSTGRES. */
/* A pass that depends on what its pipeline knows of the log: what that saves, and that what others
 * wrote meanwhile is seen. */
#include "events/postgres/server.h"
#include "support/pipeline.h"

static const char plain[] = "{\"description\":\"the tenant pays\"}";
static const char ambiguous[] = "{\"description\":\"Refunds land in the workspace\"}";

static const pawl__postgres_library *real;
static pawl__postgres_library counting;
static int exchanges;

static int count_sync(PGconn *conn)
{
        exchanges++;
        return real->PQpipelineSync(conn);
}

static int upserts;

static int note_text(PGconn *conn, const char *sql, int n, const Oid *types,
        const char *const *values, const int *lengths, const int *formats, int format)
{
        upserts += strstr(sql, "DO UPDATE") != NULL;
        return real->PQsendQueryParams(conn, sql, n, types, values, lengths, formats, format);
}

static void count(struct piped *p)
{
        if (p->log->server->pq != &counting) {
                real = p->log->server->pq;
                counting = *real;
                counting.PQpipelineSync = count_sync;
                counting.PQsendQueryParams = note_text;
                p->log->server->pq = &counting;
        }
        exchanges = upserts = 0;
}

static void step(struct piped *p, const char *id)
{
        assert_ok(piped_critical(p, id, plain));
        assert_ok(piped_complete(p, "\"done\""));
}

/* One for each of its commits. */
PIPED_TEST(a_step_is_two_exchanges)
{
        char id[16];

        step(p, "first");
        for (int i = 0; i < 4; i++) {
                snprintf(id, sizeof id, "step-%d", i);
                count(p);
                step(p, id);
                assert_int_equal(exchanges, 2);
                assert_string_equal(piped_status(p, id), "completed");
        }
}

/* By another connection: the tables have a checkpoint of that token. */
static void put_checkpoint(struct piped *p, const char *token)
{
        char sql[200];
        pawl_log *other;

        assert_ok(pawl_log_open(&other, p->db, &p->log_options, &p->err));
        snprintf(sql, sizeof sql, "INSERT INTO pawl.checkpoints VALUES (%s, '%s', 1, 1)",
                other->server->id_literal, token);
        if (pawl__server_execute(NULL, other, sql, NULL, 0, "test", &p->err))
                fail_msg("%s: %s", sql, p->err.message);
        pawl_log_close(other);
}

/* What the tables do not have is inserted. A retry token that they have is not given again. */
PIPED_TEST(a_new_row_is_inserted_and_a_token_that_is_there_refused)
{
        char token[37];

        for (int i = 0; i < 2; i++) {
                p->log->server->calm = PAWL__CALM;
                count(p);
                p->log->server->pooled = true; /* statements go by their text */
                step(p, i ? "second" : "first");
        }
        assert_int_equal(exchanges, 2);
        assert_int_equal(upserts, 0);
        snprintf(token, sizeof token, "%.24s%012x", p->token, p->counted.uuids + 1);
        put_checkpoint(p, token);
        assert_int_equal(piped_critical(p, "third", plain), PAWL_ESTATE);
        assert_says(pawl_pipeline_errmsg(p->pipeline), "rule token-once");
        step(p, "third");
        assert_string_not_equal(p->token, token);
        assert_ok(pawl__state_rebuild(p->log, &p->err)); /* without the row that no event made */
}

PIPED_TEST(an_answer_of_another_is_seen_by_the_pass_over_the_inputs)
{
        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        assert_ok(piped_define(p, piped_conflict(p, 0), "Where refunds land"));
        const uint64_t head = p->log->server->known_seq + 2;
        assert_ok(piped_critical(p, "t", ambiguous));
        assert_string_equal(piped_types(p, head), TYPES_CHECKED);
}

PIPED_TEST(an_answer_of_another_is_seen_by_the_pass_over_the_output)
{
        char conflict[17];

        assert_int_equal(piped_critical(p, "s", ambiguous), PAWL_BLOCKED);
        memcpy(conflict, piped_conflict(p, 0), sizeof conflict);
        assert_ok(piped_critical(p, "t", plain));
        assert_ok(piped_define(p, conflict, "Where refunds land"));
        const uint64_t head = p->log->server->known_seq + 2;
        assert_ok(piped_complete(p, "\"Refunds land in the workspace\""));
        assert_string_equal(piped_types(p, head), "SemanticCheckEvaluated StepCompleted");
        assert_string_equal(piped_status(p, "t"), "completed");
}

/* A layer that another writer overtakes once, in the middle of a pass, by so many of those events.
 */
struct overtaken {
        struct piped *p;
        int calls;
        pawl_event event;
        size_t n;
};

#define TEXT(text)                                                                                 \
        {                                                                                          \
                text, sizeof(text) - 1                                                             \
        }

static const pawl_event
        activated = {.type = TEXT("GlossaryScopeActivated"),
                .payload = TEXT("{\"glossary_version_id\":\"v\",\"scope_id\":\"team_domain\"}")},
        put = {.type = TEXT("ThreadCheckpointed"),
                .mission_id = TEXT("m"),
                .run_id = TEXT("thread"),
                .step_id = TEXT("1"),
                .payload = TEXT("{\"channels\":[],\"checkpoint\":\"{}\",\"metadata\":\"{}\"}")},
        begun = {.type = TEXT("SessionStarted"),
                .run_id = TEXT("r"),
                .session_id = TEXT("another"),
                .payload = TEXT("{}")};

static void another_appends(struct piped *p, const pawl_event *event, size_t n)
{
        pawl_event *events = test_alloc(n * sizeof *events);
        static int sessions;
        char session[32];
        pawl__state *rows;
        pawl_log *other;

        snprintf(session, sizeof session, "another-%d", ++sessions);
        for (size_t i = 0; i < n; i++) {
                events[i] = *event;
                if (event->session_id.data)
                        events[i].session_id = pawl__text(session);
        }
        assert_ok(pawl_log_open(&other, p->db, &p->log_options, &p->err));
        assert_ok(pawl__state_of(&rows, other, &p->err));
        assert_ok(pawl_log_append(NULL, other, events, n, 0));
        pawl_log_close(other);
}

static pawl_status be_overtaken(const pawl_layer *layer, pawl_context *ctx)
{
        struct overtaken *o = layer->user;

        (void)ctx;
        if (o->calls++ == 0)
                another_appends(o->p, &o->event, o->n);
        return PAWL_OK;
}

/* It is made again, and leaves one of each event. */
PIPED_TEST(a_pass_that_was_overtaken_is_made_again)
{
        struct overtaken o = {p, 1, activated, 1};
        const pawl_layer layer = {"overtaken", be_overtaken, &o};

        assert_ok(pawl_pipeline_add_after(p->pipeline, "semantic_check", &layer));
        step(p, "first");
        uint64_t head = piped_head(p);
        o.calls = 0;
        assert_ok(piped_critical(p, "s", plain));
        assert_int_equal(o.calls, 2);
        assert_string_equal(piped_types(p, head), "GlossaryScopeActivated " TYPES_CHECKED);
        p->log->server->calm = PAWL__CALM;
        head = piped_head(p);
        o.calls = 0;
        assert_ok(piped_complete(p, "\"done\""));
        assert_int_equal(o.calls, 2);
        assert_string_equal(piped_types(p, head),
                "GlossaryScopeActivated SemanticCheckEvaluated StepCompleted");
        assert_int_equal(pawl_pipeline_run(p->pipeline, p->ctx), PAWL_DONE);
        assert_text(pawl_context_output(p->ctx), "\"done\"");
}

static void overtake(struct piped *p, const char *id, pawl_event by, size_t n, int calls)
{
        struct overtaken o = {p, 1, by, n};
        const pawl_layer layer = {id, be_overtaken, &o};

        step(p, "first");
        assert_ok(pawl_pipeline_add_after(p->pipeline, "semantic_check", &layer));
        for (int calm = 0; calm <= PAWL__CALM; calm += PAWL__CALM) { /* locked, and assumed */
                char step_id[40];
                p->log->server->calm = (unsigned)calm;
                snprintf(step_id, sizeof step_id, "%s-%d", id, calm);
                o.calls = 0;
                assert_ok(piped_critical(p, step_id, plain));
                assert_int_equal(o.calls, calls);
                p->log->server->calm = (unsigned)calm;
                o.calls = 0;
                assert_ok(piped_complete(p, "\"done\""));
                assert_int_equal(o.calls, calls);
                assert_string_equal(piped_status(p, step_id), "completed");
        }
}

PIPED_TEST(a_pass_goes_on_over_what_others_do)
{
        overtake(p, "others", put, 3, 1);
}

PIPED_TEST(a_pass_is_made_again_when_another_appends_to_its_run)
{
        overtake(p, "of-the-run", begun, 1, 2);
}

PIPED_TEST(a_pass_is_made_again_over_more_than_is_looked_at)
{
        overtake(p, "many", put, 1001, 2);
}

/* The lock with all that is read behind it, and the commit, twice; and the step's row before. */
PIPED_TEST(a_step_beside_other_writers_is_five_exchanges)
{
        char id[16];

        step(p, "first");
        p->log->server->calm = 0;
        for (int i = 0; i < 4; i++) {
                snprintf(id, sizeof id, "step-%d", i);
                another_appends(p, &put, 2);
                count(p);
                assert_ok(piped_critical(p, id, plain));
                another_appends(p, &put, 2); /* over a connection that is not counted */
                assert_ok(piped_complete(p, "\"done\""));
                /* The first has all rows of its run in memory. */
                assert_int_equal(exchanges, i == 0 ? 4 : 5);
        }
}

/* Whoever completed the step is believed when the log says so, not when this pipeline remembers. */
PIPED_TEST(a_step_that_was_completed_is_read_and_not_remembered)
{
        step(p, "first");
        step(p, "s");
        count(p);
        piped_context(p, "s", plain);
        assert_int_equal(piped_run(p), PAWL_DONE);
        assert_true(exchanges > 0);
        assert_text(pawl_context_output(p->ctx), "\"done\"");
}
