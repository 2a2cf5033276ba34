/* The document of a tool call: what is one, what is not, and that nothing of it is lost. */
#include "support/test.h"
#include "toolcalls/name.h"
#include <pawl/toolcalls.h>

static pawl_status read_text(pawl_toolcall **out, const char *json, pawl_error *err)
{
        return pawl_toolcall_read(out, json, strlen(json), err);
}

UNIT_TEST(a_document_says_which_call_it_stands_before)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_toolcall *call;
        static const char json[] =
                "{\"messageId\":\"m-\\u0031\",\"toolCall\":{\"args\":{\"file_path\":\"a\"},"
                "\"name\":\"replace\"}, \"history\" : [ 1, {} ],\"clientHistory\":[],"
                "\"commitHash\":\"cp-01\"}";

        if (read_text(&call, json, &err))
                fail_msg("%s", err.message);
        const pawl_toolcall_info *info = pawl_toolcall_told(call);
        assert_text(info->tool, "replace");
        assert_text(info->args, "{\"file_path\":\"a\"}");
        assert_text(info->tool_call, "{\"args\":{\"file_path\":\"a\"},\"name\":\"replace\"}");
        assert_text(info->history, "[ 1, {} ]");
        assert_text(info->client_history, "[]");
        assert_text(info->commit_hash, "cp-01");
        assert_text(info->message_id, "m-1");
        assert_int_equal(info->checkpoint, 0);
        assert_null(info->name);
        assert_null(pawl_toolcall_plan(call));
        pawl_toolcall_free(call);
        assert_ok(read_text(&call, "{\"toolCall\":{\"name\":\"\",\"args\":{}}}", &err));
        assert_null(pawl_toolcall_told(call)->history.data);
        assert_null(pawl_toolcall_told(call)->commit_hash.data);
        assert_null(pawl_toolcall_told(call)->message_id.data);
        pawl_toolcall_free(call);
}

UNIT_TEST(what_is_no_document_is_refused_by_the_name_of_the_member)
{
        static const struct {
                const char *json;
                pawl_status status;
                const char *says;
        } cases[] = {
                {"", PAWL_EPARSE, "line 1, column 1: there is no value"},
                {"{\"toolCall\":{\"name\":\"a\",\"args\":{}}} x", PAWL_EPARSE, "more after"},
                {"{\"toolCall\":1,\"toolCall\":2}", PAWL_EPARSE, "\"toolCall\" appears twice"},
                {"{\"toolCall\":{\"name\":\"a\",\"args\":{\"x\":\"\\ud800\"}}}", PAWL_EPARSE,
                        "lone surrogate"},
                {"[]", PAWL_EINVAL, "document: is not an object; write"},
                {"null", PAWL_EINVAL, "document: is not an object"},
                {"{}", PAWL_EINVAL, "toolCall: is missing; it must be an object"},
                {"{\"toolCall\":null}", PAWL_EINVAL, "toolCall: is not an object"},
                {"{\"toolCall\":[]}", PAWL_EINVAL, "toolCall: is not an object"},
                {"{\"toolCall\":{\"args\":{}}}", PAWL_EINVAL,
                        "toolCall.name: is missing; it must be text"},
                {"{\"toolCall\":{\"name\":7,\"args\":{}}}", PAWL_EINVAL,
                        "toolCall.name: is not text; write it so"},
                {"{\"toolCall\":{\"name\":\"a\"}}", PAWL_EINVAL,
                        "toolCall.args: is missing; it must be an object"},
                {"{\"toolCall\":{\"name\":\"a\",\"args\":[]}}", PAWL_EINVAL,
                        "toolCall.args: is not an object"},
                {"{\"toolCall\":{\"name\":\"a\",\"args\":{}},\"history\":{}}", PAWL_EINVAL,
                        "history: is not an array; write it so"},
                {"{\"toolCall\":{\"name\":\"a\",\"args\":{}},\"messageId\":1}", PAWL_EINVAL,
                        "messageId: is not text"},
        };
        pawl_toolcall *untouched = (pawl_toolcall *)state, *call = untouched;

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                pawl_error err = PAWL_ERROR_INIT;
                assert_int_equal(read_text(&call, cases[i].json, &err), cases[i].status);
                assert_says(err.message, cases[i].says);
                assert_ptr_equal(call, untouched);
        }
}

/* Big integers, 1.0, an escaped NUL, names with a quote, nesting: the values are those that came.
 */
