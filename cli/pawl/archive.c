#include "cli/pawl/archive.h"
#include "command/fields.h"
#include "command/printable.h"
#include <inttypes.h>
#include <stdio.h>

#define AT(member) CLI_AT(pawl_archive_result, member)

static const cli_field exported[] = {
        {"checkpoints", CLI_AS_INTEGER, AT(checkpoints)},
        {"contents", CLI_AS_INTEGER, AT(contents)},
        {"bytes", CLI_AS_INTEGER, AT(bytes)},
        {"sha256", CLI_AS_CHARS, AT(sha256)},
        {"digest", CLI_AS_CHARS, AT(digest)},
        CLI_NO_FIELD,
};
static const cli_field imported_fields[] = {
        {"checkpoints", CLI_AS_INTEGER, AT(checkpoints)},
        {"known", CLI_AS_INTEGER, AT(known)},
        {"healed", CLI_AS_INTEGER, AT(healed)},
        {"contents", CLI_AS_INTEGER, AT(contents)},
        {"bytes", CLI_AS_INTEGER, AT(bytes)},
        {"sha256", CLI_AS_CHARS, AT(sha256)},
        {"digest", CLI_AS_CHARS, AT(digest)},
        CLI_NO_FIELD,
};

pawl_status cli_print_archive(const cli_call *cli, const char *path,
        const pawl_archive_result *result, bool imported, pawl_error *err)
{
        if (cli_given(cli, "json"))
                return cli_print_object(cli, imported ? imported_fields : exported, result, err);
        cli_putf(cli->in->out, "%s: %" PRIu64 " checkpoint%s", path, result->checkpoints,
                result->checkpoints == 1 ? "" : "s");
        if (imported)
                fprintf(cli->in->out, " new, %" PRIu64 " known", result->known);
        if (result->healed)
                fprintf(cli->in->out, ", %" PRIu64 " damaged content%s replaced", result->healed,
                        result->healed == 1 ? "" : "s");
        fprintf(cli->in->out, ", %" PRIu64 " contents, %" PRIu64 " bytes\n", result->contents,
                result->bytes);
        fprintf(cli->in->out, "sha256 %s\ndigest %s\n", result->sha256, result->digest);
        return PAWL_OK;
}
