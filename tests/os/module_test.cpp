// Parts of the program that are loaded on first use.

#include "simulator/base/os/module.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

namespace {

constexpr Module absent{.file = "factosim_absent.so", .feature = "this test", .packages = "libabsent-dev"};

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a module that is not installed is found to be missing and named with its feature and packages") {
    CHECK(find_module(absent) == nullptr);
    CHECK_THROWS_AS(static_cast<void>(load_module(absent)), InputError);
    CHECK(testing::message_of([] { (void)load_module(absent); }) ==
          "factosim_absent.so: is not installed (this test needs it). Install libabsent-dev and build "
          "factosim again");
  }

  TEST_CASE("a library that is no module of this version is refused") {
    static constexpr Module other{.file = "libm.so.6", .feature = "this test", .packages = "libm-dev"};
    CHECK(testing::message_of([] {
            (void)find_module(other);
          }).starts_with("libm.so.6: cannot be loaded (it is of another version of factosim)"));
  }
}
