/*
 * What the resource API changes. Every body may say who does it ("actor"), where the header
 * X-Pawl-Actor, which holds no letters beyond ASCII, does not: who is not said is the service's
 * owner. Going back asks for the hash of the plan that was shown: that plan is done, or nothing.
 */
#include "base/error.h"
#include "base/ids.h"
#include "service/api.h"
#include "service/api_argv.h"

/* Who does it: as the body says, kept in the words. */
static void take_actor(service_argv *words, service_object *body)
{
        const pawl_text actor = service_object_text(body, "actor");
        bool ok = true;

        if (!actor.data)
                return;
        if (pawl__id_check(actor, "actor id", &words->err))
                return;
        words->actor = pawl__arena_text(&words->arena, actor, &ok).data;
        if (!ok)
                pawl__nomem(&words->err);
}

/* Run what was made of the body, unless the body is refused. */
static void finish(service_answer *answer, service_argv *words, service_object *body)
{
        take_actor(words, body);
        if (body->err.status)
                words->err = body->err;
        service_argv_answer(answer, words);
        service_object_free(body);
}

void service_api_answer_conflict(service_answer *answer, service_call *call)
{
        service_object body;
        service_argv words;

        service_object_read(&body, call, "pick define scope actor");
        const pawl_text pick = service_object_number(&body, "pick");
        const pawl_text define = service_object_text(&body, "define");
        if (!body.err.status && !pick.data == !define.data)
                pawl__fail(&body.err, PAWL_EINVAL,
                        "the body: give \"pick\", a candidate's number, or \"define\", a "
                        "definition of your own; one of them");
        service_argv_begin(&words, call, "resolve");
        service_argv_option(&words, "pick", pick);
        service_argv_option(&words, "define", define);
        service_argv_option(&words, "scope", service_object_text(&body, "scope"));
        service_argv_argument(&words, service_param(call, "conflict_id"));
        finish(answer, &words, &body);
}

void service_api_take_checkpoint(service_answer *answer, service_call *call)
{
        service_object body;
        service_argv words;

        service_object_read(&body, call, "description actor");
        const pawl_text description = service_object_text(&body, "description");
        service_argv_begin(&words, call, "checkpoint");
        if (description.data)
                service_argv_argument(&words, description);
        finish(answer, &words, &body);
}

/* The hash of the plan that was agreed to. */
static pawl_text expected(service_object *body)
{
        const pawl_text hash = service_object_text(body, "expect");

        if (!body->err.status && !hash.data)
                pawl__fail(&body->err, PAWL_EINVAL,
                        "the body: has no \"expect\"; get the plan, and send its \"plan\", the "
                        "hash of what was agreed to");
        return hash;
}

void service_api_roll_back(service_answer *answer, service_call *call)
{
        service_object body;
        service_argv words;

        service_object_read(&body, call, "expect reason decisions git actor");
        service_argv_begin(&words, call, "rollback");
        service_argv_option(&words, "apply", expected(&body));
        service_argv_option(&words, "reason", service_object_text(&body, "reason"));
        service_argv_option(&words, "decisions", service_object_text(&body, "decisions"));
        if (service_object_true(&body, "git"))
                service_argv_add(&words, "--git");
        service_argv_argument(&words, service_param(call, "n"));
        finish(answer, &words, &body);
}

void service_api_undo(service_answer *answer, service_call *call)
{
        service_object body;
        service_argv words;

        service_object_read(&body, call, "expect reason actor");
        service_argv_begin(&words, call, "undo");
        service_argv_option(&words, "apply", expected(&body));
        service_argv_option(&words, "reason", service_object_text(&body, "reason"));
        finish(answer, &words, &body);
}
