#include "simulator/trace/import/job_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace factosim {

namespace {

constexpr std::uint32_t own_node = NodeId::none;  // of a job without a prefix
constexpr std::int64_t max_int = std::numeric_limits<std::int32_t>::max();

struct FieldName {
  std::string_view name;
  JobFields::Field field;
};
using F = JobFields::Field;
constexpr std::array names{FieldName{"Control", F::control},
                           FieldName{"Name", F::name},
                           FieldName{"Model", F::model},
                           FieldName{"JobId", F::job},
                           FieldName{"SubmitOrder", F::submit_order},
                           FieldName{"Priority", F::priority},
                           FieldName{"DependsOn", F::depends_on},
                           FieldName{"Tag", F::tag},
                           FieldName{"WorkerId", F::worker},
                           FieldName{"MemoryNode", F::memory},
                           FieldName{"SubmitTime", F::submit},
                           FieldName{"StartTime", F::start},
                           FieldName{"EndTime", F::end},
                           FieldName{"Footprint", F::footprint},
                           FieldName{"GFlop", F::gflop},
                           FieldName{"Iteration", F::iteration},
                           FieldName{"Parameters", F::parameters},
                           FieldName{"Handles", F::handles},
                           FieldName{"Modes", F::modes},
                           FieldName{"Sizes", F::sizes},
                           FieldName{"MPIRank", F::rank},
                           FieldName{"X", F::x},
                           FieldName{"Y", F::y},
                           FieldName{"File", F::left_out},
                           FieldName{"Line", F::left_out},
                           FieldName{"DepLabels", F::left_out},
                           FieldName{"NumaNodes", F::left_out},
                           FieldName{"Color", F::left_out},
                           FieldName{"TypeColor", F::left_out}};

/// The letters of StarPU's modes: R, W, S(cratch), X (reduction), C(ommuting).
std::uint8_t mode(LineReader const& at, std::string_view text) {
  int bits = 0;
  for (char const c : text) switch (c) {
      case 'R':
        bits |= 1;
        break;
      case 'W':
        bits |= 2;
        break;
      case 'X':
        bits |= 3;
        break;
      case 'S':
      case 'C':
      case '-':
      case 'm':
      case 'p':
      case 'i':
        break;
      default:
        at.fail(fmt::format(
            "\"{}\" where the mode of an access should stand (R, W, RW, S, X or C). Correct the line",
            text.substr(0, 40)));
    }
  return text.find('S') != std::string_view::npos ? std::uint8_t{0} : static_cast<std::uint8_t>(bits);
}

std::int32_t small(LineReader const& at, std::string_view value, std::int64_t minimum,
                   std::string_view what) {
  return static_cast<std::int32_t>(integer(at, value, minimum, max_int, what));
}

/// StarPU prints negative priorities as 64 bits without a sign in some of its files.
std::int32_t priority(LineReader const& at, std::string_view value) {
  std::uint64_t bits{};
  auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), bits);
  if (error == std::errc{} && end == value.data() + value.size() && static_cast<std::int64_t>(bits) < 0)
    return static_cast<std::int32_t>(
        std::max<std::int64_t>(static_cast<std::int64_t>(bits), std::numeric_limits<std::int32_t>::min()));
  return small(at, value, -max_int - 1, "a priority");
}

}  // namespace

JobFields::Field JobFields::field(std::string_view name) {
  for (FieldName const& f : names)
    if (f.name == name) return f.field;
  return Field::not_known;
}

