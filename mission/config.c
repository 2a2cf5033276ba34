#include "base/error.h"
#include "mission/loader.h"
#include <stdlib.h>

static pawl_status set_sessions(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        const pawl__json_node *value = pawl__value_at(place, node);
        int64_t n;

        if (!pawl__json_int(value, &n) || n < 1 || n >= PAWL__KEEP_ALL)
                return pawl__field_fail(place, node,
                        "%.*s is no number of sessions from 1 up; write how many stay",
                        PAWL__FMT(value->value));
        loader->config->keep_sessions = (uint32_t)n;
        return PAWL_OK;
}

/* A number from 1 up. */
static pawl_status set_limit(
        uint64_t *out, const pawl__place *place, pawl__node node, int64_t most, const char *what)
{
        const pawl__json_node *value = pawl__value_at(place, node);
        int64_t n;

        if (!pawl__json_int(value, &n) || n < 1 || n > most)
                return pawl__field_fail(place, node,
                        "%.*s is not a number of %s from 1 up; write %s", PAWL__FMT(value->value),
                        what, "how many stay");
        *out = (uint64_t)n;
        return PAWL_OK;
}

static pawl_status set_days(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;

        return set_limit(&loader->config->retention.days, place, node, 36500, "days");
}

static pawl_status set_count(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;

        return set_limit(&loader->config->retention.count, place, node, UINT32_MAX, "checkpoints");
}

/* 500000000, or "2G". */
static bool read_size(uint64_t *out, pawl_text text)
{
        static const char units[] = "KMG";
        uint64_t n = 0, worth = 1;
        size_t i = 0;

        for (; i < text.len && text.data[i] >= '0' && text.data[i] <= '9' && n < UINT64_C(1) << 40;
                i++)
                n = n * 10 + (uint64_t)(text.data[i] - '0');
        if (i > 0 && i + 1 == text.len && strchr(units, text.data[i]))
                worth <<= 10 * (strchr(units, text.data[i++]) - units + 1);
        *out = n * worth;
        return i == text.len && n > 0 && n <= (uint64_t)INT64_MAX / worth;
}

static pawl_status set_bytes(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        const pawl__json_node *value = pawl__value_at(place, node);

        if ((value->type != PAWL__JSON_NUMBER && value->type != PAWL__JSON_STRING) ||
                !read_size(&loader->config->retention.bytes, value->value))
                return pawl__field_fail(place, node,
                        "is not a size; write a number of bytes, or one with K, M or G, such as 2G");
        return PAWL_OK;
}

static const pawl__field retention_fields[] = {
        {"sessions", PAWL__ENTRY_NUMBER, NULL, set_sessions},
        {"days", PAWL__ENTRY_NUMBER, NULL, set_days},
        {"count", PAWL__ENTRY_NUMBER, NULL, set_count},
        {"bytes", PAWL__ENTRY_ANY, NULL, set_bytes},
};

static pawl_status set_retention(const pawl__place *place, pawl__node node)
{
        pawl__place inside = *place;

        inside.where = "retention.";
        return pawl__fields_read(PAWL__FIELDS(retention_fields), &inside, node);
}

static pawl_status set_list(
        pawl__patterns *out, const char *remedy, const pawl__place *place, pawl__node node)
{
        pawl__arena *const arena = out ? ((const pawl__loader *)place->target)->arena : NULL;
        const pawl__json_tree *tree = &place->document->tree;
        const size_t n = (size_t)pawl__value_at(place, node)->count;
        const char **items = arena ? pawl__arena_array(arena, n + 1, sizeof *items) : NULL;
        bool ok = !arena || items;

        if (arena)
                *out = (pawl__patterns){items, 0};
        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE && ok;
                m = pawl__json_after(tree, node, m)) {
                const pawl__json_node *value = pawl__value_at(place, m);
                if (value->type != PAWL__JSON_STRING || !value->value.len ||
                        memchr(value->value.data, '\0', value->value.len) ||
                        memchr(value->value.data, '\n', value->value.len))
                        return pawl__field_fail(place, m, "%s", remedy);
                if (arena)
                        items[out->n++] = pawl__arena_text(arena, value->value, &ok).data;
        }
        return ok ? PAWL_OK : pawl__nomem(place->err);
}

