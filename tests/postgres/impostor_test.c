/* Needs PAWL_WITH_POSTGRES. */
/* What answers at the address of a server and is none; or nothing does. */
#include "events/postgres/server.h"
#include "support/event_log.h"
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

typedef struct impostor {
        int fd;
        const char *says;
        size_t len;
        bool without_end;
} impostor;

static void *answer(void *user)
{
        const impostor *it = user;
        char asked[4096];

        for (int i = 0; i < 2; i++) {
                const int fd = accept(it->fd, NULL, NULL);
                if (fd < 0)
                        return NULL;
                ssize_t n = read(fd, asked, sizeof asked);
                while (n > 0 && (n = send(fd, it->says, it->len, MSG_NOSIGNAL)) > 0 &&
                        it->without_end)
                        ;
                if (it->len)
                        close(fd);
        }
        return NULL;
}

static pawl_status open_impostor(event_log *f, impostor *it, pawl_error *err)
{
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        pthread_t thread;
        char url[300];
        pawl_log *log;

        snprintf(address.sun_path, sizeof address.sun_path, "%.80s/.s.PGSQL.5432", f->directory);
        unlink(address.sun_path);
        it->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(bind(it->fd, (struct sockaddr *)&address, sizeof address), 0);
        assert_int_equal(listen(it->fd, 5), 0);
        assert_int_equal(pthread_create(&thread, NULL, answer, it), 0);
        snprintf(url, sizeof url,
                "postgresql://u:geheim@/db?host=%s&sslmode=disable&connect_timeout=1",
                f->directory);
        const pawl_status status = pawl_log_open(&log, url, NULL, err);
        shutdown(it->fd, SHUT_RDWR);
        pthread_join(thread, NULL);
        close(it->fd);
        return status;
}

LOG_TEST(who_is_no_server_is_told_from_one)
{
        static const char ok[] = "R\0\0\0\x08\0\0\0\0", huge[] = "R\x7f\xff\xff\xff\0\0\0\0",
                          http[] = "HTTP/1.0 400 Bad Request\r\n\r\n",
                          ready[] = "R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";
        const impostor all[] = {
                {.says = ok, .len = sizeof ok - 1}, {.says = huge, .len = sizeof huge - 1},
                {.says = http, .len = sizeof http - 1}, {.says = ready, .len = sizeof ready - 1},
                {.says = http, .len = sizeof http - 1, .without_end = true},
                {.says = "", .len = 0}, /* never a word */
        };

        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
                impostor it = all[i];
                pawl_error err = PAWL_ERROR_INIT;
                const int64_t began = pawl__now_ms();
                const pawl_status status = open_impostor(f, &it, &err);
                if (status != PAWL_EIO && status != PAWL_EDAMAGED)
                        fail_msg("%zu: %s", i, pawl_status_name(status));
                assert_true(pawl__now_ms() - began < 100000);
                assert_null(strstr(err.message, "geheim"));
                if (!it.len)
                        assert_says(err.message, "the server has not answered for 1 s");
        }
}

LOG_TEST(a_server_that_is_not_there_is_said_at_once)
{
        pawl_error err = PAWL_ERROR_INIT;
        char url[300];
        pawl_log *log;
        const int64_t began = pawl__now_ms();

        snprintf(url, sizeof url, "postgresql://u@/db?host=%s", f->directory);
        assert_int_equal(pawl_log_open(&log, url, NULL, &err), PAWL_EIO);
        assert_says(err.message, "check that the server runs and that the URL names it");
        assert_true(pawl__now_ms() - began < 10000);
}
