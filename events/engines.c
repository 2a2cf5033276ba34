/* The engines, and which of them a log's name says. */
#include "events/handle.h"
#include "events/log.h"

const pawl__engine *pawl__engine_of(const char *name)
{
        return pawl__log_is_url(name) ? &pawl__postgres_engine : &pawl__sqlite_engine;
}

pawl_status pawl__log_open_as(pawl_log **out, const char *path, const pawl_log_options *options,
        const pawl__log_setup *setup, pawl_error *err)
{
        return pawl__log_open_on(pawl__engine_of(path), out, path, options, setup, err);
}

pawl_status pawl_log_open(
        pawl_log **out, const char *path, const pawl_log_options *options, pawl_error *err)
{
        return pawl__log_open_as(out, path, options, NULL, err);
}
