#pragma once

#include <cstdint>

/// The channel from a recorded program to `factosim record`: what both sides agree on.
namespace factosim::record {

/// An event is an array of 64-bit words. The first is kind | number of words with this one << 8 | process id << 32. Text is a
/// word with its length, and its bytes, filled up with zeros to whole words. Numbers of type double are their bits. Tasks,
/// data and tags are named by the addresses and numbers by which the program knows them.
enum class Event : std::uint8_t {
  library,  // texts: version of the library, of the headers that the shim was compiled with
  datum,  // handle, that of the datum that it is a part of (0: none), bytes, whether StarPU orders its accesses, owner, MPI tag (-1: unknown), dimensions, row, column
  datum_gone,  // handle: another datum may have its address now
  task_new,    // task: so far nothing depends on it
  task,  // task, the task whose callback submits it (0: none), flags, priority, tag, operations (double),
         // footprint, size by its model, devices, node (-1: by its data), texts: codelet, symbol, name;
         // count and workers that may run it (0: all), then handle and mode of each access
  dependency,      // 1 if its end depends, 0 if its start does; task, tasks that it waits for
  tag_dependency,  // tag, tags that it waits for
  tag_gone,        // tag: another task may have it now
  wait,            // what the host waits for (Wait), subject, text: the call
  waited,          // the same when it has waited
  wont_use,        // handle
  flush,           // handle; 0: all
  ran,             // task, device of its worker, seconds (double)
  omitted,         // text: things that the graph does not show, such as calls of a function
  refused,         // text: why the program cannot be recorded; it has ended
  end,             // number of kernels that workers have run
};

/// Flags of tasks.
enum : std::uint64_t {
  has_tag = 1,
  unordered = 2,  // its accesses give no dependencies
  has_codelet = 4,
  asynchronous = 8,  // its CUDA function returns before the kernel has ended
  regenerates = 16,  // StarPU submits it again by itself
  in_context = 32,   // of another scheduling context than the first
  sized = 128,       // its model states a size
  takes_no_time = 256,
  own_time = 512  // its duration is not that of other tasks of its kernel
};

/// Modes of accesses.
enum : std::uint64_t { reads = 1, writes = 2, scratch = 4, reduces = 8, commutes = 16, not_ordered = 32 };

/// Devices.
enum : std::uint64_t { on_cpu = 1, on_cuda = 2, on_opencl = 4, on_hip = 8 };

enum class Wait : std::uint8_t { all, task, tag, writer, users };

}  // namespace factosim::record
