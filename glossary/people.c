#include "glossary/people.h"
#include "glossary/normal.h"
#include "glossary/usage.h"

pawl_status pawl__people_take(pawl__map *people, pawl__arena *arena, pawl__buf *buf,
        pawl_text document, const pawl__token *word, bool *byline)
{
        const char first = document.data[word->start];
        bool names = false;

        if (first < 'A' || first > 'Z')
                return PAWL_OK;
        const unsigned here = pawl__speaker(&names, document, word->start, word->end);
        const unsigned sure = *byline ? PAWL__SURE_NAME : here;
        *byline = *byline || names;
        if (sure == 0)
                return PAWL_OK;
        pawl__buf_clear(buf);
        if (pawl__normal_form(
                    buf, pawl__text_n(document.data + word->start, word->end - word->start)))
                return PAWL_ENOMEM;
        const pawl_text normal = pawl__buf_text(buf);
        const uint32_t before = pawl__map_get(people, normal);
        if (before != PAWL__MAP_NONE && before >= PAWL__SURE_NAME)
                return PAWL_OK;
        return pawl__map_put_copy(
                people, arena, normal, before == PAWL__MAP_NONE ? sure : before + sure);
}

bool pawl__people_has(const pawl__map *people, pawl_text normal)
{
        const char *end = memchr(normal.data, ' ', normal.len);
        const uint32_t sure = pawl__map_get(
                people, pawl__text_n(normal.data, end ? (size_t)(end - normal.data) : normal.len));

        return sure != PAWL__MAP_NONE && sure >= PAWL__SURE_NAME;
}
