/* What YAML means, and what of it is refused. */
#include "support/document.h"

static void check_yaml(const char *yaml, const char *json)
{
        pawl__document document = document_parsed("a.yaml", yaml, strlen(yaml));

        assert_text(pawl__buf_text(&document.json), json);
        pawl__document_free(&document);
}

static void check_refused(const char *yaml, const char *message)
{
        document_refused("a.yaml", yaml, strlen(yaml), PAWL_EPARSE, message);
}

/* ---- Scalars -------------------------------------------------------------------------------- */

UNIT_TEST(plain_scalars_are_read_by_the_core_schema)
{
        static const char *const pairs[][2] = {
                {"null", "null"},
                {"Null", "null"},
                {"NULL", "null"},
                {"~", "null"},
                {"nULL", "\"nULL\""},
                {"true", "true"},
                {"True", "true"},
                {"TRUE", "true"},
                {"false", "false"},
                {"False", "false"},
                {"FALSE", "false"},
                {"tRUE", "\"tRUE\""},
                {"yes", "\"yes\""},
                {"no", "\"no\""},
                {"on", "\"on\""},
                {"off", "\"off\""},
                {"y", "\"y\""},
                {"Off", "\"Off\""},
                {"2026-11-20", "\"2026-11-20\""},
                {"12:30:45", "\"12:30:45\""},
                {"1_000", "\"1_000\""},
                {"0b11", "\"0b11\""},
                {"0xG", "\"0xG\""},
                {"0o8", "\"0o8\""},
                {"0x", "\"0x\""},
                {"-0x1", "\"-0x1\""},
                {"+", "\"+\""},
                {".", "\".\""},
                {"..", "\"..\""},
                {"1e", "\"1e\""},
                {"1e+", "\"1e+\""},
                {"e1", "\"e1\""},
                {"1.2.3", "\"1.2.3\""},
                {"+-1", "\"+-1\""},
                {"-.", "\"-.\""},
                {"=", "\"=\""},
                {"<<", "\"<<\""},
                {".infx", "\".infx\""},
                {"-.nan", "\"-.nan\""},
                {"0", "0"},
                {"-0", "-0"},
                {"+0", "0"},
                {"1", "1"},
                {"+1", "1"},
                {"-1", "-1"},
                {"007", "7"},
                {"-007", "-7"},
                {"000", "0"},
                {"08", "8"},
                {"0x1F", "31"},
                {"0xff", "255"},
                {"0x0", "0"},
                {"0x000F", "15"},
                {"0o17", "15"},
                {"0o0", "0"},
                {"0o777", "511"},
                {".5", "0.5"},
                {"-.5", "-0.5"},
                {"+.5", "0.5"},
                {"1.", "1.0"},
                {"-1.", "-1.0"},
                {"1.e5", "1.0e5"},
                {"1e5", "1e5"},
                {"1E5", "1E5"},
                {"1.5e-3", "1.5e-3"},
                {"01.5", "1.5"},
                {"00.5", "0.5"},
                {"-00.5", "-0.5"},
                {"0e0", "0e0"},
                {"00e1", "0e1"},
                {".5e1", "0.5e1"},
                {"9007199254740993", "9007199254740993"},
                {"-123456789012345678901234567890", "-123456789012345678901234567890"},
                {"0xffffffffffffffffffffffff", "79228162514264337593543950335"},
                {"0o7777777777777777777777777", "37778931862957161709567"},
        };

        for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
                check_yaml(pairs[i][0], pairs[i][1]);
}

UNIT_TEST(quoted_and_block_scalars_are_strings)
{
        check_yaml("'12'", "\"12\"");
        check_yaml("\"true\"", "\"true\"");
        check_yaml("''", "\"\"");
        check_yaml("|\n  12\n", "\"12\\n\"");
        check_yaml(">-\n  null\n", "\"null\"");
        check_yaml(">\n  folded\n  text\n\n  more\n", "\"folded text\\nmore\\n\"");
        check_yaml("\"a\\0b\"", "\"a\\u0000b\"");
        check_yaml("\"\\x41\\u00e4\\U0001F600\\N\\L\"",
                "\"A\xc3\xa4\xf0\x9f\x98\x80\xc2\x85\xe2\x80\xa8\"");
        check_yaml("\"\\e[31m\\\"\\\\\"", "\"\\u001b[31m\\\"\\\\\"");
        check_yaml("caf\xc3\xa9 \xf0\x9f\x98\x80", "\"caf\xc3\xa9 \xf0\x9f\x98\x80\"");
        check_yaml("\xef\xbb\xbf"
                   "a: 1",
                "{\"a\":1}");
}

