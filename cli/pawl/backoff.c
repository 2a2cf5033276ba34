#include "cli/pawl/backoff.h"
#include "base/memory.h"
#include "base/text.h"
#include <stdio.h>

enum {
        BUSY_MS = 200,   /* one that another worker took is passed over for so long */
        AGAIN_MS = 1000, /* one that could not be carried out, too; doubled each time */
        AGAIN_MOST = 6,  /* times */
        KILLS_MOST = 6   /* of one run: after that something kills it each time */
};

static cli_backoff *find(const cli_backoffs *list, pawl_text run_id)
{
        for (size_t i = 0; i < list->n; i++)
                if (pawl__text_is(run_id, list->items[i].run_id))
                        return &list->items[i];
        return NULL;
}

bool cli_backoff_passed(const cli_backoffs *list, pawl_text run_id, int64_t now_ms)
{
        const cli_backoff *found = find(list, run_id);

        return !found || (found->until_ms <= now_ms && !found->given_up);
}

void cli_backoff_forget(cli_backoffs *list, const char *run_id)
{
        cli_backoff *found = find(list, pawl__text(run_id));

        if (found)
                *found = list->items[--list->n];
}

pawl_status cli_backoff_put_off(bool *given_up, cli_backoffs *list, const char *run_id,
        int64_t since_ms, int64_t now_ms, cli_backoff_why why)
{
        const bool busy = why == CLI_BACKOFF_BUSY;
        cli_backoff *it = find(list, pawl__text(run_id));

        if (!it) {
                if (pawl__grow(&list->items, &list->cap, list->n + 1, sizeof *list->items))
                        return PAWL_ENOMEM;
                it = &list->items[list->n++];
                *it = (cli_backoff){.times = 0};
                snprintf(it->run_id, sizeof it->run_id, "%s", run_id);
        }
        if (now_ms - since_ms > AGAIN_MS << it->times)
                it->times = 0;
        it->until_ms = now_ms + (busy ? BUSY_MS : AGAIN_MS << it->times);
        if (!busy && it->times < AGAIN_MOST)
                it->times++;
        it->kills += why == CLI_BACKOFF_KILLED;
        it->given_up =
                list->once && !busy && (why == CLI_BACKOFF_FAILED || it->kills >= KILLS_MOST);
        *given_up = it->given_up;
        return PAWL_OK;
}

bool cli_backoff_any(const cli_backoffs *list, int64_t now_ms, bool later)
{
        for (size_t i = 0; i < list->n; i++)
                if (!list->items[i].given_up && (list->items[i].until_ms > now_ms) == later)
                        return true;
        return false;
}
