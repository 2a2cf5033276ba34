/* The end of a file of tests that says none of its own: run them. */
#include "support/test.h"

int main(void)
{
        return test_run(NULL, NULL);
}
