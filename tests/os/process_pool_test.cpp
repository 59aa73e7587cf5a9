#include "simulator/base/os/process_pool.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <new>
#include <stdexcept>

#include "simulator/base/os/module.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

std::string failure_of(ChildWork const& work, ChildLimits const& limits = {}) {
  try {
    run_in_child(work, limits);
  } catch (ChildFailure const& failure) {
    return failure.what();
  }
  return "no failure";
}

ExitCode code_of(ChildWork const& work) {
  try {
    run_in_child(work);
  } catch (ChildFailure const& failure) {
    return failure.failure().code;
  }
  return ExitCode::success;
}

constexpr Module absent{.file = "factosim_absent.so", .feature = "this test", .packages = "libabsent-dev"};

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a pool returns the result of each job") {
    ProcessPool pool;
    pool.start(7, [] { return std::string(100'000, 'x'); });
    EndedJob const returned = pool.wait();
    CHECK(returned.job == 7);
    CHECK(returned.returned);
    CHECK(returned.code == ExitCode::success);
    CHECK(returned.message.size() == 100'000);
    CHECK(returned.peak_rss_bytes > 0);
    pool.start(8, []() -> std::string {
      std::fputs("last words\n", stderr);
      std::raise(SIGKILL);
      return {};
    });
    EndedJob const killed = pool.wait();
    CHECK_FALSE(killed.returned);
    CHECK(killed.signal == SIGKILL);
    CHECK(killed.message == "last words");
    pool.start(9, []() -> std::string { throw InfeasibleError(std::string(100'000, 'x')); });
    EndedJob const threw = pool.wait();
    CHECK_FALSE(threw.returned);
    CHECK(threw.code == ExitCode::infeasible);
    CHECK(threw.message.size() == 100'000);
    CHECK_FALSE(threw.limited);
    pool.start(10, []() -> std::string { throw std::bad_alloc(); });
    EndedJob const limited = pool.wait();
    CHECK(limited.code == ExitCode::bad_input);
    CHECK(limited.limited);
  }

  TEST_CASE("a child process returns bytes or the message of its failure") {
    std::string const long_reply(1'000'000, 'x');
    CHECK(run_in_child([&] { return long_reply; }) == long_reply);
    CHECK(run_in_child([] { return std::string(); }).empty());
    CHECK(failure_of([]() -> std::string { throw std::runtime_error("why"); }) == "why");
    CHECK(failure_of([]() -> std::string {
            std::fputs("\nlast words\nand more\n", stderr);
            std::abort();
          }) == "last words");
    CHECK(failure_of([]() -> std::string { _exit(3); }) == "ended without a word");
    CHECK(failure_of([]() -> std::string { _exit(0); }) == "ended without a word");
  }

  TEST_CASE("the failure of a child process has the exit code of its exception") {
    CHECK(code_of([]() -> std::string { throw InputError("file#", "problem"); }) == ExitCode::bad_input);
    CHECK(code_of([]() -> std::string { throw InfeasibleError("no solution"); }) == ExitCode::infeasible);
    CHECK(code_of([]() -> std::string { throw std::bad_alloc(); }) == ExitCode::bad_input);
    CHECK(code_of([]() -> std::string { throw ContractError("mistake"); }) == ExitCode::internal_error);
    CHECK(code_of([] { return run_in_child([]() -> std::string { throw InfeasibleError("inner"); }); }) ==
          ExitCode::infeasible);
  }

  TEST_CASE("a child process ends when its processor time is used up") {
    ChildLimits const one_second{.cpu = std::chrono::seconds(1)};
    CHECK(failure_of(
              []() -> std::string {
                while (true) ::getpid();
              },
              one_second) == "it takes more than 1 s of processor time");
  }

  TEST_CASE("a module that is not installed is found to be missing and named with its feature and packages") {
    CHECK(find_module(absent) == nullptr);
    CHECK_THROWS_AS(static_cast<void>(load_module(absent)), InputError);
    CHECK(testing::message_of([] { (void)load_module(absent); }) ==
          "factosim_absent.so: is not installed (this test needs it). Install libabsent-dev and build "
          "factosim again");
  }

  TEST_CASE("a library that is not a module of this version is refused") {
    static constexpr Module other{.file = "libm.so.6", .feature = "this test", .packages = "libm-dev"};
    CHECK(testing::message_of([] {
            (void)find_module(other);
          }).starts_with("libm.so.6: cannot be loaded (it is of another version of factosim)"));
  }
}