UNIT_TEST(numbers_out_of_range_are_refused_with_their_line)
{
        char yaml[600] = "a: 0x";

        check_refused("a: 1\nb: 1e400\n",
                "a.yaml: line 2, column 4: number 1e400 is out of range; quote it to keep it as a "
                "string");
        check_refused("- .inf", "line 1, column 3: JSON has no number .inf; quote it");
        check_refused("- -.INF", "JSON has no number -.INF");
        check_refused("- .nan", "JSON has no number .nan");
        memset(yaml + strlen(yaml), 'f', 256);
        pawl__document document = document_parsed("a.yaml", yaml, strlen(yaml));
        /* 2^1024 - 1 */
        assert_int_equal(document.tree.nodes[1].value.len, 309);
        assert_memory_equal(document.tree.nodes[1].value.data, "17976931348623159077", 20);
        assert_memory_equal(document.tree.nodes[1].value.data + 299, "4224137215", 10);
        pawl__document_free(&document);
        yaml[strlen(yaml)] = 'f'; /* NULs follow */
        check_refused(yaml, "is out of range; quote it");
}

UNIT_TEST(tags_are_taken_where_they_fit)
{
        check_yaml("!!str 12", "\"12\"");
        check_yaml("!!str", "\"\"");
        check_yaml("!!int \"12\"", "12");
        check_yaml("!!int 0x10", "16");
        check_yaml("!!float 1", "1");
        check_yaml("!!float '1.5'", "1.5");
        check_yaml("!!bool \"true\"", "true");
        check_yaml("!!null ''", "null");
        check_yaml("!!map {a: !!seq [1]}", "{\"a\":[1]}");
        check_yaml("%TAG !y! tag:yaml.org,2002:\n---\n!y!str 1", "\"1\"");
        check_refused(
                "a:\n  - !!int x", "line 2, column 5: tag tag:yaml.org,2002:int does not fit");
        check_refused("!!bool 1", "does not fit this value; remove the tag");
        check_refused("!!float .inf", "JSON has no number .inf");
        check_refused("!!str {}", "tag tag:yaml.org,2002:str does not fit");
        check_refused("!!map []", "tag tag:yaml.org,2002:map does not fit");
        check_refused("!!binary aGk=", "tag tag:yaml.org,2002:binary does not fit");
        check_refused("!!timestamp 2026-11-20", "timestamp does not fit");
        check_refused("!custom x", "line 1, column 1: tag !custom does not fit");
        check_refused("a: !<tag:example.org,2026:x> {}", "tag tag:example.org,2026:x does not fit");
}

/* ---- Structure ------------------------------------------------------------------------------ */

UNIT_TEST(mappings_and_lists_nest_in_either_style)
{
        check_yaml("a: 1\nb:\n  - x\n  - {c: [], d: {}}\n  -\n    - y\ne:\n",
                "{\"a\":1,\"b\":[\"x\",{\"c\":[],\"d\":{}},[\"y\"]],\"e\":null}");
        check_yaml("[a: 1, b]", "[{\"a\":1},\"b\"]");
        check_yaml("{a, b: }", "{\"a\":null,\"b\":null}");
        check_yaml("? a\n: 1\n", "{\"a\":1}");
        check_yaml("\"1\": x\n'true': y\n", "{\"1\":\"x\",\"true\":\"y\"}");
        check_yaml("on: 1\nno: 2\n2026-11-20: 3\n", "{\"on\":1,\"no\":2,\"2026-11-20\":3}");
        check_yaml("!!str 1: x", "{\"1\":\"x\"}");
        check_yaml("# nothing\n---\na\n...\n", "\"a\"");
        check_yaml("%YAML 1.2\n---\na: b", "{\"a\":\"b\"}");
        check_yaml("{\"a\": [1, 2.5, null], \"b\": \"\\u00e9\"}",
                "{\"a\":[1,2.5,null],\"b\":\"\xc3\xa9\"}");
}

