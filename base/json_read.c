#include "base/json_read.h"

void pawl__json_reader_init(pawl__json_reader *reader, const char *text, size_t len)
{
        pawl__json_reader_begin(reader, text, len);
}

pawl_status pawl__json_next(pawl__json_reader *reader, pawl__json_token *token, pawl_error *err)
{
        return pawl__json_step(reader, token, err);
}
