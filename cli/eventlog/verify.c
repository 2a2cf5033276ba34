/* eventlog verify: recompute the chain of hashes, and hold it against anchors kept elsewhere. */
#include "base/digest.h"
#include "base/error.h"
#include "cli/eventlog/commands.h"
#include "cli/eventlog/rows.h"
#include "command/find.h"
#include "command/input.h"
#include "command/json.h"
#include "events/log.h"
#include "workspace/verify/contents_verify.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct anchor {
        uint64_t seq;
        unsigned char hash[PAWL__HASH_LEN];
} anchor;

typedef struct anchors {
        anchor *items;
        size_t n, cap;
} anchors;

/* Blanks at the end, which an editor or another system's line end may have left there. */
static pawl_text trimmed(pawl_text line)
{
        while (line.len && strchr(" \t\r", line.data[line.len - 1]) && line.data[line.len - 1])
                line.len--;
        return line;
}

/* "SEQ HASH", as `eventlog head` prints it. */
static bool read_anchor(anchor *out, pawl_text line)
{
        const char *space = line.len ? memchr(line.data, ' ', line.len) : NULL;
        char digits[24];
        size_t len = space ? (size_t)(space - line.data) : 0;

        if (len == 0 || len >= sizeof digits || memchr(line.data, '\0', len))
                return false;
        memcpy(digits, line.data, len);
        digits[len] = '\0';
        return cli_parse_number(&out->seq, digits) &&
               pawl__unhex32(out->hash, pawl__text_n(space + 1, line.len - len - 1));
}

static pawl_status read_anchors(anchors *out, const char *name, pawl_error *err)
{
        cli_input input;
        pawl_text line;
        unsigned long long read = 0;
        pawl_status status = cli_input_open(&input, name, err);

        if (status)
                return status;
        for (unsigned long long n = 1;; n++) {
                anchor one;
                status = cli_input_line(&line, &input, err);
                if (status)
                        break;
                line = trimmed(line);
                if (line.len == 0)
                        continue;
                read++;
                if (!read_anchor(&one, line))
                        status = pawl__fail(err, PAWL_EPARSE,
                                "%.200s: line %llu: not an anchor; give what `eventlog head` "
                                "printed",
                                input.name, n);
                else if (pawl__grow(&out->items, &out->cap, out->n + 1, sizeof *out->items))
                        status = pawl__nomem(err);
                else if (one.seq > 0) /* an empty log's head says nothing of a later one */
                        out->items[out->n++] = one;
                if (status)
                        break;
        }
        /* What `eventlog head` could not write must not pass for an anchor that still holds. */
        if (status == PAWL_DONE && read == 0)
                status = pawl__fail(err, PAWL_EPARSE,
                        "%.200s: no anchor in it; give what `eventlog head` printed", input.name);
        cli_input_close(&input);
        return status == PAWL_DONE ? PAWL_OK : status;
}

/* The newest anchor: verified with the chain, it stands for the part before it. */
static const anchor *newest(const anchors *all)
{
        const anchor *best = NULL;

        for (size_t i = 0; i < all->n; i++)
                if (!best || all->items[i].seq > best->seq)
                        best = &all->items[i];
        return best;
}

/* The chain verifies, so that an event's hash column is its hash. */
static pawl_status check_anchor(const anchor *one, pawl_log *log, pawl_error *err)
{
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl_event event;
        pawl_status status = pawl__log_event(&event, &arena, log, one->seq);

        if (status == PAWL_ENOTFOUND)
                status = pawl__fail(err, PAWL_EDAMAGED,
                        "seq %" PRIu64 ": an anchor names it, and the log ends before it; "
                        "put back a copy that has it",
                        one->seq);
        else if (status)
                pawl__log_failed(log, status, err);
        else if (memcmp(event.hash, one->hash, sizeof one->hash) != 0)
                status = pawl__fail(err, PAWL_EDAMAGED,
                        "seq %" PRIu64 ": its hash is not the anchor's: the log was rewritten; "
                        "put back a copy from before",
                        one->seq);
        pawl__arena_free(&arena);
        return status;
}

/* Fills @p result also where an anchor does not hold. */
static pawl_status verify(
        pawl_verify_result *result, pawl_log *log, const anchors *all, pawl_error *err)
{
        const anchor *last = newest(all);
        pawl_status status =
                pawl_log_verify(result, log, last ? last->seq : 0, last ? last->hash : NULL);

        if (status && result->why.message[0]) {
                *err = result->why;
                err->status = status;
                return status;
        }
        if (status)
                return pawl__log_failed(log, status, err);
        for (size_t i = 0; all->items && i < all->n; i++)
                if ((status = check_anchor(&all->items[i], log, err))) {
                        result->bad_seq = all->items[i].seq;
                        return status;
                }
        return PAWL_OK;
}

