/* A glossary out of a log. */
#include "glossary/glossary.h"
#include "support/event_log.h"

#define ACTOR "{\"actor_id\":\"user:ana\",\"actor_type\":\"user\",\"display_name\":\"ana\"}"
#define PROVENANCE                                                                                 \
        "{\"source\":\"import\",\"timestamp\":\"2026-11-20T12:35:00.000000Z\",\"actor_id\":"       \
        "\"user:ana\"}"

/* A sense comes into the log: of a mission, of a seed's version, or (both NULL) of neither. */
static void update_sense(event_log *f, const char *mission, const char *version, const char *scope,
        const char *surface, const char *definition, const char *status)
{
        pawl__buf payload = PAWL__BUF_INIT;
        pawl_event event = {
                .type = pawl__text("GlossarySenseUpdated"), .actor = pawl__text("user:ana")};

        assert_ok(pawl__buf_addf(&payload,
                "{\"actor\":" ACTOR ",\"new_sense\":{\"confidence\":0.5,\"definition\":"
                "\"%s\",\"scope\":\"%s\",\"status\":\"%s\",\"surface\":\"%s\"},"
                "\"provenance\":" PROVENANCE ",\"scope\":\"%s\",\"term_surface\":\"%s\","
                "\"update_type\":\"create\"",
                definition, scope, status, surface, scope, surface));
        if (version)
                assert_ok(pawl__buf_addf(&payload, ",\"version_id\":\"%s\"", version));
        assert_ok(pawl__buf_adds(&payload, "}"));
        event.mission_id = pawl__text(mission);
        event.payload = pawl__buf_text(&payload);
        assert_ok(append_one(f->log, event, 0));
        pawl__buf_free(&payload);
}

static void check_resolves(const pawl__glossary *glossary, const char *normal, const char *expected)
{
        pawl__resolution resolution = pawl__glossary_resolve(glossary, pawl__text(normal));

        if (resolution.n != (expected != NULL))
                fail_msg("%s: %zu senses", normal, resolution.n);
        if (expected)
                assert_text(resolution.senses[0]->definition, expected);
}

LOG_TEST(what_holds_for_a_mission_is_loaded)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl__glossary *glossary;
        pawl__state *known;
        const pawl__scope_ref refs[] = {{pawl__text("core"), pawl__text("v2")},
                {pawl__text("mission_local"), pawl__text("m2")}};

        event_log_open(f);
        assert_ok(pawl__state_of(&known, f->log, &err));
        update_sense(f, NULL, "v1", "core", "Ledgers", "of the old seed", "active");
        update_sense(f, NULL, "v2", "core", "Ledgers", "of the seed", "active");
        update_sense(f, NULL, "v2", "core", "\u00c9tages", "a place", "active");
        update_sense(f, NULL, NULL, "team_domain", "order", "imported", "active");
        update_sense(f, NULL, NULL, "team_domain", "drafted", "not yet", "draft");
        update_sense(f, "mission-1", NULL, "mission_local", "order", "here", "active");
        update_sense(f, "mission-2", NULL, "mission_local", "order", "elsewhere", "active");
        update_sense(f, "mission-1", "m1", "mission_local", "dropped", "of the old seed", "active");
        update_sense(f, "mission-1", "m2", "mission_local", "kept", "of the seed", "active");
        update_sense(f, "mission-1", "m2", "mission_local", "order", "of the seed", "active");
        update_sense(f, "mission-2", "m2", "mission_local", "kept", "elsewhere", "active");
        assert_ok(pawl__glossary_new(&glossary, &err));
        assert_ok(pawl__glossary_load(glossary, known, pawl__text("mission-1"), refs, 2, &err));
        check_resolves(glossary, "ledger", "of the seed");
        check_resolves(glossary, "\u00e9tage", "a place");
        check_resolves(glossary, "order", "here");
        check_resolves(glossary, "drafted", NULL);
        check_resolves(glossary, "dropped", NULL);
        check_resolves(glossary, "kept", "of the seed");
        assert_int_equal(pawl__glossary_count(glossary), 7);
        pawl__glossary_free(glossary);
        assert_ok(pawl__glossary_new(&glossary, &err));
        assert_ok(pawl__glossary_load(glossary, known, (pawl_text){NULL, 0}, refs + 1, 1, &err));
        check_resolves(glossary, "order", "imported");
        check_resolves(glossary, "ledger", NULL);
        check_resolves(glossary, "kept", NULL);
        pawl__glossary_free(glossary);
}
