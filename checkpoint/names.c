#include "checkpoint/checkpoint.h"

static const char *const cursors[] = {
        [PAWL__AT_START] = NULL,
        [PAWL__AT_PRE_GENERATION_GATE] = "pre_generation_gate",
        [PAWL__AT_POST_CLARIFICATION] = "post_clarification",
        [PAWL__AT_POST_GATE] = "post_gate",
        [PAWL__AT_POST_GENERATION] = "post_generation",
};

static const char *const strictnesses[] = {
        [PAWL__STRICTNESS_UNSET] = NULL,
        [PAWL__STRICTNESS_OFF] = "off",
        [PAWL__STRICTNESS_MEDIUM] = "medium",
        [PAWL__STRICTNESS_MAX] = "max",
};

enum {
        CURSORS = sizeof cursors / sizeof cursors[0],
        STRICTNESSES = sizeof strictnesses / sizeof strictnesses[0]
};

/* The index of a name, or 0, which none has. */
static int find(const char *const *names, int n, pawl_text name)
{
        for (int i = 1; i < n; i++)
                if (pawl__text_is(name, names[i]))
                        return i;
        return 0;
}

const char *pawl__cursor_name(pawl__cursor_at cursor)
{
        return (unsigned)cursor < CURSORS ? cursors[cursor] : NULL;
}

const char *pawl__strictness_name(pawl__strictness strictness)
{
        return (unsigned)strictness < STRICTNESSES ? strictnesses[strictness] : NULL;
}

bool pawl__cursor_of(pawl__cursor_at *out, pawl_text name)
{
        int found = find(cursors, CURSORS, name);

        if (found)
                *out = (pawl__cursor_at)found;
        return found;
}

bool pawl__strictness_of(pawl__strictness *out, pawl_text name)
{
        int found = find(strictnesses, STRICTNESSES, name);

        if (found)
                *out = (pawl__strictness)found;
        return found;
}
