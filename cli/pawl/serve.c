/* pawl serve: the commands over HTTP, until a signal ends it. */
#include "cli/pawl/serve.h"
#include "base/error.h"
#include "base/file.h"
#include "base/mac.h"
#include "base/system.h"
#include "cli/pawl/actor.h"
#include "command/find.h"
#include "command/json.h"
#include "command/key.h"
#include "command/printable.h"
#include "mcp/tools.h"
#include "service/server.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOSTS_MAX 16
#define PEM_MAX   (1024 * 1024)

/* What a service is started with, and what of it is this command's own. */
typedef struct setup {
        service_options options;
        char address[64];
        const char *actor;
        pawl__buf log_path, shown, place, token_file, notify_file, cert, tls_key;
        char *workspace; /* realpath()'s */
        cli_key key;
        const char *hosts[HOSTS_MAX];
} setup;

static void forget(setup *s)
{
        if (s->tls_key.data)
                pawl__cleanse(s->tls_key.data, s->tls_key.len);
        pawl__buf_free(&s->log_path);
        pawl__buf_free(&s->shown);
        pawl__buf_free(&s->place);
        pawl__buf_free(&s->token_file);
        pawl__buf_free(&s->notify_file);
        pawl__buf_free(&s->cert);
        pawl__buf_free(&s->tls_key);
        free(s->workspace);
        cli_key_forget(&s->key);
}

static pawl_status find_workspace(setup *s, const cli_call *cli, pawl_error *err)
{
        const char *named = cli_value(cli, "workspace");
        struct stat st;

        if (!named)
                named = getenv("CODER_AGENT_WORKSPACE_PATH");
        if (!named || !*named)
                return PAWL_OK;
        s->workspace = realpath(named, NULL);
        if (!s->workspace || stat(s->workspace, &st) != 0)
                return pawl__fail_errno(err, errno, named, "look at the workspace");
        if (!S_ISDIR(st.st_mode))
                return pawl__fail(err, PAWL_EINVAL,
                        "%.300s: is no directory; name the workspace's root with --workspace",
                        named);
        s->options.workspace = s->workspace;
        return PAWL_OK;
}

/* Open it once, which makes it where there is none and tells what is wrong with it before anybody
 * asks for it; its path then holds wherever this process goes. */
static pawl_status find_log(setup *s, const cli_call *cli, pawl_error *err)
{
        const bool named = cli_named_log(cli) != NULL;
        const cli_access access = s->options.read_only ? CLI_READ : CLI_MAKE;
        pawl_status status = !named && s->workspace
                                     ? cli_find_above(&s->log_path, cli, s->workspace, err)
                                     : cli_find_log(&s->log_path, cli, err);
        pawl_log *log;

        if (status == PAWL_ENOTFOUND && access == CLI_MAKE) {
                bool in_repository;
                status = cli_log_to_make(&s->log_path, &in_repository, cli, s->workspace, err);
        }
        if (!status)
                status = (named ? cli_open_path : cli_open_found)(
                        &log, cli, s->log_path.data, access, err);
        if (status)
                return status;
        status = pawl__buf_adds(&s->shown, pawl__log_path(log)) ||
                                 pawl__buf_adds(&s->place, pawl__log_place(log))
                         ? pawl__nomem(err)
                         : PAWL_OK;
        if (!status && pawl__log_is_url(s->log_path.data))
                status = pawl__log_place_make(log, err);
        cli_close_log(cli, log);
        s->options.log_shown = s->shown.data;
        s->options.log_path = s->log_path.data;
        if (status || pawl__log_is_url(s->log_path.data))
                return status;
        char *whole = realpath(s->log_path.data, NULL);
        if (!whole)
                return pawl__fail_errno(err, errno, s->log_path.data, "find it");
        pawl__buf_clear(&s->log_path);
        status = pawl__buf_adds(&s->log_path, whole) ? pawl__nomem(err) : PAWL_OK;
        free(whole);
        s->options.log_path = s->log_path.data;
        return status;
}

static pawl_status name_files(setup *s, const cli_call *cli, pawl_error *err)
{
        const char *named = cli_value(cli, "token-file");
        const size_t directory = (size_t)(strrchr(s->place.data, '/') - s->place.data);
        pawl_status status = named ? pawl__buf_adds(&s->token_file, named)
                                   : pawl__buf_add(&s->token_file, s->place.data, directory);

        if (!status && !named)
                status = pawl__buf_adds(&s->token_file, "/serve.token");
        s->options.token_file = s->token_file.data;
        if (!status)
                status = pawl__buf_addf(
                        &s->notify_file, "%.*s/serve.notified", (int)directory, s->place.data);
        s->options.notify_file = s->notify_file.data;
        return status ? pawl__nomem(err) : PAWL_OK;
}

