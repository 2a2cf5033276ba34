/* Another program's questions, answered: `./answer LOG` lists what holds runs back, `./answer LOG
 * PICK` takes that candidate of each. */
#include <pawl/pawl.h>
#include <stdio.h>
#include <stdlib.h>

static void show(const pawl_conflict_info *info)
{
        const pawl_conflict *c = &info->conflict;

        printf("%.*s \"%.*s\" in step %.*s\n", (int)c->conflict_id.len, c->conflict_id.data,
                (int)c->term.len, c->term.data, (int)info->step_id.len, info->step_id.data);
        for (size_t i = 0; i < c->n_candidates; i++)
                printf("  %zu %.*s\n", i + 1, (int)c->candidates[i].definition.len,
                        c->candidates[i].definition.data);
}

int main(int argc, char **argv)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_answer answer = {0};
        pawl_conflicts *open = NULL;
        pawl_log *log = NULL;
        pawl_status status;

        answer.pick = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
        status = pawl_log_open(&log, argc > 1 ? argv[1] : "events.db", NULL, &err);
        if (!status)
                status = pawl_conflict_list(&open, log, NULL, false, &err);
        for (size_t i = 0; !status && i < open->n; i++) {
                show(&open->items[i]);
                if (argc > 2) /* the texts of a list end in a NUL where they are ids */
                        status =
                                pawl_conflict_resolve(log, open->items[i].conflict.conflict_id.data,
                                        &answer, "program:answer", &err);
        }
        if (status)
                fprintf(stderr, "answer: %s\n", err.message);
        pawl_conflicts_free(open);
        pawl_log_close(log);
        return status ? 1 : 0;
}