UNIT_TEST(members_that_are_not_known_survive_a_round_trip)
{
        static const char json[] =
                "{\"x\":[1.0,9007199254740993,-0,1e2,true,false,null,\"a\\u0000b\\/\"],"
                "\"toolCall\":{\"name\":\"replace\",\"extra\":{\"deep\":[{\"y\":1.50}]},"
                "\"args\":{\"\\\"q\\\"\":\"\\u00e9\"}},\"history\":[{\"type\":\"user\"}],\"\":0}";
        static const char again[] =
                "{\"history\":[{\"type\":\"user\"}],\"commitHash\":\"cp-07\",\"toolCall\":{\"name\":"
                "\"replace\",\"extra\":{\"deep\":[{\"y\":1.50}]},\"args\":{\"\\\"q\\\"\":"
                "\"\\u00e9\"}},\"x\":[1.0,9007199254740993,-0,1e2,true,false,null,\"a\\u0000b\\/\"],"
                "\"\":0}";
        pawl_error err = PAWL_ERROR_INIT;
        pawl_toolcall *call, *second;
        char *text, *twice;
        size_t len, twice_len;

        assert_ok(read_text(&call, json, &err));
        assert_ok(pawl_toolcall_write(&text, &len, call, "cp-07", &err));
        assert_string_equal(text, again);
        assert_int_equal(len, strlen(again));
        /* what was written is read again, and written as it was; the hash stays where none is given
         */
        assert_ok(read_text(&second, text, &err));
        assert_ok(pawl_toolcall_write(&twice, &twice_len, second, NULL, &err));
        assert_string_equal(twice, text);
        pawl_free(twice);
        assert_int_equal(
                pawl_toolcall_write(&twice, &twice_len, second, "\xff", &err), PAWL_EINVAL);
        assert_says(err.message, "commitHash: is not UTF-8");
        pawl_toolcall_free(second);
        pawl_free(text);
        pawl_toolcall_free(call);
}

UNIT_TEST(what_is_too_large_is_refused_before_it_is_read)
{
        pawl_error err = PAWL_ERROR_INIT;
        pawl_toolcall *call;

        assert_int_equal(pawl_toolcall_read(&call, "{", PAWL_TOOLCALL_MAX + 1, &err), PAWL_ETOOBIG);
        assert_says(err.message, "document: has 67108865 bytes");
}

UNIT_TEST(names_are_made_of_what_no_directory_minds)
{
        static const struct {
                const char *text, *part;
        } cases[] = {{"call-1", "call-1"}, {"a/b\\c:d", "a_b_c_d"}, {"..", "__"}, {"", "_"},
                {".x.", "_x_"}, {"a..b", "a._b"}, {"v1.2", "v1.2"}, {"\xc3\xa9\n", "___"},
                {"0123456789012345678901234567890123456789012345678901234567890123456789",
                        "0123456789012345678901234567890123456789012345678901234567890123"}};
        char part[PAWL__TOOLCALL_PART_MAX], name[PAWL__TOOLCALL_NAME_MAX];

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                pawl__toolcall_part(part, pawl__text(cases[i].text));
                assert_string_equal(part, cases[i].part);
                pawl__toolcall_name(name, INT64_C(1768919400123), part, part);
                assert_null(pawl__toolcall_name_wrong(pawl__text(name)));
        }
        pawl__toolcall_name(name, INT64_C(1768919400123), "call-1", "write_file");
        assert_string_equal(name, "2026-01-20T14-30-00-123Z-call-1-write_file.json");
}

UNIT_TEST(a_name_that_leads_elsewhere_is_none)
{
        static const struct {
                pawl_text name;
                const char *why;
        } cases[] = {{{NULL, 0}, "is not UTF-8"}, {{"", 0}, "does not end in .json"},
                {{"a/b.json", 8}, "separator"}, {{"a\\b.json", 8}, "separator"},
                {{"..", 2}, "holds \"..\""}, {{"a..json", 7}, "holds \"..\""},
                {{"a\0.json", 7}, "control character"}, {{"a\n.json", 7}, "control character"},
                {{"\xff.json", 6}, "is not UTF-8"}, {{"a.txt", 5}, "does not end"},
                {{".json", 5}, "does not end"}, {{"a.jsonx", 7}, "does not end"}};
        char longer[300];

        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
                const char *why = pawl__toolcall_name_wrong(cases[i].name);
                assert_non_null(why);
                assert_says(why, cases[i].why);
        }
        memset(longer, 'a', sizeof longer);
        memcpy(longer + 251, ".json", 6);
        assert_says(pawl__toolcall_name_wrong(pawl__text(longer)), "longer than any");
        memcpy(longer + 250, ".json", 6);
        assert_null(pawl__toolcall_name_wrong(pawl__text(longer)));
}
