/* A document into its file: whenever this ends, by a full disk or a kill, it is the old one or the
 * new one. */
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "events/own_files.h"
#include "session/session.h"
#include "workspace/store/own_documents.h"
#include <errno.h>
#include <stdlib.h>

pawl_status pawl__handoff_write(pawl_log *log, const char *session_id, const char *path,
        size_t summary, unsigned new_mode, pawl_error *err)
{
        char *text = NULL;
        size_t len;

        TRY(pawl__own_files_spare(pawl__log_place(log), path, err));
        pawl_status status = pawl_session_handoff(&text, &len, log, session_id, summary, err);

        if (!status) {
                const int error = pawl__replace_file(path, text, len, (mode_t)new_mode);
                if (error == EINVAL)
                        status = pawl__fail(err, PAWL_EINVAL,
                                "%s: is not a regular file, or names no file; name one that is, or that there is not",
                                path);
                else if (error)
                        status = pawl__fail_errno(err, error, path, "write the handoff");
                else
                        pawl__own_document_note(log, path, text, len);
        }
        free(text);
        return status;
}

pawl_status pawl_session_handoff_write(
        pawl_log *log, const char *session_id, const char *path, size_t summary, pawl_error *err)
{
        TRY(pawl__log_usable(log, err));

        return pawl__handoff_write(log, session_id, path, summary, 0644, err);
}
