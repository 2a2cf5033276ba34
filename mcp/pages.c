#include "mcp/pages.h"
#include "base/digest.h"
#include "base/error.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEPT_MAX = 16, KEPT_BYTES = 64 << 20 };

/* The newest first. */
struct kept {
        struct kept *next;
        mcp_turn turn;
        mcp_outcome outcome;
};

struct mcp_pages {
        pthread_mutex_t lock;
        struct kept *first;
};

mcp_pages *mcp_pages_new(void)
{
        mcp_pages *pages = calloc(1, sizeof *pages);

        if (pages)
                pthread_mutex_init(&pages->lock, NULL);
        return pages;
}

static void free_kept(struct kept *kept)
{
        while (kept) {
                struct kept *next = kept->next;
                mcp_outcome_free(&kept->outcome);
                free(kept);
                kept = next;
        }
}

void mcp_pages_free(mcp_pages *pages)
{
        if (!pages)
                return;
        free_kept(pages->first);
        pthread_mutex_destroy(&pages->lock);
        free(pages);
}

/* The first digits of a text's SHA-256. */
static pawl_status digest(char *out, size_t digits, pawl_text text, pawl_error *err)
{
        unsigned char hash[PAWL__HASH_LEN];
        const pawl_status status =
                pawl__sha256(NULL, hash, text.data ? text.data : "", text.len, err);

        if (!status)
                pawl__hex(out, hash, digits / 2);
        return status;
}

/* Read a `next`: "16 digits.32 digits.number". */
static bool read_next(mcp_turn *turn, pawl_text next)
{
        static const char digits[] = "0123456789abcdef";
        const size_t place_at = 16 + 1 + 32 + 1;
        char number[20];

        if (next.len <= place_at || next.len - place_at >= sizeof number ||
                memchr(next.data, '\0', next.len) || strspn(next.data, digits) < 16 ||
                next.data[16] != '.' || strspn(next.data + 17, digits) < 32 ||
                next.data[place_at - 1] != '.' || memcmp(next.data, turn->call, 16) != 0)
                return false;
        snprintf(turn->output, sizeof turn->output, "%.32s", next.data + 17);
        snprintf(number, sizeof number, "%.*s", (int)(next.len - place_at), next.data + place_at);
        turn->place = strtoull(number, NULL, 10);
        return turn->place > 0 && strspn(number, "0123456789") == strlen(number);
}

pawl_status mcp_turn_of(mcp_turn *out, pawl_text what, const mcp_words *words, const char *actor,
        pawl_text next, pawl_error *err)
{
        pawl__buf text = PAWL__BUF_INIT;

        *out = (mcp_turn){.place = 0};
        pawl__buf_add_text(&text, what);
        for (size_t i = 0; words && i < words->n; i++)
                pawl__buf_add(&text, words->list[i], strlen(words->list[i]) + 1);
        if (actor)
                pawl__buf_adds(&text, actor);
        pawl_status status = pawl__buf_check(&text, err);
        if (!status)
                status = digest(out->call, 16, pawl__buf_text(&text), err);
        pawl__buf_free(&text);
        if (!status && next.data && !read_next(out, next))
                status = pawl__fail(err, PAWL_EINVAL,
                        "next: is not one that this call was answered with; give the same arguments, "
                        "or leave it out");
        return status;
}

static bool is_same(const mcp_turn *a, const mcp_turn *b)
{
        return strcmp(a->call, b->call) == 0 && strcmp(a->output, b->output) == 0;
}

/* Drop what is beyond the bounds, but for the newest. */
static void drop_old(mcp_pages *pages)
{
        size_t n = 0, bytes = 0;

        for (struct kept **at = &pages->first; *at; at = &(*at)->next) {
                bytes += (*at)->outcome.output.len;
                if (n++ && (n > KEPT_MAX || bytes > KEPT_BYTES)) {
                        free_kept(*at);
                        *at = NULL;
                        return;
                }
        }
}

static pawl_status copy_outcome(mcp_outcome *out, const mcp_outcome *from, pawl_error *err)
{
        *out = (mcp_outcome){.code = from->code, .failure = from->failure};
        pawl__buf_add_text(&out->output, pawl__buf_text(&from->output));
        return pawl__buf_check(&out->output, err);
}

pawl_status mcp_pages_keep(
        mcp_pages *pages, mcp_turn *turn, const mcp_outcome *outcome, pawl_error *err)
{
        pawl_status status = digest(turn->output, 32, pawl__buf_text(&outcome->output), err);

        if (status || !pages)
                return status;
        pthread_mutex_lock(&pages->lock);
        struct kept *kept = pages->first;
        while (kept && !is_same(&kept->turn, turn))
                kept = kept->next;
        if (!kept && (kept = calloc(1, sizeof *kept))) {
                kept->turn = *turn;
                status = copy_outcome(&kept->outcome, outcome, err);
                kept->next = pages->first;
                pages->first = kept;
                drop_old(pages);
        }
        pthread_mutex_unlock(&pages->lock);
        return status;
}

bool mcp_pages_get(mcp_outcome *out, mcp_pages *pages, const mcp_turn *turn)
{
        bool found = false;

        if (!pages)
                return false;
        pthread_mutex_lock(&pages->lock);
        for (const struct kept *kept = pages->first; kept && !found; kept = kept->next)
                if (is_same(&kept->turn, turn)) {
                        found = !copy_outcome(out, &kept->outcome, NULL);
                        if (!found)
                                mcp_outcome_free(out);
                }
        pthread_mutex_unlock(&pages->lock);
        return found;
}

pawl_status mcp_turn_check(const mcp_turn *turn, pawl_text output, pawl_error *err)
{
        char now[33];

        if (!*turn->output)
                return PAWL_OK;
        const pawl_status status = digest(now, 32, output, err);
        if (!status && strcmp(now, turn->output) != 0)
                return pawl__fail(err, PAWL_ESTATE,
                        "next: the result has changed since its first page; call again without next");
        return status;
}

void mcp_turn_write(pawl__buf *out, const mcp_turn *turn, size_t place)
{
        pawl__buf_addf(out, "%s.%s.%zu", turn->call, turn->output, place);
}
