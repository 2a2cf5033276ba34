#include "base/similar.h"

enum { LONGEST = 40 };

static size_t least(size_t a, size_t b)
{
        return a < b ? a : b;
}

/* Three rows at a time of the table of distances between the beginnings of both. */
static size_t distance(pawl_text a, pawl_text b)
{
        size_t rows[3][LONGEST + 1];
        size_t *before = rows[0], *last = rows[1], *row = rows[2];

        for (size_t j = 0; j <= b.len; j++)
                last[j] = j;
        for (size_t i = 1; i <= a.len; i++) {
                row[0] = i;
                for (size_t j = 1; j <= b.len; j++) {
                        const bool differs = a.data[i - 1] != b.data[j - 1];
                        row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + differs);
                        if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] &&
                                a.data[i - 2] == b.data[j - 1])
                                row[j] = least(row[j], before[j - 2] + 1);
                }
                size_t *oldest = before;
                before = last;
                last = row;
                row = oldest;
        }
        return last[b.len];
}

static bool is_synonym(const pawl__similar *search, const char *name)
{
        for (const char *const(*at)[2] = search->synonyms; at && (*at)[0]; at++)
                if (pawl__text_is(search->typed, (*at)[0]) && strcmp((*at)[1], name) == 0)
                        return true;
        return false;
}

/* How near; SIZE_MAX: not near. */
static size_t distance_of(const pawl__similar *search, pawl_text known)
{
        const pawl_text typed = search->typed;
        size_t d;

        if (is_synonym(search, known.data))
                return 0;
        d = distance(typed, known);
        if (d < typed.len && d <= (least(typed.len, known.len) + 2) / 3)
                return d;
        if (typed.len >= 3 && typed.len < known.len &&
                memcmp(typed.data, known.data, typed.len) == 0)
                return LONGEST;
        return SIZE_MAX;
}

void pawl__similar_try(pawl__similar *search, const char *name)
{
        const pawl_text known = pawl__text(name);

        if (search->typed.len == 0 || search->typed.len > LONGEST || known.len > LONGEST)
                return;
        const size_t d = distance_of(search, known);
        if (d != SIZE_MAX && (!search->found || d < search->distance)) {
                search->found = name;
                search->distance = d;
        }
}
