#include <pawl/base.h>

const char *pawl_version(void)
{
        return PAWL_VERSION; /* the project's version in CMakeLists.txt */
}
