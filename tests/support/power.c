#include "support/power.h"
#include "support/test.h"
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SEEN = 1 << 22, WORKERS_MAX = 8 };

/* What the workers share. */
struct shared {
        atomic_size_t next; /* the first number of operations that nobody took */
        atomic_long states, lost, wrong;
        atomic_flag told;
        char first[1400];
        _Atomic uint64_t seen[SEEN]; /* hashes of disks; 0: free */
};

struct worker {
        const power_sweep *sweep;
        struct shared *shared;
        crash_disk disk;
        power_state state;
        char *directory;
};

/* Is it the first time? A full table says yes to everything. */
static bool is_new(struct shared *shared, uint64_t hash)
{
        hash += hash == 0;
        for (size_t i = 0; i < SEEN; i++) {
                uint64_t found = 0;
                if (atomic_compare_exchange_strong(&shared->seen[(hash + i) % SEEN], &found, hash))
                        return true;
                if (found == hash)
                        return false;
        }
        return true;
}

static void expectations(power_state *state)
{
        const recording *r = state->r;

        state->heads = r->heads;
        state->n_heads = r->n_heads;
        while (state->n_heads && r->heads[state->n_heads - 1].at > state->n_ops)
                state->n_heads--;
        state->promised = NULL;
        for (size_t i = 0; i < r->n_promises && r->promises[i].at <= state->n_ops; i++)
                state->promised = &r->heads[r->promises[i].head];
}

static void look_at(struct worker *w, const crash_choice *choice)
{
        struct shared *shared = w->shared;
        power_state *state = &w->state;
        char path[4096];

        crash_build(&w->disk, state->r, state->n_ops, choice);
        uint64_t hash = crash_hash(&w->disk);
        if (!is_new(shared, hash ^ (state->promised ? state->promised->seq + 1 : 0)))
                return;
        state->number = (uint64_t)atomic_fetch_add(&shared->states, 1);
        snprintf(path, sizeof path, "%s/%llu", w->directory, (unsigned long long)state->number);
        assert_int_equal(mkdir(path, 0700), 0);
        crash_write(&w->disk, path);
        state->directory = path;
        state->why[0] = '\0';
        power_verdict verdict = w->sweep->check(state, w->sweep->user);
        directory_remove(path);
        if (verdict == POWER_SOUND)
                return;
        atomic_fetch_add(verdict == POWER_LOST ? &shared->lost : &shared->wrong, 1);
        if (!atomic_flag_test_and_set(&shared->told))
                snprintf(shared->first, sizeof shared->first,
                        "after %zu operations, %s the unsynced ones (index %zu, seed %llu): %s",
                        state->n_ops, crash_names[choice->kind], choice->index,
                        (unsigned long long)choice->seed, state->why);
}

static void cut_after(struct worker *w, size_t n_ops)
{
        const power_sweep *sweep = w->sweep;
        size_t pending = crash_pending(&w->disk, sweep->r, n_ops);
        uint64_t seed = n_ops;

        w->state.r = sweep->r;
        w->state.n_ops = n_ops;
        expectations(&w->state);
        look_at(w, &(crash_choice){.kind = CRASH_ALL});
        if (!pending)
                return;
        look_at(w, &(crash_choice){.kind = CRASH_NONE});
        for (size_t i = 0; i < pending && i < sweep->singles; i++) {
                /* the newest ones first, as those before had their turn after fewer operations */
                look_at(w, &(crash_choice){CRASH_ONLY, pending - 1 - i, 0});
                look_at(w, &(crash_choice){CRASH_WITHOUT, pending - 1 - i, 0});
        }
        for (size_t i = 0; i < sweep->seeds; i++) {
                look_at(w, &(crash_choice){CRASH_TORN, 0, crash_random(&seed)});
                look_at(w, &(crash_choice){CRASH_SOME, 0, crash_random(&seed)});
        }
}

static void work(const power_sweep *sweep, struct shared *shared)
{
        struct worker w = {.sweep = sweep, .shared = shared, .directory = directory_make()};
        size_t n_ops;

        while ((n_ops = atomic_fetch_add(&shared->next, sweep->stride)) <= sweep->r->n_ops)
                cut_after(&w, n_ops);
        crash_free(&w.disk);
        directory_remove(w.directory);
}

power_result power_cut(const power_sweep *sweep)
{
        struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        pid_t workers[WORKERS_MAX];
        int n = processors < 1 ? 1 : processors > WORKERS_MAX ? WORKERS_MAX : (int)processors;
        int how;

        assert_true(shared != MAP_FAILED);
        atomic_init(&shared->next, sweep->from);
        fflush(NULL);
        for (int i = 0; i < n; i++) {
                workers[i] = fork();
                assert_true(workers[i] >= 0);
                if (workers[i] == 0) {
                        work(sweep, shared);
                        _exit(0);
                }
        }
        bool ended = true;
        for (int i = 0; i < n; i++) {
                assert_int_equal(waitpid(workers[i], &how, 0), workers[i]);
                ended = ended && WIFEXITED(how) && WEXITSTATUS(how) == 0;
        }
        power_result result = {shared->states, shared->lost, shared->wrong, ""};
        memcpy(result.first, shared->first, sizeof result.first);
        munmap(shared, sizeof *shared);
        assert_true(ended);
        return result;
}
