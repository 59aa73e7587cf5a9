#pragma once

#include <starpu.h>

#include <unordered_map>

#include "channel.hpp"

/// What the parts of StarPU's shim share. They are compiled against the user's StarPU.
namespace factosim::record {

/// What the shim has to know of an address.
struct Known {
  bool described = false;
  starpu_data_handle_t whole = nullptr;   // that a datum is a part of
  int owner = -1;                         // of a datum; -1: no call has told
  std::int64_t tag = -1;                  // of StarPU-MPI's; -1: none
  std::uint64_t where = 0;                // of a codelet, as the program says; StarPU changes it
  struct starpu_codelet* copy = nullptr;  // of a codelet
};
/// Returns what is known of all data and codelets. To be used with the channel locked.
inline std::unordered_map<void const*, Known>& known() {
  static auto& all = *new std::unordered_map<void const*, Known>;
  return all;
}

/// The node of the next submission of this thread by the program's own word; -1: by its data.
extern thread_local int explicit_node;
/// What this thread acquires with a callback: StarPU submits a task without data for it.
extern thread_local starpu_data_handle_t acquired;
extern thread_local enum starpu_data_access_mode acquired_mode;

/// Tells what a datum is, once. To be called with the channel locked.
void describe(starpu_data_handle_t handle);

/// A wait of the host, as long as this object exists; those that StarPU does within one, and those of callbacks, are none.
class HostWait {
 public:
  HostWait(Wait what, std::uint64_t subject, char const* call);
  ~HostWait();
  HostWait(HostWait const&) = delete;
  HostWait& operator=(HostWait const&) = delete;

 private:
  static thread_local int depth_;
  Wait what_;
  std::uint64_t subject_;
  bool outermost_;
};

}  // namespace factosim::record
