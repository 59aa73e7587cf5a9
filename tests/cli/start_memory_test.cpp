// Memory that ends while the program starts: after it was loaded, and before it can handle errors as usual.

#include "tests/cli/program.hpp"

using namespace factosim;
using testing::run_script;

TEST_SUITE("scenario") {
  TEST_CASE("memory that ends between loading and main ends with a message") {
    if (testing::sanitized) return;
    auto const run = run_script(
        "for kilobytes in $(seq 12000 20 18000); do\n"
        "  (ulimit -v $kilobytes; \"$1\" --version > /dev/null 2>&1; echo $?)\n"
        "done\n");
    std::istringstream codes(run.out);
    int loaded = 0, unloaded = 0, others = 0;
    for (int code = 0; codes >> code;) ++(code == 0 || code == 2 ? loaded : code == 127 ? unloaded : others);
    CHECK(loaded > 0);
    CHECK(unloaded > 0);
    CHECK(others == 0);
  }
}
