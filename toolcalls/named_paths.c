#include "toolcalls/named_paths.h"
#include "base/error.h"
#include <strings.h>

typedef struct path_search {
        const pawl__json_tree *tree;
        pawl__arena *arena;
        const char **paths;
        size_t n, cap;
        pawl_error *err;
} path_search;

static pawl_status add(path_search *f, pawl_text path)
{
        static const char scheme[] = "file://";

        if (path.len >= sizeof scheme - 1 && memcmp(path.data, scheme, sizeof scheme - 1) == 0)
                path = pawl__text_n(path.data + sizeof scheme - 1, path.len - (sizeof scheme - 1));
        if (path.len == 0 || memchr(path.data, '\0', path.len))
                return PAWL_OK;
        if (f->n == f->cap) {
                const size_t cap = 2 * f->cap + 8;
                const char **more = pawl__arena_array(f->arena, cap, sizeof *more);
                if (!more)
                        return pawl__nomem(f->err);
                if (f->n)
                        memcpy(more, f->paths, f->n * sizeof *more);
                f->paths = more;
                f->cap = cap;
        }
        f->paths[f->n++] = pawl__arena_copy(f->arena, path).data;
        return pawl__arena_check(f->arena, f->err);
}

/* Does a member of this name hold a path? Such as file_path, filePath, files, notebook_path. */
static bool is_path_name(pawl_text name)
{
        static const char *const ends[] = {
                "path", "paths", "file", "files", "filename", "uri", "destination"};

        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
                const size_t len = strlen(ends[i]);
                if (name.len >= len && strncasecmp(name.data + name.len - len, ends[i], len) == 0)
                        return true;
        }
        return false;
}

/* The files that a patch in the form of apply_patch makes. */
static pawl_status add_of_patch(path_search *f, pawl_text patch)
{
        static const char *const heads[] = {"*** Add File: ", "*** Move to: "};
        const char *end = patch.data + patch.len;

        if (!memmem(patch.data, patch.len, "*** Begin Patch", 15))
                return PAWL_OK;
        for (const char *line = patch.data, *next; line < end; line = next) {
                const char *stop = memchr(line, '\n', (size_t)(end - line));
                stop = stop ? stop : end;
                next = stop + 1;
                if (stop > line && stop[-1] == '\r')
                        stop--;
                for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
                        const size_t len = strlen(heads[i]);
                        if ((size_t)(stop - line) > len && memcmp(line, heads[i], len) == 0)
                                TRY(add(f, pawl__text_n(line + len, (size_t)(stop - line) - len)));
                }
        }
        return PAWL_OK;
}

/* Children come behind their parent, up to its `next`. */
static pawl_status find_below(path_search *f, pawl__node node, bool is_path)
{
        const pawl__json_node *at = pawl__json_at(f->tree, node);

        if (at->type == PAWL__JSON_STRING)
                return is_path ? add(f, at->value) : add_of_patch(f, at->value);
        if (at->type != PAWL__JSON_ARRAY && at->type != PAWL__JSON_OBJECT)
                return PAWL_OK;
        for (pawl__node child = pawl__json_first(f->tree, node); child != PAWL__NO_NODE;
                child = pawl__json_after(f->tree, node, child)) {
                const bool named = at->type == PAWL__JSON_OBJECT
                                           ? is_path_name(pawl__json_at(f->tree, child)->name)
                                           : is_path;
                TRY(find_below(f, child, named));
        }
        return PAWL_OK;
}

pawl_status pawl__named_paths(const char *const **out, size_t *n, const pawl__json_tree *tree,
        pawl__node args, pawl__arena *arena, pawl_error *err)
{
        path_search f = {.tree = tree, .arena = arena, .err = err};

        if (args != PAWL__NO_NODE)
                TRY(find_below(&f, args, false));
        *out = f.paths;
        *n = f.n;
        return PAWL_OK;
}