UNIT_TEST(a_file_with_nothing_in_it_is_null)
{
        check_yaml("", "null");
        check_yaml("# only this\n\n", "null");
        check_yaml("---\n", "null");
}

UNIT_TEST(keys_that_are_no_strings_are_refused)
{
        check_refused("a: 1\n1: x\n", "line 2, column 1: key 1 is not a string; quote it: \"1\"");
        check_refused("true: x", "key true is not a string");
        check_refused("~: x", "key ~ is not a string");
        check_refused("{? : x}", "key  is not a string");
        check_refused("0x1F: x", "key 0x1F is not a string");
        check_refused(".inf: x", "key .inf is not a string");
        check_refused("? [a]\n: x", "a mapping or a list cannot be a key; use a string");
        check_refused("{a: 1}: x", "a mapping or a list cannot be a key");
        check_refused("a: &k b\n*k : c", "an alias (*k) cannot be a key; write the key out");
        check_refused("a: &b {c: 1}\nd:\n  <<: *b\n",
                "line 3, column 3: merge keys (<<) are not read; write the members out");
        check_yaml("\"<<\": 1", "{\"<<\":1}");
}

UNIT_TEST(a_key_twice_is_refused_at_the_second)
{
        pawl__buf yaml = PAWL__BUF_INIT;

        check_refused("a: 1\nb: {a: 2}\na: 3\n",
                "line 3, column 1: key \"a\" is there twice in this mapping; remove one");
        check_refused("{\"\\u0061\": 1, a: 2}", "key \"a\" is there twice");
        check_yaml("- a: 1\n- a: 2\n- {a: {a: 1}}", "[{\"a\":1},{\"a\":2},{\"a\":{\"a\":1}}]");
        /* enough of them for a table */
        for (int i = 0; i < 1000; i++)
                assert_ok(pawl__buf_addf(&yaml, "k%d: {x: %d}\n", i, i));
        pawl__document document = document_parsed("a.yaml", yaml.data, yaml.len);
        assert_int_equal(document.tree.nodes[0].count, 1000);
        pawl__document_free(&document);
        assert_ok(pawl__buf_adds(&yaml, "k17: again\n"));
        check_refused(yaml.data, "line 1001, column 1: key \"k17\" is there twice");
        yaml.len -= strlen("k17: again\n");
        assert_ok(pawl__buf_adds(&yaml, "k999: again\n"));
        check_refused(yaml.data, "line 1001, column 1: key \"k999\" is there twice");
        pawl__buf_free(&yaml);
}

UNIT_TEST(what_is_no_yaml_is_refused_with_line_and_column)
{
        check_refused("a: [1, 2\nb: 3\n",
                "a.yaml: line 2, column 2: did not find expected ',' or ']' while parsing a "
                "flow sequence (line 1); fix the YAML there");
        check_refused("a: b: c", "line 1, column 5: mapping values are not allowed");
        check_refused("a:\n\t- b\n", "line 2, column 1: ");
        check_refused("a: 'b\n", "found unexpected end of stream while scanning a quoted scalar");
        check_refused("a: \"\\ud800\"", "invalid Unicode character escape code");
        check_refused("a: @b", "line 1, column 4: ");
        check_refused("a: 1\n---\nb: 2\n",
                "line 2, column 1: a second document starts here; keep one to a file");
        check_refused("a: *nowhere", "alias *nowhere has no anchor before it");
        check_refused("a: caf\xe9", "line 1, column 7: is not valid UTF-8; save it as UTF-8");
        check_refused("a: 1\nb: \xed\xa0\x80", "line 2, column 4: is not valid UTF-8");
        check_refused("a: 1\nb: \x01", "line 2, column 4: control characters are not allowed; "
                                       "take them out, or write escapes in double quotes");
        check_refused("a: x\xe2\x80\xa8y", "line 1, column 5: holds U+2028 (line separator) raw");
        check_refused("a: x\xc2\x85y", "holds U+0085 (next line) raw; write \"\\N\"");
        document_refused("a.yaml",
                "\xff\xfe"
                "a\0:\0",
                6, PAWL_EPARSE, "is UTF-16; save it as UTF-8");
        document_refused("a.yaml",
                "a\0:\0 \0"
                "1\0",
                8, PAWL_EPARSE, "line 1, column 2: control characters are not allowed");
        document_refused("a.yaml", "a: b\0c", 6, PAWL_EPARSE, "control characters");
}

