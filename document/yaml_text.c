#include "base/json_read.h"
#include "document/yaml.h"

pawl_status pawl__yaml_check_text(const char *text, size_t len, pawl_error *err)
{
        static const struct {
                const char *bytes, *why;
        } breaks[] = {
                {"\xc2\x85", "holds U+0085 (next line) raw; write \"\\N\" in double quotes"},
                {"\xe2\x80\xa8",
                        "holds U+2028 (line separator) raw; write \"\\L\" in double quotes"},
                {"\xe2\x80\xa9",
                        "holds U+2029 (paragraph separator) raw; write \"\\P\" in double quotes"},
        };
        size_t valid = pawl__utf8_span(text, len);

        if (len >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
                return pawl__json_fail_at(text, len, 0, err, "is UTF-16; save it as UTF-8");
        if (valid < len)
                return pawl__json_fail_at(
                        text, len, valid, err, "is not valid UTF-8; save it as UTF-8");
        for (size_t i = 0; i < sizeof breaks / sizeof breaks[0]; i++) {
                const char *found = memmem(text, len, breaks[i].bytes, strlen(breaks[i].bytes));
                if (found)
                        return pawl__json_fail_at(
                                text, len, (size_t)(found - text), err, breaks[i].why);
        }
        return PAWL_OK;
}
