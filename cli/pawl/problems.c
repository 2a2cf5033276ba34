#include "cli/pawl/problems.h"
#include "command/find.h"
#include "command/json.h"

static void tell(const char *line, void *user)
{
        cli_problems *p = user;

        cli_notice(p->cli, line);
        pawl__json_string(&p->list, line);
}

void cli_problems_begin(cli_problems *p, const cli_call *cli)
{
        *p = (cli_problems){
                .of = {.tell = tell, .user = p}, .cli = cli, .list = PAWL__JSON_WRITER_INIT};
        pawl__json_open_object(&p->list);
        pawl__json_name(&p->list, "problems");
        pawl__json_open_array(&p->list);
}

pawl_status cli_problems_end(cli_problems *p, pawl_status status, const pawl_error *err)
{
        if (status && p->of.n > 0)
                pawl__json_string(&p->list, err->message);
        pawl__json_close_array(&p->list);
        pawl__json_close_object(&p->list);
        if (status && p->of.n > 0 && cli_given(p->cli, "json") && !pawl__json_end_writer(&p->list))
                cli_print_line(p->cli, pawl__buf_text(&p->list.buf));
        pawl__json_writer_free(&p->list);
        return status;
}
