#include <fmt/format.h>

#include <algorithm>

#include "simulator/audit/rules/checks.hpp"

namespace factosim::audit {

namespace {

class PostCheck {
 public:
  PostCheck(RunView const& view, DataFlow const& flow, Check& check)
      : view_(view), flow_(flow), check_(check), messages_(view.run.trace->messages) {
    std::erase_if(messages_, [](Trace::Message const& m) {
      return !m.handle.valid() || !m.consumer.valid() || !m.producer.valid();
    });
  }

  /// Both ends of a message come to its first reader in the flow: the receiver, whose task it is, at its date; the
  /// sender after its own task before, and as many submissions as it pays for in between.
  void check_submissions() {
    struct Last {  // submission on a node
      double date = 0;
      std::uint32_t next = 0;  // the task behind it in the flow
    };
    std::ranges::stable_sort(messages_, {}, &Trace::Message::consumer);
    auto message = messages_.begin();
    std::vector<Last> last(view_.run.platform.nodes.size());
    auto const& graph = view_.run.graph;
    auto barrier = graph.barriers.begin();
    bool const pays_all = view_.run.runtime.unrolled == RuntimeModel::Unrolled::all;
    double ended = 0;  // all tasks so far
    for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
      for (; barrier != graph.barriers.end() && *barrier == t; ++barrier)
        std::ranges::fill(last, Last{ended, t});
      double const date = view_.run.trace->submit_s[t];
      for (; message != messages_.end() && message->consumer.value() == t; ++message) {
        Last const& of_sender = last[view_.home[message->producer.index()].index()];
        double const paid = pays_all ? t + 1 - of_sender.next : 0;
        check_start(*message, date, "its receiver has submitted its first reader", 0);
        check_start(*message, of_sender.date + view_.run.runtime.submission_cost_s * paid,
                    "its sender has submitted the tasks before its first reader", paid);
      }
      last[view_.home[t].index()] = {date, t + 1};
      if (view_.ran(t)) ended = std::max(ended, view_.end_s(t));
    }
  }

  /// A node that receives a tile once more has one place for it: it overwrites the copy before.
  void check_copies() {
    auto const by_handle = rows_by_handle(messages_, view_.run.graph.handles.size());
    std::vector<double> ended;  // [nodes] the last use of the handle so far
    for (std::uint32_t h = 0; h < view_.run.graph.handles.size(); ++h) {
      auto message = by_handle.of(h).begin();  // in the order of their first readers
      ended.assign(view_.run.platform.nodes.size(), 0);
      for (std::uint32_t u = flow_.first_use[h]; u < flow_.first_use[h + 1]; ++u) {
        std::uint32_t const task = flow_.uses[u].task;
        for (; message != by_handle.of(h).end() && messages_[*message].consumer.value() <= task; ++message)
          check_start(messages_[*message], ended[messages_[*message].to.index()],
                      "its receiver has used the copy before", 0);
        if (view_.ran(task))
          ended[view_.home[task].index()] = std::max(ended[view_.home[task].index()], view_.end_s(task));
      }
    }
  }

 private:
  void check_start(Trace::Message const& m, double earliest, std::string_view when, double sums) {
    ++check_.cases;
    if (m.start_s < earliest - view_.tie_s - view_.tick_s * sums)
      check_.add({fmt::format("leaves before {}", when),
                  fmt::format("message with {} from node {} to node {}", view_.name_of_handle(m.handle),
                              m.from.value(), m.to.value()),
                  fmt::format("not before {:.9g} s", earliest), m.consumer, m.start_s});
  }

  RunView const& view_;
  DataFlow const& flow_;
  Check& check_;
  std::vector<Trace::Message> messages_;
};

}  // namespace

void check_posts(RunView const& view, DataFlow const& flow, AuditReport& report) {
  Check& check = report.check("posts");
  if (view.run.runtime.rounded_means)
    return check.skip("in a replay the dates of submission and of messages are the recorded run's");
  PostCheck posts(view, flow, check);
  posts.check_submissions();
  if (view.run.graph.flushes_inputs.empty()) posts.check_copies();  // these messages may come early
}

}  // namespace factosim::audit
