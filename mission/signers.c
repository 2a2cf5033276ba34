/* The member "require_signed" of a mission: a file of allowed signers. */
#include "base/file.h"
#include "mission/loader.h"
#include "pipeline/signed.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static pawl_status read_signers(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;
        pawl_mission *mission = loader->mission;
        pawl__buf text = PAWL__BUF_INIT;
        const int fd = open(mission->signers_path, O_RDONLY | O_CLOEXEC);
        const int error = fd < 0 ? errno : pawl__read_all(&text, fd, PAWL__SIGNERS_MAX);
        pawl_status status = PAWL_OK;

        if (fd >= 0)
                close(fd);
        if (error)
                status = pawl__field_fail(place, node,
                        "%.200s cannot be read: %s; name a file of allowed signers, as ssh-keygen "
                        "has it",
                        mission->signers_path, strerrordesc_np(error));
        else if (!pawl__utf8_valid(text.data, text.len) || pawl__text_blank(pawl__buf_text(&text)))
                status = pawl__field_fail(place, node,
                        "%.200s names nobody; write a line for each signer: ACTOR KEYTYPE KEY",
                        mission->signers_path);
        else
                status = pawl__keep(place, &mission->signers.text, pawl__buf_text(&text));
        pawl__buf_free(&text);
        return status;
}

pawl_status pawl__require_signed_read(const pawl__place *place, pawl__node node)
{
        pawl__loader *loader = place->target;
        pawl_mission *mission = loader->mission;
        pawl_status status = pawl__keep_path(place, &mission->signers_path, node);

        if (!status)
                status = pawl__keep(
                        place, &mission->signers.file, pawl__value_at(place, node)->value);
        if (!status && !mission->from_log)
                status = read_signers(place, node);
        mission->signers_now = mission->signers;
        return status;
}
