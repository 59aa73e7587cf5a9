// Entry points of libFuzzer. FACTOSIM_FUZZ_TARGET names the reader.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/data/test_files.hpp"
#include "tests/fuzz/targets.hpp"

namespace {

using factosim::testing::FuzzTarget;

FuzzTarget const* asked_target() {
  char const* const name = std::getenv("FACTOSIM_FUZZ_TARGET");
  for (FuzzTarget const& target : factosim::testing::fuzz_targets())
    if (name != nullptr && target.name == name) return &target;
  std::fputs("FACTOSIM_FUZZ_TARGET is none of:", stderr);
  for (FuzzTarget const& target : factosim::testing::fuzz_targets())
    std::fprintf(stderr, " %s", std::string(target.name).c_str());
  std::fputc('\n', stderr);
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static FuzzTarget const* const target = asked_target();
  static factosim::testing::TemporaryFolder const folder;
  try_input(*target, folder.path(), {reinterpret_cast<char const*>(data), size});
  return 0;
}
