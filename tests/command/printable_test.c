/* What comes from outside is escaped where it is put, and the program's own words are not. */
#include "command/printable.h"
#include "support/test.h"
#include <inttypes.h>

UNIT_TEST(what_a_format_puts_in_is_escaped)
{
        const pawl_text term = pawl__text("a\nb\033"), none = {NULL, 0};
        char *said = NULL;
        size_t len = 0;
        FILE *out = open_memstream(&said, &len);

        cli_putf(out, "100%% \"%.*s\"%.*s\n%s: %d of %zu, %" PRIu64 " %" PRId64 "\n", CLI_FMT(term),
                CLI_FMT(none), "c\td", -1, (size_t)2, UINT64_MAX, INT64_MIN);
        fclose(out);
        assert_string_equal(said, "100% \"a\\x0ab\\x1b\"\nc\\x09d: -1 of 2, 18446744073709551615 "
                                  "-9223372036854775808\n");
        free(said);
}