static const char no_pattern[] = "is not a pattern; write one as in a .gitignore, quoted";

static pawl_status set_include(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;

        return set_list(loader->include, no_pattern, place, node);
}

static pawl_status set_exclude(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;

        return set_list(loader->exclude, no_pattern, place, node);
}

static pawl_status set_edit_tools(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;

        return set_list(
                loader->edit_tools, "is not the name of a tool; write one, quoted", place, node);
}

static const pawl__field fields[] = {
        {"strictness", PAWL__ENTRY_TEXT, NULL, pawl__set_strictness},
        {"max_log_bytes", PAWL__ENTRY_NUMBER, NULL, pawl__set_log_max},
        {"retention", PAWL__ENTRY_MAPPING, NULL, set_retention},
        {"include", PAWL__ENTRY_LIST, NULL, set_include},
        {"exclude", PAWL__ENTRY_LIST, NULL, set_exclude},
        {"edit_tools", PAWL__ENTRY_LIST, NULL, set_edit_tools},
};

/* A file of comments alone is null, and says nothing. */
static pawl_status read_config(
        pawl__loader *loader, const pawl__document *document, pawl_error *err)
{
        pawl__place place = {document, "", "", loader, err, NULL};

        if (pawl__json_at(&document->tree, 0)->type == PAWL__JSON_NULL)
                return PAWL_OK;
        if (pawl__json_at(&document->tree, 0)->type != PAWL__JSON_OBJECT)
                return pawl__document_fail(
                        document, 0, err, "must be a mapping; write strictness: medium");
        return pawl__fields_read(PAWL__FIELDS(fields), &place, 0);
}

static pawl_status load(
        pawl__config *out, pawl__loader loader, const char *log_path, pawl_error *err)
{
        static const char name[] = "config.yaml";
        const char *slash = strrchr(log_path, '/');
        pawl__config config = {
                {.strictness = PAWL__STRICTNESS_UNSET, .log_max = PAWL__LOG_MAX_DEFAULT},
                PAWL__KEEP_ALL, PAWL__RETENTION_INIT};
        pawl__buf path = PAWL__BUF_INIT;
        pawl__document document;
        pawl_error why = PAWL_ERROR_INIT;

        pawl__buf_add(&path, log_path, slash ? (size_t)(slash - log_path) + 1 : 0);
        pawl__buf_adds(&path, name);
        pawl_status status = pawl__buf_check(&path, &why);
        if (!status)
                status = pawl__document_load(&document, path.data, &why);
        pawl__buf_free(&path);
        if (status == PAWL_ENOTFOUND) {
                *out = config;
                return PAWL_OK;
        }
        if (status)
                return pawl__fail(err, status, "%s", why.message);
        loader.config = &config;
        loader.settings = &config.settings;
        status = read_config(&loader, &document, err);
        pawl__document_free(&document);
        if (!status)
                *out = config;
        return status;
}

pawl_status pawl__config_load(pawl__config *out, const char *log_path, pawl_error *err)
{
        return load(out, (pawl__loader){.arena = NULL}, log_path, err);
}

pawl_status pawl__config_patterns(pawl__patterns *include, pawl__patterns *exclude,
        const char *log_path, pawl__arena *arena, pawl_error *err)
{
        pawl__config config;

        *include = *exclude = (pawl__patterns){NULL, 0};
        return load(&config, (pawl__loader){.include = include, .exclude = exclude, .arena = arena},
                log_path, err);
}

pawl_status pawl__config_edit_tools(
        pawl__patterns *out, const char *log_path, pawl__arena *arena, pawl_error *err)
{
        pawl__config config;

        *out = (pawl__patterns){NULL, 0};
        return load(&config, (pawl__loader){.edit_tools = out, .arena = arena}, log_path, err);
}
