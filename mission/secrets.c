#include "mission/secrets.h"
#include "base/error.h"
#include "base/json_canon.h"
#include "base/text.h"
#include "events/mask.h"
#include "mission/baseline.h"
#include <unistd.h>

static const char variable[] = "PAWL_SECRETS";

static const char *value_of(pawl_text name)
{
        for (char **entry = environ; entry && *entry; entry++)
                if (strncmp(*entry, name.data, name.len) == 0 && (*entry)[name.len] == '=')
                        return *entry + name.len + 1;
        return NULL;
}

/* The next name of a list that is separated by commas; absent: there is none. */
static pawl_text next_name(const char **list)
{
        const char *from = *list;
        const size_t len = from ? strcspn(from, ",") : 0;

        if (!from || !*from)
                return (pawl_text){NULL, 0};
        *list = from + len + (from[len] == ',');
        return pawl__text_n(from, len);
}

static bool has_name(const pawl__secrets *s, pawl_text name)
{
        const char *list = s->names.data;
        pawl_text one;

        while ((one = next_name(&list)).data)
                if (pawl__text_eq(one, name))
                        return true;
        return false;
}

static pawl_status add_name(pawl__secrets *s, pawl_text name)
{
        if (has_name(s, name))
                return PAWL_OK;
        if (s->names.len)
                (void)pawl__buf_addc(&s->names, ',');
        (void)pawl__buf_add(&s->names, name.data, name.len);
        return s->names.failed ? PAWL_ENOMEM : PAWL_OK;
}

/* PAWL_ENOTFOUND: it is not set. */
static pawl_status add_value(pawl__mask *mask, pawl_text name)
{
        const char *value = value_of(name);

        return value && *value ? pawl__mask_add(mask, pawl__text(value)) : PAWL_ENOTFOUND;
}

pawl_status pawl__secrets_inherited(pawl__mask *mask, pawl_error *err)
{
        const char *list = value_of(pawl__text(variable));
        pawl_text name;

        while ((name = next_name(&list)).data)
                if (add_value(mask, name) == PAWL_ENOMEM)
                        return pawl__nomem(err);
        return PAWL_OK;
}

static pawl_status add_recorded(pawl__mask *mask, const pawl__json_tree *tree, pawl_error *err)
{
        const pawl__node list = pawl__json_get(tree, 0, "secrets");

        for (pawl__node n = list == PAWL__NO_NODE ? list : pawl__json_first(tree, list);
                n != PAWL__NO_NODE; n = pawl__json_after(tree, list, n))
                if (add_value(mask, pawl__json_at(tree, n)->value) == PAWL_ENOMEM)
                        return pawl__nomem(err);
        return PAWL_OK;
}

pawl_status pawl__secrets_of_run(pawl_log *log, const pawl__row *run, pawl_error *err)
{
        pawl__json_tree tree = PAWL__JSON_TREE_INIT;
        pawl__buf document = PAWL__BUF_INIT;
        pawl_status status = run->v[PAWL__RUN_MISSION_PATH].text.data
                                     ? pawl__mission_recorded(&document, log, run, err)
                                     : PAWL_OK;

        if (!status && document.len)
                status = pawl__json_tree_read(&tree, document.data, document.len, err);
        if (!status && tree.n)
                status = add_recorded(pawl__log_own_mask(log), &tree, err);
        pawl__json_tree_free(&tree);
        pawl__buf_free(&document);
        return status;
}

static pawl_status load_one(pawl__secrets *out, const char *name, pawl_error *err)
{
        switch (add_value(&out->mask, pawl__text(name))) {
        case PAWL_OK:
                return add_name(out, pawl__text(name)) ? pawl__nomem(err) : PAWL_OK;
        case PAWL_ENOTFOUND:
                return pawl__fail(err, PAWL_EINVAL,
                        "secret %s: is not set; set the variable of that name, and start again",
                        name);
        case PAWL_EINVAL:
                return pawl__fail(err, PAWL_EINVAL,
                        "secret %s: has fewer than %d bytes beside white space, too few to be told "
                        "from other text; give a longer one",
                        name, PAWL__MASK_LEAST);
        default:
                return pawl__nomem(err);
        }
}

pawl_status pawl__secrets_load(pawl__secrets *out, const pawl_mission *mission, pawl_error *err)
{
        const char *inherited = value_of(pawl__text(variable));
        pawl_status status = PAWL_OK;
        pawl_text name;

        *out = (pawl__secrets){.names = PAWL__BUF_INIT};
        for (size_t i = 0; i < mission->n_secrets && !status; i++)
                status = load_one(out, mission->secrets[i], err);
        if (!status)
                status = pawl__secrets_inherited(&out->mask, err);
        while (!status && (name = next_name(&inherited)).data)
                if (add_name(out, name))
                        status = pawl__nomem(err);
        if (status)
                pawl__secrets_free(out);
        return status;
}

pawl_status pawl__secrets_check(const pawl_mission *mission, pawl_error *err)
{
        pawl__secrets secrets;
        const pawl_status status = pawl__secrets_load(&secrets, mission, err);

        if (!status)
                pawl__secrets_free(&secrets);
        return status;
}

void pawl__secrets_free(pawl__secrets *secrets)
{
        pawl__mask_free(&secrets->mask);
        pawl__buf_free(&secrets->names);
}

/* The canonical form may have a number in digits that the output did not have. */
pawl_status pawl__secrets_mask_output(const pawl__mask *mask, pawl__buf *output, pawl_error *err)
{
        pawl__buf canonical = PAWL__BUF_INIT;

        if (!mask->n)
                return PAWL_OK;
        pawl__mask_buf(mask, output);
        pawl_status status = pawl__json_canon(&canonical, output->data, output->len, err);
        if (!status) {
                pawl__mask_buf(mask, &canonical);
                pawl__buf_free(output);
                *output = canonical;
                return PAWL_OK;
        }
        pawl__buf_free(&canonical);
        return status == PAWL_ENOMEM ? status : PAWL_OK;
}
