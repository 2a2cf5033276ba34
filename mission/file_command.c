/* What a mission file says of how commands run: env, cwd, timeout, retry, secrets. */
#include "base/error.h"
#include "mission/param_text.h"
#include <stdio.h>

/* As a shell may call a variable; PAWL_* are the runner's own. */
static bool is_variable(pawl_text name)
{
        for (size_t i = 0; i < name.len; i++) {
                const char c = name.data[i];
                const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
                if (!letter && (i == 0 || c < '0' || c > '9'))
                        return false;
        }
        return name.len > 0;
}

static pawl_status check_variable(const pawl__place *place, pawl__node node, pawl_text name)
{
        if (!is_variable(name))
                return pawl__field_fail(place, node,
                        "\"%.*s\" is no variable's name; write letters, digits and _, beginning "
                        "with no digit",
                        PAWL__FMT(name));
        if (pawl__text_starts(name, "PAWL_"))
                return pawl__field_fail(place, node,
                        "%.*s is one that a command is told by; choose another name",
                        PAWL__FMT(name));
        return PAWL_OK;
}

/* The place of an element or a member, for messages: KEY becomes "KEYSUFFIX" in @p key. */
static pawl__place place_of(
        const pawl__place *place, char *key, size_t size, const char *before, pawl_text name)
{
        pawl__place at = *place;

        snprintf(key, size, "%s%s%.*s", place->key, before, PAWL__FMT(name));
        at.key = key;
        return at;
}

/* That of the current step, which shares it no longer. NULL: no memory. */
static pawl__step_how *how_of(const pawl__loader *loader)
{
        pawl_mission *mission = loader->mission;

        if (loader->step->how == &mission->plain) {
                pawl__step_how *own = pawl__arena_alloc(&mission->arena, sizeof *own);
                if (!own)
                        return NULL;
                loader->step->how = own;
        }
        return loader->step->how;
}

/* ---- env: ------------------------------------------------------------------------------------ */

static bool is_secret(const pawl_mission *mission, pawl_text name)
{
        for (size_t i = 0; i < mission->n_secrets; i++)
                if (pawl__text_is(name, mission->secrets[i]))
                        return true;
        return false;
}

static pawl_status read_variable(const pawl__place *place, pawl__env *env, pawl__node node)
{
        const pawl__loader *loader = place->target;
        const pawl_text name = pawl__value_at(place, node)->name;
        pawl__variable *variable = &env->items[env->n];
        pawl_text kept = {NULL, 0};
        char key[120];
        pawl_status status = check_variable(place, node, name);

        if (!status && is_secret(loader->mission, name))
                status = pawl__field_fail(place, node,
                        "%.*s is a secret, which has its value from the environment; take it out "
                        "here or there",
                        PAWL__FMT(name));
        if (!status)
                status = pawl__keep(place, &kept, name);
        if (status)
                return status;
        const pawl__place at = place_of(place, key, sizeof key, ".", name);
        variable->name = kept.data;
        env->n++;
        return pawl__word_read(&at, node, &variable->value, &variable->text);
}

pawl_status pawl__env_read(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;
        const pawl__json_tree *tree = &place->document->tree;
        pawl__step_how *how = loader->step ? how_of(loader) : NULL;
        pawl__env *env = how ? &how->env : &loader->mission->env;
        pawl_status status = PAWL_OK;

        if (loader->step && !how)
                return pawl__nomem(place->err);
        env->items = pawl__arena_array(
                &loader->mission->arena, pawl__value_at(place, node)->count, sizeof *env->items);
        if (!env->items)
                return pawl__nomem(place->err);
        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE && !status;
                m = pawl__json_after(tree, node, m))
                status = read_variable(place, env, m);
        return status;
}

/* ---- cwd: ------------------------------------------------------------------------------------ */

pawl_status pawl__cwd_read(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        pawl__step_how *how = how_of(loader);
        char *cwd = NULL;

        if (!how)
                return pawl__nomem(place->err);
        TRY(pawl__word_read(place, node, &cwd, &how->cwd_text));
        if (!how->cwd_text && pawl__cwd_leads_out(cwd))
                return pawl__field_fail(place, node,
                        "leads out of the mission file's directory; write a path beneath it");
        how->cwd = how->cwd_text ? NULL : cwd;
        return PAWL_OK;
}

/* ---- timeout: and retry: --------------------------------------------------------------------- */

