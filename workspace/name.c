#include "workspace/name.h"
#include "base/sources.h"
#include <inttypes.h>
#include <stdio.h>

enum { WORDS_MAX = 32 };

/* '-' for whatever else stands between letters and digits; a word that is cut keeps its start. */
static void shorten(char out[WORDS_MAX + 1], pawl_text words)
{
        size_t len = 0;
        bool gap = false;

        for (size_t i = 0; i < words.len && len < WORDS_MAX; i++) {
                char c = words.data[i];
                if (c >= 'A' && c <= 'Z')
                        c = (char)(c - 'A' + 'a');
                bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
                if (kept && gap && len && len + 1 < WORDS_MAX)
                        out[len++] = '-';
                if (kept && len < WORDS_MAX)
                        out[len++] = c;
                gap = !kept;
        }
        out[len] = '\0';
}

void pawl__checkpoint_id(
        char out[PAWL__CHECKPOINT_ID_MAX], uint64_t n, pawl_text words, int64_t wall_us)
{
        char time[28], of[WORDS_MAX + 1];

        shorten(of, words);
        pawl__time_format(time, wall_us); /* 2026-01-20T14:30:00... */
        snprintf(out, PAWL__CHECKPOINT_ID_MAX, "cp-%02" PRIu64 "-%s-%.4s%.2s%.2s-%.2s%.2s%.2s", n,
                *of ? of : "files", time, time + 5, time + 8, time + 11, time + 14, time + 17);
}
