/* The payloads of threads, in canonical form: members are written in the order of their names. */
#include "threads/threads.h"

void pawl__thread_write_value(pawl__json_writer *w, const pawl__thread_value *value, bool of_write)
{
        pawl__json_open_object(w);
        pawl__json_member_text(w, "channel", value->channel);
        if (pawl__thread_is_content(value))
                pawl__json_member_hash(w, "hash", value->hash);
        if (of_write)
                pawl__json_member_integer(w, "index", value->index);
        if (value->seq)
                pawl__json_member_integer(w, "seq", (int64_t)value->seq);
        else if (value->text.data)
                pawl__json_member_text(w, "text", value->text);
        else
                pawl__json_member_integer(w, "size", value->size);
        pawl__json_member_text(w, "type", value->type);
        if (!of_write)
                pawl__json_member_text(w, "version", value->version);
        pawl__json_close_object(w);
}

void pawl__thread_write_ns(pawl__json_writer *w, const pawl_thread_checkpoint *item)
{
        if (item->checkpoint_ns.len)
                pawl__json_member_text(w, "checkpoint_ns", item->checkpoint_ns);
}

void pawl__thread_write_thread(
        pawl__json_writer *w, const pawl_thread_checkpoint *item, pawl_text run)
{
        if (!pawl__text_eq(item->thread_id, run))
                pawl__json_member_text(w, "thread_id", item->thread_id);
}

void pawl__thread_write_checkpoint(pawl__json_writer *w, const pawl_thread_checkpoint *item,
        pawl_text run, const pawl__thread_value *values, size_t n)
{
        pawl__json_open_object(w);
        pawl__json_name(w, "channels");
        pawl__json_open_array(w);
        for (size_t i = 0; i < n; i++)
                if (values[i].type.data)
                        pawl__thread_write_value(w, &values[i], false);
        pawl__json_close_array(w);
        pawl__json_member_text(w, "checkpoint", item->checkpoint);
        pawl__thread_write_ns(w, item);
        pawl__json_member_text(
                w, "metadata", item->metadata.data ? item->metadata : pawl__text("{}"));
        if (item->parent_id.data)
                pawl__json_member_text(w, "parent_id", item->parent_id);
        pawl__thread_write_thread(w, item, run);
}
