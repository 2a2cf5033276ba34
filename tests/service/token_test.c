/* The token's file, and what is taken for the token. */
#include "service/token.h"
#include "support/test.h"
#include <sys/stat.h>
#include <unistd.h>

static char *directory, *path;

static int set_up(void **state)
{
        (void)state;
        directory = directory_make();
        path = path_in(directory, "serve.token");
        return 0;
}

UNIT_TEST_OF(a_file_is_made_once_and_for_its_owner_alone, set_up, NULL, NULL)
{
        service_token first, second;
        char hex[SERVICE_TOKEN_HEX + 1];
        struct stat st;
        pawl_error err;
        size_t len;

        assert_ok(service_token_file(&first, path, &err));
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
        char *text = file_read(path, &len);
        service_token_format(hex, &first);
        assert_int_equal(len, SERVICE_TOKEN_HEX + 1);
        assert_memory_equal(text, hex, SERVICE_TOKEN_HEX);
        assert_ok(service_token_file(&second, path, &err));
        assert_memory_equal(&first, &second, sizeof first);
        /* nothing else was left in the directory */
        unlink(path);
        assert_int_equal(rmdir(directory), 0);
        assert_int_equal(mkdir(directory, 0700), 0);
        /* the next is another */
        assert_ok(service_token_file(&second, path, &err));
        assert_memory_not_equal(&first, &second, sizeof first);
}

static void refused(pawl_status status, const char *says)
{
        service_token token;
        pawl_error err = PAWL_ERROR_INIT;

        memset(&token, 7, sizeof token);
        assert_int_equal(service_token_file(&token, path, &err), status);
        assert_says(err.message, says);
        assert_says(err.message, path);
}

UNIT_TEST_OF(a_file_that_others_get_at_or_that_is_no_token_is_refused, set_up, NULL, NULL)
{
        static const char good[] =
                "00112233445566778899aabbccddeeffffeeddccbbaa99887766554433221100\n";
        service_token token;
        pawl_error err;
        char *other = path_in(directory, "other"), bad[sizeof good];

        file_write(path, good, sizeof good - 1);
        assert_int_equal(chmod(path, 0600), 0);
        assert_ok(service_token_file(&token, path, &err));
        assert_int_equal(token.bytes[1], 0x11);
        assert_int_equal(chmod(path, 0640), 0);
        refused(PAWL_EACCESS, "others can get at it (mode 0640)");
        assert_int_equal(chmod(path, 0602), 0);
        refused(PAWL_EACCESS, "others can get at it");
        assert_int_equal(chmod(path, 0600), 0);
        for (size_t i = 0; i < 3; i++) {
                memcpy(bad, good, sizeof good);
                bad[i == 0 ? 0 : i == 1 ? 63 : 64] = 'g';
                file_write(path, bad, sizeof good - 1);
                refused(PAWL_EINVAL, "holds no token");
        }
        file_write(path, good, sizeof good - 2);
        refused(PAWL_EINVAL, "holds no token");
        file_write(path, "", 0);
        refused(PAWL_EINVAL, "holds no token");
        /* a link could lead to what somebody else may read */
        assert_int_equal(rename(path, other), 0);
        assert_int_equal(symlink(other, path), 0);
        refused(PAWL_EACCESS, "link");
        unlink(path);
        assert_int_equal(mkfifo(path, 0600), 0);
        refused(PAWL_EINVAL, "is no regular file");
        unlink(path);
        path = path_in(directory, "none/serve.token");
        refused(PAWL_ENOTFOUND, "none/serve.token");
}

UNIT_TEST(a_token_is_taken_whole_in_hex)
{
        service_token token, other;
        char hex[SERVICE_TOKEN_HEX + 2];
        pawl_error err;

        assert_ok(service_token_make(&token, &err));
        assert_ok(service_token_make(&other, &err));
        service_token_format(hex, &token);
        assert_true(service_token_is(&token, pawl__text(hex)));
        assert_false(service_token_is(&other, pawl__text(hex)));
        assert_false(service_token_is(&token, pawl__text(NULL)));
        assert_false(service_token_is(&token, pawl__text("")));
        assert_false(service_token_is(&token, pawl__text_n(hex, SERVICE_TOKEN_HEX - 1)));
        hex[SERVICE_TOKEN_HEX] = '0';
        hex[SERVICE_TOKEN_HEX + 1] = '\0';
        assert_false(service_token_is(&token, pawl__text(hex)));
        hex[SERVICE_TOKEN_HEX] = '\0';
        for (size_t i = 0; i < SERVICE_TOKEN_HEX; i++) {
                const char was = hex[i];
                hex[i] = was == '0' ? '1' : '0';
                assert_false(service_token_is(&token, pawl__text(hex)));
                hex[i] = (char)(was + 0x50); /* no digit, whose low bits are one's */
                assert_false(service_token_is(&token, pawl__text(hex)));
                hex[i] = was;
        }
}