/* A PEM file whole. @p secret: others must not get at it. */
static pawl_status read_pem(
        pawl__buf *out, const char **text, const char *path, bool secret, pawl_error *err)
{
        pawl_status status = PAWL_OK;
        struct stat st;

        if (!path)
                return PAWL_OK;
        const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
                return pawl__fail_errno(err, errno, path, "read it");
        if (fstat(fd, &st) != 0)
                status = pawl__fail_errno(err, errno, path, "look at it");
        else if (secret && (st.st_mode & 007))
                status = pawl__fail(err, PAWL_EACCESS,
                        "%.200s: everybody can get at this key (mode %04o); run `chmod 600`, and "
                        "make a new one if somebody may have read it",
                        path, (unsigned)st.st_mode & 07777);
        const int error = status ? 0 : pawl__read_all(out, fd, PEM_MAX);
        close(fd);
        if (error == EFBIG)
                status = pawl__fail(err, PAWL_ETOOBIG,
                        "%.300s: is larger than %d bytes; name a PEM file", path, PEM_MAX);
        else if (error)
                status = pawl__fail_errno(err, error, path, "read it");
        if (!status && (!out->len || memchr(out->data, '\0', out->len)))
                status = pawl__fail(
                        err, PAWL_EINVAL, "%.300s: is no PEM file; name one that is", path);
        *text = out->data;
        return status;
}

/* What is wrong with the options as they are together; CLI_DONE: nothing. */
static int check_options(setup *s, const cli_call *cli)
{
        const char *listen = cli_value(cli, "listen");
        const char *port = cli_value(cli, "port");
        const bool tls = cli_given(cli, "tls-cert");
        service_options *options = &s->options;
        pawl_error err = PAWL_ERROR_INIT;
        char own[64];

        if (listen && port)
                return cli_usage(cli, "give --listen ADDR:PORT, or --port alone");
        if (cli_number(cli, "port", 0) > 65535)
                return cli_usage(cli, "--port: give 0 to 65535");
        if (port) {
                snprintf(own, sizeof own, DEFAULT_ADDRESS ":%u",
                        (unsigned)cli_number(cli, "port", 0));
                listen = own;
        }
        if (!service_listen_parse(s->address, &options->port, listen ? listen : DEFAULT_LISTEN))
                return cli_usage(cli,
                        "--listen: \"%s\" is no address and port; give one such as " DEFAULT_LISTEN
                        " or [::1]:7473",
                        listen);
        options->address = s->address;
        if (tls != cli_given(cli, "tls-key"))
                return cli_usage(cli, "--tls-cert and --tls-key go together; give both");
        if (!service_address_loopback(s->address) && !tls && !cli_given(cli, "insecure"))
                return cli_usage(cli,
                        "--listen: %s is reached from other machines; give --tls-cert and "
                        "--tls-key, or --insecure where the network in between is to be trusted "
                        "with the token",
                        s->address);
        options->threads = (unsigned)cli_number(cli, "threads", SERVICE_THREADS);
        if (cli_number(cli, "threads", SERVICE_THREADS) > SERVICE_THREADS_MAX)
                return cli_usage(cli, "--threads: give 1 to %d", SERVICE_THREADS_MAX);
        options->connections = (unsigned)cli_number(cli, "connections", 0);
        options->streams = (unsigned)cli_number(cli, "streams", 0);
        if (cli_number(cli, "connections", 0) > SERVICE_LIMIT_MAX ||
                cli_number(cli, "streams", 0) > SERVICE_LIMIT_MAX)
                return cli_usage(cli, "--connections, --streams: give 1 to %d", SERVICE_LIMIT_MAX);
        if (cli->n_repeated > HOSTS_MAX)
                return cli_usage(cli, "--host: give at most %d names", HOSTS_MAX);
        options->n_hosts = cli_texts(s->hosts, cli, "host");
        for (size_t i = 0; i < options->n_hosts; i++)
                if (!*s->hosts[i])
                        return cli_usage(
                                cli, "--host: a name is empty; give one such as localhost");
        options->hosts = s->hosts;
        options->mcp_tools = cli_value(cli, "mcp-tools");
        if (mcp_tools_check(options->mcp_tools, cli->in->commands, &err))
                return cli_usage(cli, "--mcp-tools: %s", err.message);
        options->read_only = cli_given(cli, "read-only");
        return CLI_DONE;
}

static void warn(const char *line)
{
        flockfile(stderr);
        cli_putf(stderr, "pawl: %s\n", line);
        funlockfile(stderr);
}

