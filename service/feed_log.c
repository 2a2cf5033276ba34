/* The log as the threads of a feed read it, and the format of its events in streams. */
#include "base/error.h"
#include "events/log.h"
#include "service/feed_inside.h"
#include <inttypes.h>
#include <sys/stat.h>

/* ---- Following it -------------------------------------------------------------------------------
 */

pawl_status service_feed_log_open(service_feed_log *log, const char *path, pawl_error *err)
{
        pawl_log_options options = PAWL_LOG_OPTIONS_INIT;
        struct stat st;

        /* before it is opened: a file that is put there meanwhile is noticed at the next read */
        if (stat(path, &st) != 0)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "%.300s: the log is not there any more; put it back", path);
        options.flags = PAWL_LOG_READONLY;
        pawl_status status = pawl_log_open(&log->log, path, &options, err);
        if (status)
                return status;
        log->device = st.st_dev;
        log->inode = st.st_ino;
        return PAWL_OK;
}

void service_feed_log_close(service_feed_log *log)
{
        pawl_log_close(log->log);
        *log = (service_feed_log){.log = NULL};
}

pawl_status service_feed_log_head(
        uint64_t *head, service_feed_log *log, const char *path, uint64_t shown, pawl_error *err)
{
        unsigned char hash[32];
        struct stat now;
        pawl_status status = pawl_log_head(head, hash, log->log);

        if (status)
                return pawl__log_failed(log->log, status, err);
        if (stat(path, &now) != 0 || now.st_dev != log->device || now.st_ino != log->inode)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "%.300s: the log that was followed is not there any more; ask again", path);
        if (*head < shown)
                return pawl__fail(err, PAWL_ESTATE,
                        "%.300s: the log ends at %" PRIu64 " now, before what was shown; ask again",
                        path, *head);
        return PAWL_OK;
}

/* ---- An event -----------------------------------------------------------------------------------
 */

/* A type that another program wrote into the table may be any text. */
static bool is_word(pawl_text type)
{
        for (size_t i = 0; i < type.len; i++)
                if ((unsigned char)type.data[i] <= ' ' || type.data[i] == 0x7f)
                        return false;
        return type.len > 0;
}

pawl_status service_feed_write(
        pawl__buf *out, pawl_log *log, const pawl_event *event, pawl_error *err)
{
        size_t len = out->len;
        pawl_status status = pawl__buf_addf(out, "id: %" PRIu64 "\n", event->seq);

        if (!status && is_word(event->type)) {
                status = pawl__buf_adds(out, "event: ");
                if (!status)
                        status = pawl__buf_add(out, event->type.data, event->type.len);
                if (!status)
                        status = pawl__buf_addc(out, '\n');
        }
        if (!status)
                status = pawl__buf_adds(out, "data: ");
        if (status)
                status = pawl__nomem(err);
        else
                status = pawl__log_event_json(out, log, event, err);
        if (!status && pawl__buf_adds(out, "\n\n"))
                status = pawl__nomem(err);
        if (status)
                out->len = len;
        return status;
}