pawl_status pawl__duration_read(const pawl__place *place, int64_t *ms, pawl__node node)
{
        static const struct {
                const char *name;
                int64_t ms;
        } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
        const pawl__json_node *value = pawl__value_at(place, node);
        const pawl_text text = value->type == PAWL__JSON_STRING || value->type == PAWL__JSON_NUMBER
                                       ? value->value
                                       : pawl__text("");
        const int64_t most = INT64_C(365) * 86400000;
        int64_t n = 0;
        size_t at = 0;

        for (; at < text.len && text.data[at] >= '0' && text.data[at] <= '9' && n <= most; at++)
                n = n * 10 + (text.data[at] - '0');
        for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
                if (pawl__text_is(pawl__text_n(text.data + at, text.len - at), units[i].name) &&
                        n > 0 && n <= most / units[i].ms) {
                        *ms = n * units[i].ms;
                        return PAWL_OK;
                }
        return pawl__field_fail(place, node,
                "\"%.*s\" is not a time; write a whole number and ms, s, m, h or d, such as 30s, up "
                "to 365d",
                PAWL__FMT(text));
}

pawl_status pawl__timeout_read(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        pawl__step_how *how = how_of(loader);
        pawl_text kept = {NULL, 0};

        if (!how)
                return pawl__nomem(place->err);
        pawl_status status = pawl__duration_read(place, &how->timeout_ms, node);
        if (!status)
                status = pawl__keep(place, &kept, pawl__value_at(place, node)->value);
        how->timeout = kept.data;
        return status;
}

static pawl_status set_attempts(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        int64_t n;

        if (!pawl__json_int(pawl__value_at(place, node), &n) || n < 1 || n > 1000)
                return pawl__field_fail(place, node,
                        "%.*s is out of range; write how many attempts there are in all, from 1 to "
                        "1000",
                        PAWL__FMT(pawl__value_at(place, node)->value));
        loader->step->how->retry.attempts = (int)n;
        return PAWL_OK;
}

static pawl_status set_delay(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;

        return pawl__duration_read(place, &loader->step->how->retry.delay_ms, node);
}

static pawl_status set_max_delay(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;

        return pawl__duration_read(place, &loader->step->how->retry.max_ms, node);
}

static pawl_status set_on_exit(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        const pawl__json_tree *tree = &place->document->tree;
        pawl__retry_rule *rule = &loader->step->how->retry;

        rule->any = false;
        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE;
                m = pawl__json_after(tree, node, m)) {
                const pawl__json_node *value = pawl__value_at(place, m);
                int64_t code = 0;
                if (value->type != PAWL__JSON_NUMBER || !pawl__json_int(value, &code) || code < 1 ||
                        code > 255)
                        return pawl__field_fail(
                                place, m, "is no exit code of a failure; write some from 1 to 255");
                rule->on_exit[code / 64] |= UINT64_C(1) << (code % 64);
        }
        return PAWL_OK;
}

static const pawl__field retry_fields[] = {
        {"attempts", PAWL__ENTRY_NUMBER, "say how many there are in all: attempts: 3",
                set_attempts},
        {"delay", PAWL__ENTRY_ANY, NULL, set_delay},
        {"max_delay", PAWL__ENTRY_ANY, NULL, set_max_delay},
        {"on_exit", PAWL__ENTRY_LIST, NULL, set_on_exit},
};

pawl_status pawl__retry_rule_read(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        pawl__place inside = *place;
        char where[80];

        pawl__step_how *how = how_of(loader);
        if (!how)
                return pawl__nomem(place->err);
        how->retry = (pawl__retry_rule){
                .delay_ms = PAWL__RETRY_DELAY_MS, .max_ms = PAWL__RETRY_MAX_MS, .any = true};
        snprintf(where, sizeof where, "%sretry.", place->where);
        inside.where = where;
        return pawl__fields_read(PAWL__FIELDS(retry_fields), &inside, node);
}

/* ---- secrets: -------------------------------------------------------------------------------- */

pawl_status pawl__secrets_read(const pawl__place *place, pawl__node node)
{
        const pawl__loader *loader = place->target;
        const pawl__json_tree *tree = &place->document->tree;
        pawl_mission *mission = loader->mission;

        mission->secrets = pawl__arena_array(
                &mission->arena, pawl__value_at(place, node)->count, sizeof *mission->secrets);
        if (!mission->secrets)
                return pawl__nomem(place->err);
        for (pawl__node m = pawl__json_first(tree, node); m != PAWL__NO_NODE;
                m = pawl__json_after(tree, node, m)) {
                char *name = NULL, key[40], number[24];
                snprintf(number, sizeof number, "%zu]", mission->n_secrets);
                const pawl__place at = place_of(place, key, sizeof key, "[", pawl__text(number));
                pawl_status status = pawl__keep_c_string(&at, &name, m);
                if (!status)
                        status = check_variable(&at, m, pawl__text(name));
                if (status)
                        return status;
                mission->secrets[mission->n_secrets++] = name;
        }
        return PAWL_OK;
}
