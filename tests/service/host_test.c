/* By which names a service may be called, and where its pages are. */
#include "service/host.h"
#include "support/test.h"

static const char *const names[] = {"box.example", "other"};

static bool ours(const char *address, const char *host)
{
        const service_hosts hosts = {address, names, 2, false};

        return service_host_ours(&hosts, pawl__text(host));
}

UNIT_TEST(loopback_is_called_by_its_names)
{
        static const char *const good[] = {"127.0.0.1", "127.0.0.1:7473", "localhost",
                "LOCALHOST:80", "[::1]", "[::1]:7473", "127.1.2.3:1", "box.example:443",
                "Box.Example", "[::ffff:127.0.0.1]"};
        static const char *const bad[] = {"", "evil.example", "evil.example:7473",
                "127.0.0.1.evil.example", "localhost.evil.example", "localhost.", "10.0.0.1",
                "0.0.0.0", "[::]", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:7473 ", "::1",
                "[::1", "[127.0.0.1]", "[]", ":7473", "localhost:7473:1", "box.example@localhost",
                "localhost/", "2130706433", "0x7f.1", "[::1]7473"};

        for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
                if (!ours("127.0.0.1", good[i]))
                        fail_msg("%s is not ours", good[i]);
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
                if (ours("127.0.0.1", bad[i]))
                        fail_msg("%s is ours", bad[i]);
        assert_false(ours("127.0.0.1", NULL));
}

UNIT_TEST(an_address_is_called_by_itself)
{
        assert_true(ours("10.0.0.1", "10.0.0.1:7473"));
        assert_false(ours("10.0.0.1", "10.0.0.2:7473"));
        assert_true(ours("fd00::1", "[fd00:0::1]"));
        assert_false(ours("fd00::1", "[fd00::2]"));
        /* the address for all is every address, and no name */
        assert_true(ours("0.0.0.0", "10.0.0.2:7473"));
        assert_true(ours("::", "[fd00::2]"));
        assert_false(ours("0.0.0.0", "evil.example"));
}

static bool origin(bool tls, const char *text, const char *host)
{
        const service_hosts hosts = {"127.0.0.1", NULL, 0, tls};

        return service_origin_ours(&hosts, pawl__text(text), pawl__text(host));
}

UNIT_TEST(an_origin_is_ours_where_it_is_the_host)
{
        assert_true(origin(false, "http://127.0.0.1:7473", "127.0.0.1:7473"));
        assert_true(origin(false, "https://Box.example", "box.example"));
        assert_true(origin(true, "https://127.0.0.1:7473", "127.0.0.1:7473"));
        assert_false(origin(true, "http://127.0.0.1:7473", "127.0.0.1:7473"));
        assert_false(origin(false, "http://127.0.0.1:7474", "127.0.0.1:7473"));
        assert_false(origin(false, "http://127.0.0.1", "127.0.0.1:7473"));
        assert_false(origin(false, "http://localhost:7473", "127.0.0.1:7473"));
        assert_false(origin(false, "null", "127.0.0.1:7473"));
        assert_false(origin(false, "", "127.0.0.1:7473"));
        assert_false(origin(false, "http://", ""));
        assert_false(origin(false, "ftp://127.0.0.1:7473", "127.0.0.1:7473"));
        assert_false(origin(false, "http://127.0.0.1:7473", NULL));
}

UNIT_TEST(where_to_listen_is_an_address_and_a_port)
{
        static const char *const bad[] = {"127.0.0.1", "127.0.0.1:", "7473", ":7473",
                "127.0.0.1:65536", "box.example:7473", "::1:7473", "[::1]", "127.0.0.1:7473x", ""};
        char address[64];
        uint16_t port;

        assert_true(service_listen_parse(address, &port, "127.0.0.1:0"));
        assert_string_equal(address, "127.0.0.1");
        assert_int_equal(port, 0);
        assert_true(service_listen_parse(address, &port, "[fd00::1]:65535"));
        assert_string_equal(address, "fd00::1");
        assert_int_equal(port, 65535);
        assert_true(service_listen_parse(address, &port, "localhost:80"));
        assert_string_equal(address, "127.0.0.1");
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
                if (service_listen_parse(address, &port, bad[i]))
                        fail_msg("\"%s\" is taken", bad[i]);
        assert_true(service_address_loopback("127.255.0.1"));
        assert_true(service_address_loopback("::1"));
        assert_true(service_address_loopback("::ffff:127.0.0.1"));
        assert_false(service_address_loopback("0.0.0.0"));
        assert_false(service_address_loopback("::"));
        assert_false(service_address_loopback("10.0.0.1"));
}
