#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace factosim {

/// The work in a child process did not end well; the message says why in words of the child.
class ChildFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What `work` returns, computed in a child process, which keeps static state of libraries and whatever they
/// print away from this one. Throws ChildFailure with the message of what `work` threw, or with the first
/// line that it printed before it was ended by a signal. The child may take two minutes of processor time and
/// 4 GiB more than this process.
std::string in_child_process(std::function<std::string()> const& work);

}  // namespace factosim
