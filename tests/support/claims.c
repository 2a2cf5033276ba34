#include "support/claims.h"
#include <unistd.h>

pawl_event claims_event(const char *type)
{
        return (pawl_event){.type = pawl__text(type),
                .run_id = pawl__text("run-1"),
                .payload = pawl__text("{\"reason\":\"r\",\"scope_id\":\"core\","
                                      "\"glossary_version_id\":\"v1\"}")};
}

uint64_t claims_take(pawl_log *log)
{
        uint64_t fence = 0;

        if (pawl_log_claim(&fence, log, "m", "run-1", "user:ana", NULL))
                fail_msg("%s", pawl_log_errmsg(log));
        return fence;
}

void claims_check_held(event_log *f, pawl_log *log)
{
        int64_t before = event_log_count(f);
        uint64_t fence = 99;
        pawl_owner owner = {0, 0, {NULL, 0}};

        assert_int_equal(pawl_log_claim(&fence, log, "m", "run-1", "user:bob", &owner), PAWL_EHELD);
        assert_int_equal(fence, 99);
        assert_int_equal(owner.pid, 100);
        assert_text(owner.host, "host-a");
        assert_says(pawl_log_errmsg(log), "run run-1: process 100 on host-a holds it");
        assert_int_equal(event_log_count(f), before);
}

pawl_log *claims_another(event_log *f)
{
        pawl__identity mine = f->self;
        pawl_log *log;

        f->self.pid = 200;
        f->self.pid_start = 8;
        f->alive[1].pid = 200;
        f->alive[1].start = 8;
        log = event_log_another(f);
        f->self = mine;
        return log;
}

void claims_elsewhere(pawl_log *log)
{
        char path[4096];

        snprintf(path, sizeof path, "%s-lock", log->path);
        (void)unlink(path);
        strcpy(log->self.host, "host-b");
        strcpy(log->self.boot_id, "boot-b");
}

void run_begin(pawl_log *log, const char *mission_id, const char *run_id)
{
        const pawl_event started = {.type = pawl__text("RunStarted"),
                .mission_id = pawl__text(mission_id),
                .run_id = pawl__text(run_id),
                .payload = pawl__text("{\"scope_refs\":[],\"steps\":[]}")};
        uint64_t fence = 0;

        assert_ok(pawl_log_claim(&fence, log, mission_id, run_id, "user:ana", NULL));
        assert_ok(pawl_log_append(NULL, log, &started, 1, fence));
}
