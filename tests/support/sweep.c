#include "support/sweep.h"
#include <unistd.h>

enum { ROUNDS_MAX = 100000, NAMES_MAX = 500 };

/* ---- Which public functions were called ------------------------------------------------------ */

static struct swept {
        const char *name;
        bool failed; /* an allocation failed in it */
} swept[NAMES_MAX];
static size_t n_swept;
static struct swept *current; /* the one called last */
static bool armed;

/* An allocation that failed did so in the function that was called last. */
static void charge(void)
{
        if (current && allocator_failed())
                current->failed = true;
}

void sweep_entered(const char *name)
{
        size_t i = 0;

        if (!armed || !allocator_works())
                return;
        if (!allocator_failed()) {
                while (i < n_swept && strcmp(swept[i].name, name) != 0)
                        i++;
                if (i == n_swept) {
                        assert_true(n_swept < NAMES_MAX);
                        swept[n_swept++].name = name;
                }
                current = &swept[i];
        } else {
                charge();
                current = NULL;
        }
}

__attribute__((destructor)) static void record(void)
{
        char path[4096];
        const ssize_t len = readlink("/proc/self/exe", path, sizeof path - sizeof ".swept");

        if (len < 0 || on_server())
                return;
        memcpy(path + len, ".swept", sizeof ".swept");
        FILE *file = fopen(path, "w");
        for (size_t i = 0; file && i < n_swept; i++)
                fprintf(file, "%s %s\n", swept[i].name, swept[i].failed ? "failed" : "called");
        if (file)
                fclose(file);
}

/* ---- The rounds ------------------------------------------------------------------------------ */

bool sweep_next(sweep *s)
{
        needs_file(); /* libpq's allocations are not ours to fail */
        if (s->rounds)
                test_release(s->mark);
        const long gain = allocator_live() - s->live;
        if (s->rounds && !s->keeps && s->n && gain > s->gain) {
                if (s->again || s->ends)
                        fail_msg("allocation %zu: %ld blocks leaked", s->n, gain - s->gain);
                s->again = true; /* what a library keeps since it lacked memory it keeps once */
                s->live = allocator_live();
                return true;
        }
        s->again = false;
        if (s->ends) {
                if (allocator_works() && s->refused < (s->least ? s->least : 1))
                        fail_msg("%zu calls failed in %zu rounds", s->refused, s->rounds);
                return false;
        }
        if (s->rounds < s->warm)
                s->n = 0;
        else if (!s->n || test_full())
                s->n++;
        else
                s->n += (s->step ? s->step : 1) + (s->spread ? s->n / s->spread : 0);
        if (s->rounds && s->rounds == s->warm)
                s->gain = gain;
        assert_true(s->rounds++ < ROUNDS_MAX);
        s->mark = test_mark();
        s->live = allocator_live();
        return true;
}

void sweep_arm(sweep *s)
{
        s->failed = false;
        current = NULL;
        armed = true;
        allocator_fail_at(s->n);
}

bool sweep_done(sweep *s, pawl_status status, const pawl_error *err)
{
        s->failed = allocator_failed();
        charge();
        allocator_fail_at(0);
        armed = false;
        if (status != s->wanted && !(s->failed && status == PAWL_ENOMEM))
                fail_msg("allocation %zu: %s: %s", s->n, pawl_status_name(status),
                        err ? err->message : "");
        if (status == PAWL_ENOMEM) {
                s->refused++;
                if (err) {
                        assert_int_equal(err->status, PAWL_ENOMEM);
                        assert_says(err->message, "out of memory");
                }
        }
        s->ends = (s->n && !s->failed) || (s->once && s->n && status == s->wanted) ||
                  !allocator_works();
        return status == s->wanted;
}
