/* Values of a mission file that outlive the document they were read from. */
#include "base/error.h"
#include "mission/loader.h"
#include <stdio.h>

pawl_status pawl__keep(const pawl__place *place, pawl_text *out, pawl_text text)
{
        const pawl__loader *loader = place->target;
        bool ok = true;
        pawl_text copy = pawl__arena_text(&loader->mission->arena, text, &ok);

        if (!ok)
                return pawl__nomem(place->err);
        *out = copy;
        return PAWL_OK;
}

pawl_status pawl__keep_c_string(const pawl__place *place, char **out, pawl__node node)
{
        const pawl_text word = pawl__document_word(place->document, node);
        pawl_text copy = {NULL, 0};

        if (!word.data)
                return pawl__field_fail(place, node, "must be a word; quote it");
        if (word.len && memchr(word.data, '\0', word.len))
                return pawl__field_fail(place, node, "holds a NUL character; take it out");
        pawl_status status = pawl__keep(place, &copy, word);
        if (!status)
                *out = (char *)copy.data; /* the arena's own, which no one else holds */
        return status;
}

pawl_status pawl__keep_path(const pawl__place *place, char **out, pawl__node node)
{
        const pawl__loader *loader = place->target;
        pawl_mission *mission = loader->mission;
        pawl_text text = pawl__value_at(place, node)->value;

        if (text.len == 0)
                return pawl__field_fail(place, node, "is empty; name a file");
        pawl_status status = pawl__keep_c_string(place, out, node);
        if (status || text.data[0] == '/')
                return status;
        const char *slash = strcmp(mission->directory, "/") == 0 ? "" : "/";
        size_t size = strlen(mission->directory) + 1 + text.len + 1;
        char *joined = pawl__arena_alloc(&mission->arena, size);
        if (!joined)
                return pawl__nomem(place->err);
        snprintf(joined, size, "%s%s%s", mission->directory, slash, *out);
        *out = joined;
        return PAWL_OK;
}

/* Does it go up further than down? A link that leads out is seen when the command is started. */
bool pawl__cwd_leads_out(const char *path)
{
        int depth = *path && *path != '/' ? 0 : -1;

        for (size_t len; *path && depth >= 0; path += len + (path[len] == '/')) {
                len = strcspn(path, "/");
                if (len == 2 && memcmp(path, "..", 2) == 0)
                        depth--;
                else if (len && !(len == 1 && *path == '.'))
                        depth++;
        }
        return depth < 0;
}