/* What came of it, as JSON has it. */
typedef struct verdict {
        pawl_verify_result result;
        pawl__contents_verdict contents;
        cli_head head;
        bool ok, knows_head, macs_checked, contents_checked;
} verdict;

static bool knows_head(const void *item)
{
        return ((const verdict *)item)->knows_head;
}

static bool has_contents(const void *item)
{
        const verdict *v = item;

        return v->ok && v->contents_checked;
}

static const cli_field good_fields[] = {
        {"events", CLI_AS_INTEGER, CLI_AT(verdict, result.events)},
        {"head", CLI_AS_OBJECT, CLI_AT(verdict, head), .has = knows_head,
                .fields = cli_head_fields},
        {"ok", CLI_AS_BOOL, CLI_AT(verdict, ok)},
        {"keyed", CLI_AS_BOOL, CLI_AT(verdict, result.keyed)},
        {"macs_checked", CLI_AS_BOOL, CLI_AT(verdict, macs_checked)},
        {"contents", CLI_AS_INTEGER, CLI_AT(verdict, contents.contents), .has = has_contents},
        {"blobs", CLI_AS_INTEGER, CLI_AT(verdict, contents.blobs), .has = has_contents},
        CLI_NO_FIELD,
};

static pawl_status print_json(
        const cli_call *cli, const verdict *v, const char *why, pawl_error *err)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        cli_fields_json(&w, good_fields, v);
        if (!v->ok) {
                pawl__json_member_integer(&w, "bad_seq", (int64_t)v->result.bad_seq);
                pawl__json_member_string(&w, "why", why);
        }
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w, err);
}

static void print_text(FILE *out, const verdict *v)
{
        fprintf(out, "ok: %" PRIu64 " events, head %" PRIu64 " %s\n", v->result.events, v->head.seq,
                v->head.hex);
        if (v->result.keyed)
                fputs(v->macs_checked
                                ? "the log is keyed: each MAC was checked with the key\n"
                                : "the log is keyed: its MACs were not checked; name the key's file "
                                  "with --key-file or $PAWL_KEY_FILE\n",
                        out);
}

static pawl_status tell(const cli_call *cli, pawl_log *log, const anchors *all, pawl_error *err)
{
        verdict v = {.result = {.why = PAWL_ERROR_INIT}};
        pawl_error no_head = PAWL_ERROR_INIT;
        const bool json = cli_given(cli, "json");
        pawl_status status = verify(&v.result, log, all, err);

        v.contents_checked = !cli_given(cli, "chain");
        if (!status && v.contents_checked) {
                status = pawl__contents_verify(&v.contents, log, err);
                v.result.bad_seq = v.contents.bad_seq;
        }
        v.ok = !status;
        v.macs_checked = v.result.keyed && pawl__log_has_key(log);
        if (status && (status != PAWL_EDAMAGED || !json))
                return status;
        pawl_status known = cli_read_head(&v.head, log, v.ok ? err : &no_head);
        if (v.ok && known)
                return known;
        v.knows_head = !known;
        if (json) {
                pawl_status printed = print_json(cli, &v, err->message, v.ok ? err : &no_head);
                return status ? status : printed;
        }
        print_text(cli->in->out, &v);
        return PAWL_OK;
}

static int verify_run(cli_call *cli)
{
        const char *name = cli_value(cli, "anchor");
        pawl_error err = PAWL_ERROR_INIT;
        anchors all = {NULL, 0, 0};
        pawl_log *log = NULL;
        int code;

        pawl_status status = name ? read_anchors(&all, name, &err) : PAWL_OK;
        if (!status)
                status = cli_open_log(&log, cli, CLI_VERIFY, &err);
        if (!status)
                status = tell(cli, log, &all, &err);
        code = status ? cli_fail(cli, &err) : CLI_DONE;
        cli_close_log(cli, log);
        free(all.items);
        return code;
}

static const cli_option verify_options[] = {
        {"anchor", 0, 0, CLI_FILE, "FILE", NULL,
                "heads recorded earlier, which must still be there"},
        {"chain", 0, 0, CLI_FLAG, NULL, NULL, "the chain alone, without the contents"},
        {"key-file", 0, 0, CLI_FILE, "FILE", NULL,
                "also check the MACs with this key, in place of $PAWL_KEY_FILE"},
        {"json", 0, 0, CLI_FLAG, NULL, NULL, "print one object"},
        {NULL, 0, 0, CLI_FLAG, NULL, NULL, NULL},
};

const cli_cmd eventlog_verify_cmd = {
        .name = "verify",
        .traits = CLI_SERVED,
        .options = verify_options,
        .help = "Recompute the hashes of the chain and of all contents, and the MACs",
        .run = verify_run,
};