static pawl_status set_up(setup *s, const cli_call *cli, pawl_error *err)
{
        service_options *options = &s->options;

        options->registry = cli->in->commands;
        options->home = cli->in->home;
        options->config_home = cli->in->config_home;
        pawl_status status = cli_actor(&s->actor, cli, err);
        if (!status)
                status = find_workspace(s, cli, err);
        if (!status)
                status = cli_key_read(&s->key, cli, err);
        if (!status)
                status = find_log(s, cli, err);
        if (!status)
                status = name_files(s, cli, err);
        if (!status)
                status = read_pem(
                        &s->cert, &options->tls_cert, cli_value(cli, "tls-cert"), false, err);
        if (!status)
                status = read_pem(
                        &s->tls_key, &options->tls_key, cli_value(cli, "tls-key"), true, err);
        options->actor = s->actor;
        options->notify = cli_value(cli, "notify");
        options->warn = warn;
        options->key_file = cli_value(cli, "key-file");
        options->key = s->key.len ? s->key.bytes : NULL;
        options->key_len = s->key.len;
        return status;
}

/* "http://127.0.0.1:7473/": where a browser on this machine finds it. */
static pawl_status write_url(pawl__buf *out, const setup *s, uint16_t port)
{
        const char *host = s->address;

        if (s->options.n_hosts)
                host = s->hosts[0];
        else if (strcmp(host, "0.0.0.0") == 0)
                host = "127.0.0.1";
        else if (strcmp(host, "::") == 0)
                host = "::1";
        const bool bare = strchr(host, ':') != NULL;
        return pawl__buf_addf(out, "%s://%s%s%s:%u/", s->options.tls_cert ? "https" : "http",
                bare ? "[" : "", host, bare ? "]" : "", (unsigned)port);
}

/* Say that it is ready, and where. */
static int announce(const cli_call *cli, const setup *s, const service_site *site, uint16_t port)
{
        pawl__json_writer w = PAWL__JSON_WRITER_INIT;
        pawl__buf url = PAWL__BUF_INIT, page = PAWL__BUF_INIT;
        char token[SERVICE_TOKEN_HEX + 1];
        pawl_error err = PAWL_ERROR_INIT;
        int code = CLI_DONE;

        service_token_format(token, &site->page_token);
        if (write_url(&url, s, port) || pawl__buf_addf(&page, "%s#token=%s", url.data, token)) {
                pawl__nomem(&err);
                code = cli_fail(cli, &err);
        } else if (cli_given(cli, "json")) {
                pawl__json_open_object(&w);
                pawl__json_member_string(&w, "url", url.data);
                pawl__json_member_string(&w, "page", page.data);
                pawl__json_member_string(&w, "token_file", s->options.token_file);
                pawl__json_member_integer(&w, "pid", getpid());
                pawl__json_close_object(&w);
                if (cli_print_json(cli, &w, &err))
                        code = cli_fail(cli, &err);
        } else {
                FILE *out = cli->in->out;
                cli_putf(out,
                        "pawl: serving %s at %s; the page: %s; the token for programs is in %s\n",
                        s->options.log_shown, url.data, page.data, s->options.token_file);
        }
        fflush(cli->in->out);
        pawl__cleanse(token, sizeof token);
        if (page.data)
                pawl__cleanse(page.data, page.len);
        pawl__buf_free(&page);
        pawl__buf_free(&url);
        return code;
}

/* What an answer needed stays for the next one. The C library would give it back to the kernel
 * after each and ask for it anew: a third of a page of events, spent on pages filled with zeros. */
static void keep_memory(void)
{
#if defined(__GLIBC__)
        mallopt(M_MMAP_THRESHOLD, 1 << 20);
        mallopt(M_TRIM_THRESHOLD, 2 << 20); /* for each thread */
#endif
}

/* Serve until one of the signals comes, which this thread and all that it starts have blocked. */
static int serve(const cli_call *cli, const setup *s, const sigset_t *signals)
{
        pawl_error err = PAWL_ERROR_INIT;
        service_server *server = NULL;
        service_site site;
        int number, code = CLI_DONE;

        keep_memory();
        pawl_status status = service_site_open(&site, &s->options, &err);
        if (!status)
                status = service_server_start(&server, &site, &err);
        if (status)
                code = cli_fail(cli, &err);
        else
                code = announce(cli, s, &site, service_server_port(server));
        if (!code) {
                sigwait(signals, &number);
                pthread_sigmask(SIG_UNBLOCK, signals, NULL); /* a second one ends it at once */
        }
        service_server_stop(server);
        service_site_close(&site);
        return code;
}

int pawl_serve_run(cli_call *cli)
{
        setup s = {.options = {.port = 0}};
        pawl_error err = PAWL_ERROR_INIT;
        struct sigaction hangup;
        sigset_t signals, before;

        int code = check_options(&s, cli);
        if (code)
                return code;
        sigemptyset(&signals);
        sigaddset(&signals, SIGINT);
        sigaddset(&signals, SIGTERM);
        if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
                sigaddset(&signals, SIGHUP);
        signal(SIGPIPE, SIG_IGN);
        pthread_sigmask(SIG_BLOCK, &signals, &before);
        code = set_up(&s, cli, &err) ? cli_fail(cli, &err) : serve(cli, &s, &signals);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        forget(&s);
        return code;
}
