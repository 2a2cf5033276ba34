#include "workspace/git/git_tree.h"
#include "base/error.h"
#include "workspace/git/git_handle.h"

/* An object that a repository which was not cloned whole need not have. */
static pawl_status get_object(git_object **out, pawl__git *git, const char *id, git_object_t type,
        const char *doing, pawl_error *err)
{
        git_oid oid;
        int code = git->lib->git_oid_fromstr(&oid, id);

        if (!code)
                code = git->lib->git_object_lookup(out, git->repo, &oid, type);
        if (code == GIT_ENOTFOUND)
                return pawl__fail(err, PAWL_ENOTFOUND,
                        "%s: the git repository does not have object %.40s; fetch it, as with `git "
                        "fetch --refetch`",
                        git->root, id);
        return code ? pawl__git_fail(err, code, git->root, doing) : PAWL_OK;
}

static pawl_status no_commit(pawl__git *git, const char *commit, pawl_error *err)
{
        return pawl__fail(err, PAWL_ENOTFOUND,
                "%s: the git repository has no commit %.40s; fetch it from where it is, or name "
                "the repository that has it",
                git->root, commit);
}

/* The directory at the root's place. */
static int below_prefix(git_object **out, pawl__git *git, git_object *tree)
{
        const char *prefix = git->prefix ? git->prefix : "";
        pawl__buf path = PAWL__BUF_INIT;
        git_tree_entry *entry = NULL;

        pawl__buf_add(&path, prefix, strlen(prefix) - 1);
        if (path.failed)
                return GIT_ERROR;
        int code = git->lib->git_tree_entry_bypath(&entry, (const git_tree *)tree, path.data);
        if (!code && git->lib->git_tree_entry_type(entry) != GIT_OBJECT_TREE)
                code = GIT_ENOTFOUND;
        if (!code)
                code = git->lib->git_object_lookup(
                        out, git->repo, git->lib->git_tree_entry_id(entry), GIT_OBJECT_TREE);
        git->lib->git_tree_entry_free(entry);
        pawl__buf_free(&path);
        return code;
}

pawl_status pawl__git_directory(
        char id[PAWL__COMMIT_ID], pawl__git *git, const char *commit, pawl_error *err)
{
        git_object *object = NULL, *tree = NULL, *below = NULL;
        git_oid oid;
        pawl_status status = PAWL_OK;
        int code = git->lib->git_oid_fromstr(&oid, commit);

        if (!code)
                code = git->lib->git_object_lookup(&object, git->repo, &oid, GIT_OBJECT_ANY);
        if (!code)
                code = git->lib->git_object_peel(&tree, object, GIT_OBJECT_TREE);
        if (code == GIT_ENOTFOUND || code == GIT_EINVALIDSPEC || code == GIT_EPEEL)
                status = no_commit(git, commit, err);
        else if (code)
                status = pawl__git_fail(err, code, git->root, "reading a commit");
        if (!status && git->prefix && *git->prefix) {
                code = below_prefix(&below, git, tree);
                if (code == GIT_ENOTFOUND)
                        status = pawl__fail(err, PAWL_ENOTFOUND,
                                "%s: is not in commit %.40s; choose a commit that has it",
                                git->root, commit);
                else if (code)
                        status = pawl__git_fail(err, code, git->root, "reading a commit's tree");
        }
        if (!status)
                git->lib->git_oid_tostr(
                        id, PAWL__COMMIT_ID, git->lib->git_object_id(below ? below : tree));
        git->lib->git_object_free(below);
        git->lib->git_object_free(tree);
        git->lib->git_object_free(object);
        return status;
}

static pawl__git_kind kind_of(git_filemode_t mode)
{
        switch (mode) {
        case GIT_FILEMODE_TREE:
                return PAWL__GIT_DIRECTORY;
        case GIT_FILEMODE_LINK:
                return PAWL__GIT_LINK;
        case GIT_FILEMODE_COMMIT:
                return PAWL__GIT_SUBMODULE;
        case GIT_FILEMODE_BLOB_EXECUTABLE:
                return PAWL__GIT_PROGRAM;
        default:
                return PAWL__GIT_FILE;
        }
}

pawl_status pawl__git_entries(pawl__git *git, const char id[PAWL__COMMIT_ID], pawl__git_entry_fn fn,
        void *user, pawl_error *err)
{
        const pawl__git_library *lib = git->lib;
        git_object *object = NULL;
        pawl_status status =
                get_object(&object, git, id, GIT_OBJECT_TREE, "reading a commit's tree", err);

        if (status)
                return status;
        const git_tree *tree = (const git_tree *)object;
        const size_t n = lib->git_tree_entrycount(tree);
        for (size_t i = 0; i < n && !status; i++) {
                const git_tree_entry *at = lib->git_tree_entry_byindex(tree, i);
                pawl__git_entry entry = {.kind = kind_of(lib->git_tree_entry_filemode(at)),
                        .name = pawl__text(lib->git_tree_entry_name(at))};
                lib->git_oid_tostr(entry.id, sizeof entry.id, lib->git_tree_entry_id(at));
                status = fn(&entry, user, err);
        }
        lib->git_object_free(object);
        return status;
}

pawl_status pawl__git_content(
        pawl__buf *out, pawl__git *git, const char id[PAWL__COMMIT_ID], pawl_error *err)
{
        git_object *object = NULL;
        pawl_status status =
                get_object(&object, git, id, GIT_OBJECT_BLOB, "reading a file of a commit", err);

        if (status)
                return status;
        const git_blob *blob = (const git_blob *)object;
        if (pawl__buf_add(out, git->lib->git_blob_rawcontent(blob),
                    (size_t)git->lib->git_blob_rawsize(blob)))
                status = pawl__nomem(err);
        git->lib->git_object_free(object);
        return status;
}
