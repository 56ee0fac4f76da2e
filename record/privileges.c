#include "record/privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "formats/base/units.h"

/* Who to become. */
struct identity {
    uid_t uid;
    gid_t gid;
    const char *name; /* NULL when the number has no name; borrowed from getpw* */
};

static void set_identity(struct identity *identity, const struct passwd *entry)
{
    *identity = (struct identity){ entry->pw_uid, entry->pw_gid, entry->pw_name };
}

static bool parse_id(const char *text, int64_t *id)
{
    struct fault ignored = { "" };
    return text && units_parse_int(text, id, &ignored) == STATUS_OK && *id >= 0 &&
           *id < UINT32_MAX;
}

static int find_user(const char *user, struct identity *identity, struct fault *fault)
{
    int64_t uid;
    const struct passwd *entry = getpwnam(user);
    if (!entry && parse_id(user, &uid)) {
        *identity = (struct identity){ (uid_t)uid, (gid_t)uid, NULL };
        entry = getpwuid((uid_t)uid);
    } else if (!entry) {
        return fault_set(fault, STATUS_USAGE, "there is no user '%s'", user);
    }
    if (entry)
        set_identity(identity, entry);
    return STATUS_OK;
}

/* The caller of sudo; false without one. */
static bool find_sudo_user(struct identity *identity)
{
    int64_t uid, gid;
    if (geteuid() != 0 || !parse_id(getenv("SUDO_UID"), &uid) ||
        !parse_id(getenv("SUDO_GID"), &gid))
        return false;
    const struct passwd *entry = getpwuid((uid_t)uid);
    *identity = (struct identity){ (uid_t)uid, (gid_t)gid,
                                   entry ? entry->pw_name : NULL };
    return true;
}

static int become(const struct identity *identity, struct fault *fault)
{
    int failed = identity->name ? initgroups(identity->name, identity->gid)
                                : setgroups(1, &identity->gid);
    if (failed || setresgid(identity->gid, identity->gid, identity->gid) ||
        setresuid(identity->uid, identity->uid, identity->uid))
        return fault_set_errno(fault, "cannot become user %u", identity->uid);
    if (identity->uid != 0 && setuid(0) == 0)
        return fault_set(fault, STATUS_BUG, "root's rights could be taken back");
    return STATUS_OK;
}

static int drop_capabilities(struct fault *fault)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
    if (syscall(SYS_capset, &header, none) < 0)
        return fault_set_errno(fault, "cannot give up capabilities");
    return STATUS_OK;
}

int privileges_drop(const char *user, struct fault *fault)
{
    struct identity identity;
    int status = user ? find_user(user, &identity, fault) : STATUS_OK;
    if (status == STATUS_OK && (user || find_sudo_user(&identity)))
        status = become(&identity, fault);
    if (status == STATUS_OK && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        status = fault_set_errno(fault, "cannot set no-new-privileges");
    if (status == STATUS_OK && geteuid() != 0)
        status = drop_capabilities(fault);
    return status;
}