/* ---- Anchors -------------------------------------------------------------------------------- */

UNIT_TEST(aliases_repeat_what_their_anchor_names)
{
        check_yaml("a: &x 1\nb: *x\n", "{\"a\":1,\"b\":1}");
        check_yaml("a: &x {y: [1, &z two]}\nb: [*x, *z]\n",
                "{\"a\":{\"y\":[1,\"two\"]},\"b\":[{\"y\":[1,\"two\"]},\"two\"]}");
        check_yaml("- &x 1\n- &x 2\n- *x\n", "[1,2,2]");
        check_yaml("&k key: *k\n", "{\"key\":\"key\"}");
        check_yaml("- &x\n- *x\n", "[null,null]");
        check_yaml("- &x []\n- [*x, *x]\n", "[[],[[],[]]]");
        check_refused("&a [*a]", "alias *a is inside its own value");
        check_refused("a: &a {b: {c: *a}}", "alias *a is inside its own value");
        check_refused("- *x\n- &x 1\n", "alias *x has no anchor before it");
}

UNIT_TEST(a_bomb_of_aliases_is_refused_where_it_grows_too_big)
{
        pawl__buf yaml = PAWL__BUF_INIT;

        assert_ok(pawl__buf_adds(&yaml, "l0: &l0 [lol, lol, lol, lol]\n"));
        for (int i = 1; i < 30; i++) {
                assert_ok(pawl__buf_addf(&yaml, "l%d: &l%d [", i, i));
                for (int k = 0; k < 10; k++)
                        assert_ok(pawl__buf_addf(&yaml, "%s*l%d", k ? "," : "", i - 1));
                assert_ok(pawl__buf_adds(&yaml, "]\n"));
        }
        document_refused("a.yaml", yaml.data, yaml.len, PAWL_ETOOBIG,
                "a.yaml: line 8, column 14: alias *l6 makes the text longer than 64 MiB");
        pawl__buf_free(&yaml);
}

/* [[[...]]] of that depth, with an anchor on the one at its middle. */
static void nest(pawl__buf *yaml, int depth, const char *inner)
{
        for (int i = 0; i < depth; i++)
                assert_ok(pawl__buf_adds(yaml, "["));
        assert_ok(pawl__buf_adds(yaml, inner));
        for (int i = 0; i < depth; i++)
                assert_ok(pawl__buf_adds(yaml, "]"));
}

UNIT_TEST(nesting_has_a_limit_with_and_without_aliases)
{
        pawl__buf yaml = PAWL__BUF_INIT;

        nest(&yaml, 512, "");
        check_yaml(yaml.data, yaml.data);
        pawl__buf_clear(&yaml);
        nest(&yaml, 513, "");
        check_refused(yaml.data, "line 1, column 513: is nested deeper than 512; nest less");
        pawl__buf_clear(&yaml);
        nest(&yaml, 100000, "");
        check_refused(yaml.data, "is nested deeper than 512");
        pawl__buf_clear(&yaml);
        for (int i = 0; i < 5000; i++)
                assert_ok(pawl__buf_adds(&yaml, "- "));
        check_refused(yaml.data, "is nested deeper than 512");
        pawl__buf_clear(&yaml);
        assert_ok(pawl__buf_adds(&yaml, "- &a "));
        nest(&yaml, 256, "");
        assert_ok(pawl__buf_adds(&yaml, "\n- &b "));
        nest(&yaml, 254, "*a");
        assert_ok(pawl__buf_adds(&yaml, "\n- *b\n"));
        pawl__document document = document_parsed("a.yaml", yaml.data, yaml.len);
        assert_int_equal(document.tree.n, 1 + 256 + 510 + 510);
        pawl__document_free(&document);
        assert_ok(pawl__buf_adds(&yaml, "- [[*b]]\n"));
        check_refused(yaml.data, "line 4, column 5: alias *b makes the nesting deeper than 512");
        pawl__buf_free(&yaml);
}
