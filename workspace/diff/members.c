#include "workspace/diff/members.h"

pawl_status pawl__members_diff(const char *root, pawl_text before, pawl_text after,
        pawl__member_change_fn fn, void *user, pawl_error *err)
{
        const pawl_text there = before.data ? before : after;

        if (!there.data)
                return PAWL_OK;
        if (before.data && after.data)
                return pawl__inputs_diff(root, before, after, fn, user, err);
        if (there.len > 0 && there.data[0] == '{') {
                const pawl_text none = pawl__text("{}");
                return pawl__inputs_diff(root, before.data ? before : none,
                        after.data ? after : none, fn, user, err);
        }
        const pawl__member_change change = {
                before.data ? PAWL__REMOVED : PAWL__ADDED, pawl__text(root), before, after};
        return fn(&change, user);
}
