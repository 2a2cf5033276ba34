#include "cli/pawl/archive.h"
#include "command/json.h"
#include "command/printable.h"
#include <inttypes.h>
#include <stdio.h>

static int print_json(const cli_call *cli, const pawl_archive_result *result, bool imported)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;

        pawl__json_open_object(&w);
        pawl__json_member_integer(&w, "checkpoints", (int64_t)result->checkpoints);
        if (imported)
                pawl__json_member_integer(&w, "known", (int64_t)result->known);
        pawl__json_member_integer(&w, "contents", (int64_t)result->contents);
        pawl__json_member_integer(&w, "bytes", (int64_t)result->bytes);
        pawl__json_member_string(&w, "sha256", result->sha256);
        pawl__json_member_string(&w, "digest", result->digest);
        pawl__json_close_object(&w);
        return cli_print_json(cli, &w);
}

int cli_print_archive(
        const cli_call *cli, const char *path, const pawl_archive_result *result, bool imported)
{
        if (cli_given(cli, "json"))
                return print_json(cli, result, imported);
        cli_puts(cli->in->out, path);
        fprintf(cli->in->out, ": %" PRIu64 " checkpoint%s", result->checkpoints,
                result->checkpoints == 1 ? "" : "s");
        if (imported)
                fprintf(cli->in->out, " new, %" PRIu64 " known", result->known);
        fprintf(cli->in->out, ", %" PRIu64 " contents, %" PRIu64 " bytes\n", result->contents,
                result->bytes);
        fprintf(cli->in->out, "sha256 %s\ndigest %s\n", result->sha256, result->digest);
        return CLI_DONE;
}
