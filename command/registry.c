#include "command/registry.h"
#include <string.h>

static const cli_cmd *find_in(const cli_program *program, const char *name)
{
        for (const cli_cmd *const *cmd = program->cmds; *cmd; cmd++)
                if (strcmp((*cmd)->name, name) == 0)
                        return *cmd;
        return NULL;
}

bool cli_registry_find(cli_entry *out, const cli_registry *registry, const char *name)
{
        for (const cli_program *const *at = registry->programs; *at; at++) {
                const char *rest = name;
                size_t len = at == registry->programs ? 0 : strlen((*at)->name);
                if (len) {
                        if (strncmp(name, (*at)->name, len) != 0 || name[len] != ' ')
                                continue;
                        rest += len + 1;
                }
                const cli_cmd *cmd = find_in(*at, rest);
                if (cmd) {
                        *out = (cli_entry){*at, cmd};
                        return true;
                }
        }
        return false;
}
