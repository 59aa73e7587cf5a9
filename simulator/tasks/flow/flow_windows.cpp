#include "simulator/tasks/flow/flow_windows.hpp"

#include <algorithm>
#include <utility>

namespace factosim {

void LinkWindows::read(HandleId handle, NodeId node, double end, double from_start) {
  FlowCopies::Read const read = copies_.read(handle, node);
  if (read == FlowCopies::Read::here) return;
  std::uint64_t const key = std::uint64_t{handle.value()} << 32U | node.value();
  if (read == FlowCopies::Read::sent)
    loads_.for_each_link(copies_.writer(handle), node, [&](std::uint32_t link) {
      if (link != link_) return;
      on_link_[handle.index()] = true;
      known_[key] = messages_.size();
      messages_.push_back(
          {.head = end, .tail = 0, .work = loads_.time(link, sizes_[handle.index()]).value / tick_.value});
    });
  if (!on_link_[handle.index()]) return;
  if (auto const message = known_.find(key); message != known_.end()) {
    double& tail = messages_[message->second].tail;
    tail = std::max(tail, from_start);
  }
}

std::vector<WindowedWork> LinkWindows::messages() && {
  std::ranges::stable_sort(messages_, {}, &WindowedWork::work);
  return std::move(messages_);
}

WindowReader::WindowReader(TickTimes times, StoredTails tails, std::vector<double> const& longest_heads,
                           std::vector<double> const& longest_tails, NodeAreaBounds const& areas,
                           LinkWindows* link)
    : times_(times),
      chains_(std::move(times)),
      tails_(std::move(tails)),
      kernels_(areas.of_all().prices.size()),
      link_(link) {
  loads_.reserve(longest_heads.size());
  for (std::size_t n = 0; n < longest_heads.size(); ++n) {
    loads_.emplace_back(longest_heads[n], longest_tails[n]);
    auto const& prices = areas.of_node(n).prices;
    prices_.insert(prices_.end(), prices.begin(), prices.end());
  }
}

void WindowReader::task(PlacedTask const& task) {
  FlowTail const duration{times_.of_any(task), times_.on_node(task)};
  FlowTail const tail = tails_.take_first(task.written(), duration);
  if (link_ != nullptr) {
    double const from_start = tail.with_messages + duration.with_messages;
    for (DataAccess const access : task.accesses)
      if (reads(access.mode()))
        link_->read(access.handle(), task.node, chains_.end_of_writer(access.handle()).with_messages,
                    from_start);
    for (DataAccess const access : task.accesses)
      if (writes(access.mode())) link_->write(access.handle(), task.node);
  }
  ChainTail const head = chains_.task(task);
  paths_.add(head.fastest, tail.fastest, task.kernel);
  loads_[task.node.index()].add({.head = head.with_messages,
                                 .tail = tail.with_messages,
                                 .work = prices_[task.node.index() * kernels_ + task.kernel]});
}

double WindowReader::load_and_path() {
  double longest = 0;
  for (WindowedLoads& loads : loads_) longest = std::max(longest, loads.bound());
  return longest;
}

}  // namespace factosim