void JobFields::set(LineReader const& at, Field field, std::string_view value) {
  begun_ = true;
  switch (field) {
    case F::control:
      wont_use_ = value == "WontUse";
      break;
    case F::name:
      kernel_ = value;
      break;
    case F::model:
      model_ = value;
      break;
    case F::job:
      job_.name = job_name(at, value, own_node);
      has_job_ = true;
      break;
    case F::submit_order: {
      std::string_view const order = value.substr(value.find('_') + 1);  // StarVZ: with the node before
      job_.submit_order =
          static_cast<std::uint32_t>(integer(at, order, 0, max_int, "an order of submission"));
      break;
    }
    case F::priority:
      job_.priority = priority(at, value);
      break;
    case F::depends_on:
      split_words(value, words_);
      for (std::string_view const word : words_) before_.push_back(job_name(at, word, own_node));
      break;
    case F::tag:
      job_.tag = hexadecimal(at, value, "a tag");
      break;
    case F::worker:
      job_.worker = small(at, value, -1, "a worker");
      break;
    case F::memory:
      job_.memory = small(at, value, -1, "a memory node");
      break;
    case F::submit:
      job_.submit_s = milliseconds(at, value, "when the task was submitted");
      break;
    case F::start:
      job_.start_s = milliseconds(at, value, "when the task started");
      break;
    case F::end:
      job_.end_s = milliseconds(at, value, "when the task ended");
      break;
    case F::footprint:
      job_.footprint = static_cast<std::uint32_t>(hexadecimal(at, value, "a footprint"));
      break;
    case F::gflop:
      job_.flops = 1e9 * number(at, value, "GFlop");
      break;
    case F::iteration:
      split_words(value, words_);
      if (!words_.empty()) job_.iteration = small(at, words_.front(), -1, "an iteration");
      break;
    case F::parameters:
      shapes_ = value;
      break;
    case F::handles:
      split_words(value, words_);
      for (std::string_view const word : words_) addresses_.push_back(hexadecimal(at, word, "a handle"));
      break;
    case F::modes:
      split_words(value, words_);
      for (std::string_view const word : words_) modes_.push_back(mode(at, word));
      break;
    case F::sizes:
      split_words(value, words_);
      for (std::string_view const word : words_)
        sizes_.push_back(integer(at, word, 0, std::int64_t{1} << 50, "a size in bytes"));
      break;
    case F::rank:
      rank_ = small(at, value, -1, "a rank");
      break;
    case F::x:
      job_.x = small(at, value, -1, "a coordinate");
      break;
    case F::y:
      job_.y = small(at, value, -1, "a coordinate");
      break;
    case F::left_out:
    case F::not_known:
      break;
  }
}

void JobFields::finish(LineReader const& at) {
  if (!begun_) return;
  if (!has_job_)
    at.fail(
        "a record without JobId ends here (nothing can refer to it). Complete it, or write the trace again");
  if (job_.end_s < job_.start_s)
    at.fail("the task that ends here would end before it starts (EndTime < StartTime). Correct the record");
  std::uint32_t const node = rank_ >= 0 ? static_cast<std::uint32_t>(rank_) : 0;
  if (node >= max_nodes)
    at.fail(fmt::format("rank {} (at most {} nodes). Correct the record", node, max_nodes));
  if (job_.name.node == own_node) job_.name.node = node;
  if (wont_use_)
    add_hint(at, job_.name.node);
  else
    add_job(at);
  job_ = {};
  begun_ = wont_use_ = has_job_ = false;
  rank_ = -1;
  kernel_.clear();
  model_.clear();
  shapes_.clear();
  before_.clear();
  addresses_.clear();
  sizes_.clear();
  modes_.clear();
}

void JobFields::add_job(LineReader const& at) {
  if (kernel_.empty()) kernel_ = model_;
  job_.kernel = kernel_.empty() ? StarpuJob::no_kernel : run_.kernel(at, kernel_);
  if (!model_.empty() && job_.kernel != StarpuJob::no_kernel) {
    if (run_.models.size() <= job_.kernel) run_.models.resize(job_.kernel + std::size_t{1});
    if (run_.models[job_.kernel].empty()) run_.models[job_.kernel] = model_;
  }
  job_.first_dependency = static_cast<std::uint32_t>(run_.dependencies.size());
  job_.dependencies = static_cast<std::uint32_t>(before_.size());
  for (JobName name : before_) {
    if (name.node == own_node) name.node = job_.name.node;
    run_.dependencies.push_back(name.key());
  }
  add_accesses(at, job_.name.node);
  run_.jobs.push_back(job_);
}

void JobFields::add_hint(LineReader const& at, std::uint32_t node) {
  if (addresses_.size() != 1) at.fail("a hint (WontUse) names one handle. Correct the record");
  run_.wont_use.push_back(
      {JobName{node, job_.name.job}, job_.submit_order, job_.submit_s, addresses_.front()});
}

void JobFields::add_accesses(LineReader const& at, std::uint32_t node) {
  if (modes_.size() != addresses_.size() || (!sizes_.empty() && sizes_.size() != addresses_.size()))
    at.fail(
        fmt::format("the task that ends here has {} handles, {} modes and {} sizes (there is one of each for "
                    "a handle). Correct the record",
                    addresses_.size(), modes_.size(), sizes_.size()));
  split_words(shapes_, words_);
  job_.first_access = static_cast<std::uint32_t>(run_.accesses.size());
  job_.accesses = static_cast<std::uint32_t>(addresses_.size());
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    std::int64_t const size = sizes_.empty() ? -1 : sizes_[i];
    run_.accesses.push_back({addresses_[i], size, modes_[i]});
    if (words_.size() != addresses_.size()) continue;
    std::uint64_t const id = addresses_[i] * 0x9e3779b97f4a7c15U + node;
    if (shaped_.insert(id).second)
      run_.handles.push_back(
          {.node = node, .address = addresses_[i], .size = size, .shape = std::string(words_[i])});
  }
}

}  // namespace factosim
