#include "workspace/store/paths.h"
#include "base/error.h"

pawl_status pawl__paths_add(pawl__paths *paths, pawl_text path, pawl_error *err)
{
        if (pawl__map_put(&paths->only, path, 0))
                return pawl__nomem(err);
        for (size_t len = path.len; len-- > 0;)
                if (path.data[len] == '/' &&
                        pawl__map_put(&paths->above, pawl__text_n(path.data, len), 0))
                        return pawl__nomem(err);
        return PAWL_OK;
}

void pawl__paths_free(pawl__paths *paths)
{
        pawl__map_free(&paths->only);
        pawl__map_free(&paths->above);
}

static bool has(const pawl__map *map, const char *path, size_t len)
{
        return pawl__map_get(map, pawl__text_n(path, len)) != PAWL__MAP_NONE;
}

bool pawl__paths_have(const pawl__paths *paths, pawl_text path)
{
        if (has(&paths->only, path.data, path.len))
                return true;
        for (size_t len = path.len; len-- > 0 && !paths->exact;)
                if ((len == 0 || path.data[len] == '/') && has(&paths->only, path.data, len))
                        return true;
        return false;
}

bool pawl__paths_below(const pawl__paths *paths, pawl_text path)
{
        return has(&paths->above, path.data, path.len);
}

pawl_status pawl__paths_normal(
        pawl_text *out, const char *root, const char *given, pawl__arena *arena, pawl_error *err)
{
        const size_t root_len = strcmp(root, "/") == 0 ? 0 : strlen(root);
        const char *at = given;
        size_t len = 0;

        if (!*at) /* as of a variable that is not set */
                return pawl__fail(
                        err, PAWL_EINVAL, "path '': is empty; name one, or . for all there is");
        if (*at == '/' &&
                (strncmp(at, root, root_len) != 0 || (at[root_len] && at[root_len] != '/')))
                return pawl__fail(err, PAWL_EINVAL,
                        "path %.300s: lies outside of the workspace %.300s; name one in it", given,
                        root);
        if (*at == '/')
                at += root_len;
        char *path = pawl__arena_alloc(arena, strlen(at) + 1);
        if (!path)
                return pawl__nomem(err);
        while (*(at += strspn(at, "/"))) {
                const size_t n = strcspn(at, "/");
                if (n == 2 && memcmp(at, "..", 2) == 0)
                        return pawl__fail(err, PAWL_EINVAL,
                                "path %.300s: has \"..\" in it; name it from the root on", given);
                if (n != 1 || *at != '.') {
                        if (len)
                                path[len++] = '/';
                        memcpy(path + len, at, n);
                        len += n;
                }
                at += n;
        }
        path[len] = '\0';
        *out = pawl__text_n(path, len);
        return PAWL_OK;
}

bool pawl__path_within(pawl_text path, pawl_text directory)
{
        return directory.data && path.len >= directory.len &&
               memcmp(path.data, directory.data, directory.len) == 0 &&
               (path.len == directory.len || path.data[directory.len] == '/');
}
