/* Near spellings are found by what words have in common, and none is missed: they are those that a
 * comparison of each with each finds. */
#include "base/similar.h"
#include "glossary/lint.h"
#include "support/test.h"

enum { WORDS = 600, LETTERS_MAX = 24 };

static uint64_t seed = 20261128;

static unsigned draw(unsigned n)
{
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        return (unsigned)(seed >> 33) % n;
}

/* One of few letters, so that words share much; no s, whose plurals are findings of their own. */
static char letter(void)
{
        return "bdkrm"[draw(5)];
}

/* A word, or one that was made before with an edit, two, or three. */
static void make(char words[][LETTERS_MAX + 1], size_t n)
{
        char *word = words[n];
        size_t len = 3 + draw(14);

        if (n && draw(3)) {
                strcpy(word, words[draw((unsigned)n)]);
                len = strlen(word);
        } else {
                for (size_t i = 0; i < len; i++)
                        word[i] = letter();
        }
        for (unsigned edits = n ? draw(4) : 0; edits; edits--) {
                const size_t at = draw((unsigned)len);
                const char was = word[at];
                switch (draw(4)) {
                case 0:
                        word[at] = letter();
                        break;
                case 1: /* two change places */
                        if (at + 1 < len) {
                                word[at] = word[at + 1];
                                word[at + 1] = was;
                        }
                        break;
                case 2:
                        if (len > 3)
                                memmove(word + at, word + at + 1, len-- - at);
                        break;
                default:
                        if (len < LETTERS_MAX) {
                                memmove(word + at + 1, word + at, ++len - at);
                                word[at] = letter();
                        }
                }
        }
        word[len] = '\0';
}

static bool is_near(const char *a, const char *b)
{
        const size_t x = strlen(a), y = strlen(b), shorter = x < y ? x : y;
        pawl__similar search = {.typed = pawl__text(a)};

        if (*a != *b || shorter < 5)
                return false;
        pawl__similar_try(&search, b);
        return search.found && search.distance <= (shorter >= 10 ? 2U : 1U);
}

UNIT_TEST(near_spellings_are_those_of_each_with_each)
{
        static char words[WORDS][LETTERS_MAX + 1];
        static bool found_near[WORDS][WORDS];
        pawl__lint_sense senses[WORDS];
        pawl__arena arena = PAWL__ARENA_INIT;
        pawl__lint_findings found;
        pawl_error err = PAWL_ERROR_INIT;
        size_t n = 0, pairs = 0;

        while (n < WORDS) {
                bool is_new = true;
                make(words, n);
                for (size_t i = 0; i < n && is_new; i++)
                        is_new = strcmp(words[i], words[n]) != 0;
                n += is_new;
        }
        for (size_t i = 0; i < n; i++)
                senses[i] = (pawl__lint_sense){.surface = pawl__text(words[i]),
                        .normal = pawl__text(words[i]),
                        .definition = pawl__text(words[i]),
                        .scope = PAWL__CORE,
                        .status = PAWL__ACTIVE,
                        .used = true};
        assert_ok(pawl__lint(&found, &arena, senses, n, &err));
        for (size_t i = 0; i < found.n; i++) {
                const pawl__lint_finding *f = &found.items[i];
                if (f->kind != PAWL__LINT_DUPLICATE ||
                        strcmp(f->why, "is spelled nearly the same") != 0)
                        continue;
                for (size_t j = 0; j < n; j++)
                        if (pawl__text_is(f->others[0], words[j])) {
                                assert_false(found_near[f->sense - senses][j]); /* once */
                                found_near[f->sense - senses][j] = true;
                        }
        }
        for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < i; j++) {
                        const bool near = is_near(words[i], words[j]);
                        pairs += near;
                        if (near != (found_near[i][j] || found_near[j][i]))
                                fail_msg("%s and %s", words[i], words[j]);
                }
        assert_in_range(pairs, WORDS / 4, WORDS * WORDS);
        pawl__arena_free(&arena);
}
