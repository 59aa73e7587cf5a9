#include "simulator/engine/child_process.hpp"

#include <fmt/format.h>

#include <system_error>

#include "simulator/core/process_pool.hpp"

namespace factosim {

namespace {

constexpr char returned = 'r', threw = 't';  // first byte of what the child says

JobAnswer answer(std::function<std::string()> const& work) {
  try {
    return {0, returned + work()};
  } catch (std::exception const& error) {
    return {1, threw + std::string(error.what())};
  } catch (...) {
    return {1, threw + std::string("unknown error")};
  }
}

}  // namespace

std::string in_child_process(std::function<std::string()> const& work) {
  ProcessPool pool;
  try {
    pool.start(0, [&] { return answer(work); });
  } catch (std::system_error const& error) {
    throw ChildFailure(error.what());
  }
  EndedJob const job = pool.wait();
  if (job.signal == 0 && job.message.starts_with(returned)) return job.message.substr(1);
  if (job.signal == 0 && job.message.starts_with(threw)) throw ChildFailure(job.message.substr(1));
  throw ChildFailure(!job.message.empty() ? job.message
                     : job.signal != 0    ? fmt::format("ended by signal {}", job.signal)
                                          : "ended without a word");
}

}  // namespace factosim
