#include "base/error.h"
#include "mission/loader.h"
#include <stdlib.h>

static pawl_status set_strictness(const pawl__place *place, pawl__node node)
{
        pawl__config *config = place->target;
        pawl_text value = pawl__json_at(&place->document->tree, node)->value;

        if (!pawl__strictness_of(&config->strictness, value))
                return pawl__field_fail(place, node,
                        "\"%.*s\" is not known; write off, medium or max", PAWL__FMT(value));
        return PAWL_OK;
}

static pawl_status set_sessions(const pawl__place *place, pawl__node node)
{
        pawl__config *config = place->target;
        const pawl__json_node *value = pawl__json_at(&place->document->tree, node);
        int64_t n;

        if (!pawl__json_int(value, &n) || n < 1 || n >= PAWL__KEEP_ALL)
                return pawl__field_fail(place, node,
                        "%.*s is no number of sessions from 1 up; write how many stay",
                        PAWL__FMT(value->value));
        config->keep_sessions = (uint32_t)n;
        return PAWL_OK;
}

static pawl_status set_log_max(const pawl__place *place, pawl__node node)
{
        pawl__config *config = place->target;

        return pawl__read_log_max(place, &config->log_max, node);
}

static const pawl__field retention_fields[] = {
        {"sessions", PAWL__ENTRY_NUMBER, NULL, set_sessions},
};

static pawl_status set_retention(const pawl__place *place, pawl__node node)
{
        pawl__place inside = *place;

        inside.where = "retention.";
        return pawl__fields_read(retention_fields,
                sizeof retention_fields / sizeof retention_fields[0], &inside, node);
}

static const pawl__field fields[] = {
        {"strictness", PAWL__ENTRY_TEXT, NULL, set_strictness},
        {"max_log_bytes", PAWL__ENTRY_NUMBER, NULL, set_log_max},
        {"retention", PAWL__ENTRY_MAPPING, NULL, set_retention},
};

/* A file of comments alone is null, and says nothing. */
static pawl_status read_config(
        pawl__config *config, const pawl__document *document, pawl_error *err)
{
        pawl__place place = {document, "", "", config, err};

        if (pawl__json_at(&document->tree, 0)->type == PAWL__JSON_NULL)
                return PAWL_OK;
        if (pawl__json_at(&document->tree, 0)->type != PAWL__JSON_OBJECT)
                return pawl__document_fail(
                        document, 0, err, "must be a mapping; write strictness: medium");
        return pawl__fields_read(fields, sizeof fields / sizeof fields[0], &place, 0);
}

pawl_status pawl__config_load(pawl__config *out, const char *log_path, pawl_error *err)
{
        static const char name[] = "config.yaml";
        const char *slash = strrchr(log_path, '/');
        pawl__config config = {PAWL__STRICTNESS_UNSET, PAWL__KEEP_ALL, PAWL__LOG_MAX_DEFAULT};
        pawl__buf path = PAWL__BUF_INIT;
        pawl__document document;
        pawl_error why = PAWL_ERROR_INIT;

        if (pawl__buf_add(&path, log_path, slash ? (size_t)(slash - log_path) + 1 : 0) ||
                pawl__buf_adds(&path, name)) {
                pawl__buf_free(&path);
                return pawl__nomem(err);
        }
        pawl_status status = pawl__document_load(&document, path.data, &why);
        pawl__buf_free(&path);
        if (status == PAWL_ENOTFOUND) {
                *out = config;
                return PAWL_OK;
        }
        if (status)
                return pawl__fail(err, status, "%s", why.message);
        status = read_config(&config, &document, err);
        pawl__document_free(&document);
        if (!status)
                *out = config;
        return status;
}
