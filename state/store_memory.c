#include "base/error.h"
#include "base/map.h"
#include "state/memory.h"
#include <stdlib.h>

/* The rows of one table. Each is a block of the arena: its values, then the texts it came with. */
struct kept_row {
        pawl__value *values;
};

struct rows {
        pawl__map by_key;
        struct kept_row *items;
        size_t n, cap;
        uint32_t last; /* found or put last: an event tends to be about the run of the one before */
};

struct pawl__memory {
        pawl__store store;
        struct rows tables[PAWL__TABLES];
        pawl__arena arena;
        pawl__buf key; /* where a key of several columns is put together */
        bool stored;   /* it keeps no columns but those that the database has */
};

static int columns_of(const pawl__memory *memory, const pawl__table_def *def)
{
        return memory->stored ? def->stored : def->columns;
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static bool same_key(const pawl__table_def *def, const pawl__value *a, const pawl__value *b)
{
        if (def->column[0].type == PAWL__INT)
                return a->integer == b->integer;
        for (int c = 0; c < def->keys; c++)
                if (!pawl__text_eq(a[c].text, b[c].text))
                        return false;
        return true;
}

/* The bytes of an integer. */
static pawl_text integer_key(const pawl__value *value)
{
        return pawl__text_n((const char *)&value->integer, sizeof value->integer);
}

/* One column is its own key; several are put one after the other, each behind its length, so that
 * no two keys look the same. The result is valid until the next call. */
static pawl_status key_of(
        pawl_text *key, pawl__memory *memory, const pawl__table_def *def, const pawl__row *row)
{
        if (def->keys == 1) {
                *key = def->column[0].type == PAWL__INT ? integer_key(&row->v[0]) : row->v[0].text;
                return PAWL_OK;
        }
        pawl__buf_clear(&memory->key);
        for (int c = 0; c < def->keys; c++) {
                pawl_text text = row->v[c].text;
                pawl__buf_add(&memory->key, &text.len, sizeof text.len);
                if (text.len)
                        pawl__buf_add(&memory->key, text.data, text.len);
        }
        *key = pawl__buf_text(&memory->key);
        return pawl__buf_check(&memory->key, NULL);
}

pawl_status pawl__memory_find(uint32_t *index, pawl__memory *memory, pawl__table table,
        const pawl__row *row, pawl_error *err)
{
        const pawl__table_def *def = &pawl__tables[table];
        struct rows *rows = &memory->tables[table];
        pawl_text key;

        if (rows->n && same_key(def, rows->items[rows->last].values, row->v)) {
                *index = rows->last;
                return PAWL_OK;
        }
        if (key_of(&key, memory, def, row))
                return pawl__nomem(err);
        uint32_t found = pawl__map_get(&rows->by_key, key);
        if (found == PAWL__MAP_NONE)
                return PAWL_ENOTFOUND;
        *index = rows->last = found;
        return PAWL_OK;
}

void pawl__memory_read(
        const pawl__memory *memory, pawl__table table, uint32_t index, pawl__row *row)
{
        const pawl__table_def *def = &pawl__tables[table];
        const size_t n = (size_t)columns_of(memory, def);

        memcpy(row->v, memory->tables[table].items[index].values, n * sizeof *row->v);
        if (n == (size_t)def->columns)
                return;
        memset(row->v + n, 0, ((size_t)def->columns - n) * sizeof *row->v);
        if (table == PAWL__STEPS && row->v[PAWL__STEP_JOINED].text.data)
                pawl__step_split(row);
}

size_t pawl__memory_count(const pawl__memory *memory, pawl__table table)
{
        return memory->tables[table].n;
}

/* ---- Keeping rows ---------------------------------------------------------------------------- */

/* Does a text of the row fit into the place of the former one (len is 0 when absent)? */
static bool fits(pawl_text former, pawl_text text)
{
        return text.len <= former.len;
}

/* Over a former row: texts that did not change stay, those that fit go where the former ones were,
 * and the others share one new block, asked for before anything is touched. */
static pawl_status put_over(pawl__memory *memory, const pawl__table_def *def, pawl__value *former,
        const pawl__row *row, pawl_error *err)
{
        const int columns = columns_of(memory, def);
        size_t need = 0;
        char *buf = NULL;

        for (int c = def->keys; c < columns; c++)
                if (def->column[c].type == PAWL__TEXT && !fits(former[c].text, row->v[c].text))
                        need += row->v[c].text.len;
        if (need && !(buf = pawl__arena_alloc(&memory->arena, need)))
                return pawl__nomem(err);
        for (int c = def->keys; c < columns; c++) {
                pawl_text text = row->v[c].text;
                if (def->column[c].type != PAWL__TEXT) {
                        former[c] = row->v[c];
                        continue;
                }
                if ((former[c].text.data == text.data && former[c].text.len == text.len) ||
                        pawl__text_eq(former[c].text, text))
                        continue;
                if (text.len == 0) {
                        former[c].text = pawl__text(text.data ? "" : NULL);
                        continue;
                }
                char *to = (char *)(uintptr_t)former[c].text.data;
                if (!fits(former[c].text, text)) {
                        to = buf;
                        buf += text.len;
                }
                if (to)
                        memmove(to, text.data, text.len);
                former[c].text = (pawl_text){to, text.len};
        }
        return PAWL_OK;
}

static pawl_status put_new(uint32_t *index, pawl__memory *memory, pawl__table table,
        const pawl__row *row, pawl_error *err)
{
        const pawl__table_def *def = &pawl__tables[table];
        struct rows *rows = &memory->tables[table];
        const int columns = columns_of(memory, def);
        size_t values = (size_t)columns * sizeof(pawl__value);
        size_t texts = 0;
        pawl_text key;

        if (rows->n >= UINT32_MAX - 1)
                return pawl__fail(err, PAWL_ETOOBIG,
                        "%s: more than four thousand million rows; replay a part, up to an earlier event",
                        def->name);
        for (int c = 0; c < columns; c++)
                if (def->column[c].type == PAWL__TEXT)
                        texts += row->v[c].text.len;
        if (key_of(&key, memory, def, row) ||
                pawl__grow(&rows->items, &rows->cap, rows->n + 1, sizeof *rows->items))
                return pawl__nomem(err);
        size_t key_len = def->keys > 1 ? key.len : 0;
        pawl__value *block = pawl__arena_alloc(&memory->arena, values + texts + key_len);
        if (!block)
                return pawl__nomem(err);

        char *to = (char *)block + values;
        for (int c = 0; c < columns; c++) {
                block[c] = row->v[c];
                if (def->column[c].type != PAWL__TEXT || !row->v[c].text.data)
                        continue;
                if (row->v[c].text.len)
                        memcpy(to, row->v[c].text.data, row->v[c].text.len);
                block[c].text.data = to;
                to += row->v[c].text.len;
        }
        if (key_len && key.data)
                key.data = memcpy(to, key.data, key_len);
        else
                key = def->column[0].type == PAWL__INT ? integer_key(&block[0]) : block[0].text;
        if (pawl__map_put(&rows->by_key, key, (uint32_t)rows->n))
                return pawl__nomem(err);
        rows->items[rows->n].values = block;
        *index = rows->last = (uint32_t)rows->n++;
        return PAWL_OK;
}

pawl_status pawl__memory_put(uint32_t *index, pawl__memory *memory, pawl__table table,
        const pawl__row *row, pawl_error *err)
{
        uint32_t found = 0;
        pawl_status status = pawl__memory_find(&found, memory, table, row, err);

        if (status == PAWL_ENOTFOUND)
                return put_new(index, memory, table, row, err);
        if (status == PAWL_OK)
                status = put_over(memory, &pawl__tables[table],
                        memory->tables[table].items[found].values, row, err);
        if (status == PAWL_OK)
                *index = found;
        return status;
}

/* ---- The store ------------------------------------------------------------------------------- */

static pawl_status memory_get(
        pawl__store *store, pawl__table table, pawl__row *row, pawl_error *err)
{
        pawl__memory *memory = (pawl__memory *)store;
        uint32_t index = 0;
        pawl_status status = pawl__memory_find(&index, memory, table, row, err);

        if (status == PAWL_OK)
                pawl__memory_read(memory, table, index, row);
        return status;
}

static pawl_status memory_store_put(
        pawl__store *store, pawl__table table, const pawl__row *row, pawl_error *err)
{
        uint32_t index;

        return pawl__memory_put(&index, (pawl__memory *)store, table, row, err);
}

pawl_status pawl__store_has_it(pawl__table table, const pawl__row *row, pawl_error *err)
{
        return pawl__fail(err, PAWL_ESTATE,
                "seq %lld: rule token-once: %.*s is in the table %s already; take a new one",
                (long long)row->v[PAWL__CP_SEQ].integer, PAWL__FMT(row->v[0].text),
                pawl__tables[table].name);
}

static pawl_status memory_insert(
        pawl__store *store, pawl__table table, const pawl__row *row, pawl_error *err)
{
        uint32_t index;
        const pawl_status status =
                pawl__memory_find(&index, (pawl__memory *)store, table, row, err);

        return status == PAWL_ENOTFOUND ? memory_store_put(store, table, row, err)
               : status                 ? status
                                        : pawl__store_has_it(table, row, err);
}

static void to_row(pawl__row *row, const pawl__table_def *def, const pawl__value *values)
{
        memcpy(row->v, values, (size_t)def->columns * sizeof *values);
}

static int by_order(const void *a, const void *b, void *table)
{
        const pawl__table_def *def = table;
        const struct kept_row *left = a, *right = b;
        int64_t x = left->values[def->order].integer, y = right->values[def->order].integer;
        pawl__row one, two;

        if (x != y)
                return x < y ? -1 : 1;
        to_row(&one, def, left->values);
        to_row(&two, def, right->values);
        return pawl__row_cmp_order((pawl__table)(def - pawl__tables), &one, &two);
}

static pawl_status memory_rows(
        pawl__rows *out, pawl__store *store, pawl__table table, pawl_error *err)
{
        const pawl__table_def *def = &pawl__tables[table];
        const struct rows *rows = &((pawl__memory *)store)->tables[table];
        struct kept_row *sorted = rows->n ? malloc(rows->n * sizeof *sorted) : NULL;

        if (rows->n && !sorted)
                return pawl__nomem(err);
        if (rows->n)
                memcpy(sorted, rows->items, rows->n * sizeof *sorted);
        bool in_order = true; /* as they are, if no row was moved by a later event */
        for (size_t i = 1; i < rows->n && in_order; i++)
                in_order = sorted[i - 1].values[def->order].integer <
                           sorted[i].values[def->order].integer;
        if (!in_order)
                qsort_r(sorted, rows->n, sizeof *sorted, by_order, (void *)(uintptr_t)def);
        *out = (pawl__rows){.table = table, .of = sorted, .n = rows->n};
        return PAWL_OK;
}

static pawl_status memory_rows_next(pawl__rows *rows, pawl__row *row, pawl_error *err)
{
        const struct kept_row *sorted = rows->of;

        (void)err;
        if (rows->at == rows->n)
                return PAWL_DONE;
        to_row(row, &pawl__tables[rows->table], sorted[rows->at++].values);
        return PAWL_OK;
}

static void memory_rows_end(pawl__rows *rows)
{
        free(rows->of);
}

pawl_status pawl__store_each(
        pawl__store *store, pawl__table table, pawl__row_fn fn, void *user, pawl_error *err)
{
        pawl__rows rows;
        pawl__row row;
        pawl_status status;

        TRY(store->rows(&rows, store, table, err));
        while (!(status = store->rows_next(&rows, &row, err)) && !(status = fn(&row, user, err)))
                ;
        store->rows_end(&rows);
        return status == PAWL_DONE ? PAWL_OK : status;
}

static void memory_free(pawl__store *store)
{
        pawl__memory_free((pawl__memory *)store);
}

pawl_status pawl__memory_new(pawl__memory **out, bool stored, pawl_error *err)
{
        pawl__memory *memory = calloc(1, sizeof *memory);

        if (!memory)
                return pawl__nomem(err);
        memory->store = (pawl__store){memory_get, memory_store_put, memory_insert, memory_store_put,
                memory_rows, memory_rows_next, memory_rows_end, pawl__store_each, memory_free};
        memory->stored = stored;
        *out = memory;
        return PAWL_OK;
}

void pawl__memory_clear(pawl__memory *memory)
{
        for (int t = 0; t < PAWL__TABLES; t++) {
                pawl__map_free(&memory->tables[t].by_key);
                memory->tables[t].n = memory->tables[t].last = 0;
        }
        pawl__arena_clear(&memory->arena);
}

void pawl__memory_free(pawl__memory *memory)
{
        if (!memory)
                return;
        for (int t = 0; t < PAWL__TABLES; t++) {
                pawl__map_free(&memory->tables[t].by_key);
                free(memory->tables[t].items);
        }
        pawl__arena_free(&memory->arena);
        pawl__buf_free(&memory->key);
        free(memory);
}

pawl_status pawl__store_memory(pawl__store **out, pawl_error *err)
{
        pawl__memory *memory = NULL;
        pawl_status status = pawl__memory_new(&memory, false, err);

        if (status == PAWL_OK)
                *out = &memory->store;
        return status;
}
