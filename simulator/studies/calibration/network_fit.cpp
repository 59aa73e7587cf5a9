#include "simulator/studies/calibration/network_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "simulator/base/core/sample.hpp"
#include "simulator/studies/calibration/contradiction.hpp"

namespace factosim {

namespace {

constexpr std::size_t min_messages = 3;  // a fit, or a decision, needs as many
constexpr double decisive = 2;           // ratio of sums of squares that decides between two models
constexpr double alike = 1.1;            // bandwidths within this factor are those of one kind of link

using Pair = std::pair<NodeId, NodeId>;

struct Flight {
  double start_s, end_s, bytes;
};

/// The messages in flight at a time, among some.
class InFlight {
 public:
  void add(Flight const& f) {
    starts_.push_back(f.start_s);
    ends_.push_back(f.end_s);
  }
  void sort() {
    std::ranges::sort(starts_);
    std::ranges::sort(ends_);
  }
  /// Returns the number of messages in flight at some time within the interval.
  [[nodiscard]] std::ptrdiff_t count(double from_s, double to_s) const {
    auto const started = std::lower_bound(starts_.begin(), starts_.end(), to_s) - starts_.begin();
    auto const ended = std::upper_bound(ends_.begin(), ends_.end(), from_s) - ends_.begin();
    return started - ended;
  }

 private:
  std::vector<double> starts_, ends_;
};

/// The messages of one run from one node to another, in order of arrival.
struct Stream {
  std::vector<Flight> flights;
  std::vector<TransferTime> gaps;        // of all messages that waited for the one before
  std::vector<TransferTime> clean_gaps;  // while neither node had messages of other links in flight
};

/// Calls `visit` with each longest sequence of messages in which each was sent before the one before arrived.
template <class Visit>
void for_each_busy_period(std::vector<Flight> const& flights, Visit&& visit) {
  for (std::size_t begin = 0; begin < flights.size();) {
    std::size_t end = begin + 1;
    while (end < flights.size() && flights[end].start_s < flights[end - 1].end_s) ++end;
    visit(std::span(flights).subspan(begin, end - begin));
    begin = end;
  }
}

std::map<Pair, Stream> streams_of(Trace const& trace) {
  std::map<Pair, Stream> streams;
  std::map<NodeId, InFlight> from, to;
  std::map<Pair, InFlight> between;
  for (Trace::Message const& m : trace.messages) {
    if (m.size.value <= 0 || !std::isfinite(m.start_s) || !std::isfinite(m.end_s)) continue;
    Flight const f{m.start_s, m.end_s, static_cast<double>(m.size.value)};
    streams[{m.from, m.to}].flights.push_back(f);
    from[m.from].add(f);
    to[m.to].add(f);
    between[{m.from, m.to}].add(f);
  }
  for (auto* const by_node : {&from, &to})
    for (auto& [node, flights] : *by_node) flights.sort();
  for (auto& [pair, stream] : streams) {
    InFlight& own = between[pair];
    own.sort();
    std::ranges::stable_sort(stream.flights, {}, &Flight::end_s);
    for_each_busy_period(stream.flights, [&](std::span<Flight const> period) {
      for (std::size_t i = 1; i < period.size(); ++i) {
        double const begin = period[i - 1].end_s, end = period[i].end_s;
        stream.gaps.push_back({period[i].bytes, end - begin});
        auto const count = own.count(begin, end);
        if (from[pair.first].count(begin, end) == count && to[pair.second].count(begin, end) == count)
          stream.clean_gaps.push_back(stream.gaps.back());
      }
    });
  }
  return streams;
}

/// Returns the gaps without outliers: pauses of the runtime system, not of the link.
std::vector<TransferTime> without_outliers(std::vector<TransferTime> gaps) {
  std::vector<double> rates;
  for (TransferTime const& g : gaps) rates.push_back(g.seconds / g.size_bytes);
  double const limit = summarize(std::move(rates)).outlier_limit();
  std::erase_if(gaps, [&](TransferTime const& g) { return g.seconds / g.size_bytes > limit * (1 + 1e-9); });
  return gaps;
}

/// Adds the squared differences from arrivals one after the other.
double fifo_squares(std::span<Flight const> period, LinkRate const& rate) {
  double squares = 0, free = period.front().start_s;
  for (Flight const& f : period) {
    free = std::max(free, f.start_s) + f.bytes / rate.bandwidth.value;
    squares += std::pow(f.end_s - free - rate.latency.value, 2);
  }
  return squares;
}

/// Adds the squared differences from the arrivals of messages that share the bandwidth equally at any time.
double shared_squares(std::span<Flight const> period, LinkRate const& rate) {
  struct Active {
    double bytes_left, end_s;
  };
  std::vector<Flight> waiting(period.begin(), period.end());
  std::ranges::stable_sort(waiting, {}, &Flight::start_s);
  std::vector<Active> active;
  double now = waiting.front().start_s, squares = 0;
  for (std::size_t next = 0; next < waiting.size() || !active.empty();) {
    if (active.empty()) now = std::max(now, waiting[next].start_s);
    while (next < waiting.size() && waiting[next].start_s <= now) {
      active.push_back({waiting[next].bytes, waiting[next].end_s});
      ++next;
    }
    double const each = rate.bandwidth.value / static_cast<double>(active.size());
    auto const first = std::ranges::min_element(active, {}, &Active::bytes_left);
    double const until =
        next < waiting.size() ? waiting[next].start_s : std::numeric_limits<double>::infinity();
    double const step = std::min(first->bytes_left / each, until - now);
    bool const arrives = first->bytes_left / each <= until - now;
    now += step;
    for (Active& a : active) a.bytes_left -= step * each;
    if (!arrives) continue;
    squares += std::pow(first->end_s - now - rate.latency.value, 2);
    active.erase(first);
  }
  return squares;
}

/// Adds the squared differences from the arrivals of messages that do not affect each other.
double independent_squares(std::span<Flight const> period, LinkRate const& rate) {
  double squares = 0;
  for (Flight const& f : period)
    squares += std::pow(f.end_s - f.start_s - f.bytes / rate.bandwidth.value - rate.latency.value, 2);
  return squares;
}

/// Fits one link to its messages in all runs.
class PairFitter {
 public:
  void add(Stream const& stream) {
    gaps_.insert(gaps_.end(), stream.gaps.begin(), stream.gaps.end());
    clean_.insert(clean_.end(), stream.clean_gaps.begin(), stream.clean_gaps.end());
    streams_.push_back(&stream);
    for_each_busy_period(stream.flights, [&](std::span<Flight const> period) {
      double bytes = 0;
      for (Flight const& f : period) {
        bytes += f.bytes;
        times_.push_back({f.bytes, f.end_s - f.start_s});
      }
      double const begin = std::ranges::min_element(period, {}, &Flight::start_s)->start_s;
      TransferTime const time{bytes, period.back().end_s - begin};
      periods_.push_back(time);
      if (period.size() == 1) lone_.push_back(time);
    });
  }

  [[nodiscard]] bool clean() const { return gaps_.size() < min_messages || clean_.size() >= min_messages; }

  /// Returns the fit for each way of sharing; without a bandwidth where there are too few messages for it.
  [[nodiscard]] std::array<LinkFit, 3> fits() const {
    LinkFit const alone = fit_link(times_).value_or(LinkFit{});
    auto const service = without_outliers(clean_.size() >= min_messages ? clean_ : gaps_);
    return {service.size() >= min_messages ? by_service(service) : alone,
            fit_link(periods_).value_or(LinkFit{}), alone};
  }

  /// Returns the squared differences of the arrivals of overlapping messages from those by each fit.
  [[nodiscard]] std::array<double, 3> squares(std::array<LinkFit, 3> const& fits) const {
    constexpr std::array predictions{fifo_squares, shared_squares, independent_squares};
    std::array<double, 3> out{};
    for_each_overlap([&](std::span<Flight const> period) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += predictions[i](period, fits[i].rate);
    });
    return out;
  }

  [[nodiscard]] std::size_t overlapping() const {
    std::size_t count = 0;
    for_each_overlap([&](std::span<Flight const> period) { count += period.size(); });
    return count;
  }

 private:
  [[nodiscard]] LinkFit by_service(std::vector<TransferTime> const& service) const {
    LinkFit fit = fit_through_zero(service);
    fit.latency_known = lone_.size() >= min_messages;
    if (!fit.latency_known) return fit;
    std::vector<double> rest;
    for (TransferTime const& t : lone_) rest.push_back(t.seconds - t.size_bytes / fit.rate.bandwidth.value);
    fit.rate.latency = Seconds{summarize(std::move(rest)).median};
    return fit;
  }

  template <class Visit>
  void for_each_overlap(Visit&& visit) const {
    for (Stream const* const stream : streams_)
      for_each_busy_period(stream->flights, [&](std::span<Flight const> period) {
        if (period.size() > 1) visit(period);
      });
  }

  std::vector<TransferTime> gaps_, clean_, periods_, lone_, times_;
  std::vector<Stream const*> streams_;
};

struct Verdict {
  Sharing sharing;
  bool decided;  // no other way of sharing predicts the arrivals about as well
};

/// Returns the way of sharing that predicts arrivals best over all links.
Verdict best_sharing(std::vector<PairFit> const& pairs) {
  std::array<double, 3> squares{};
  std::size_t overlapping = 0;
  for (PairFit const& p : pairs) {
    for (std::size_t i = 0; i < squares.size(); ++i) squares[i] += p.squares[i];
    overlapping += p.overlapping;
  }
  auto const best = std::ranges::min_element(squares);
  auto const close = std::ranges::count_if(squares, [&](double s) { return s <= decisive * *best; });
  return {static_cast<Sharing>(best - squares.begin()), overlapping >= min_messages && close == 1};
}

Moments seconds_per_byte(Stream const& stream) {
  std::vector<double> out;
  for (TransferTime const& g : without_outliers(stream.clean_gaps)) out.push_back(g.seconds / g.size_bytes);
  return moments(out);
}

/// Reports bandwidths of one link that differ between two runs.
void report_contradictions(std::vector<Trace> const& traces,
                           std::vector<std::map<Pair, Stream>> const& streams, NetworkFit& out) {
  for (PairFit const& p : out.pairs) {
    Pair const pair{p.from, p.to};
    std::optional<std::size_t> first;
    for (std::size_t run = 0; run < traces.size(); ++run) {
      auto const stream = streams[run].find(pair);
      if (stream == streams[run].end() || stream->second.clean_gaps.size() < min_messages) continue;
      if (!first) first = run;
      Moments const a = seconds_per_byte(streams[*first].at(pair)), b = seconds_per_byte(stream->second);
      if (contradict(a, b))
        out.findings.push_back(
            {traces[run].source, 0,
             fmt::format("{}: {:.4g} GB/s, and {:.4g} GB/s in {} (beyond their deviations)",
                         link_name(p.from, p.to), 1e-9 / b.mean, 1e-9 / a.mean, traces[*first].source)});
    }
  }
}

void report_link_residuals(NetworkFit& out, std::string const& source) {
  for (PairFit const& p : out.pairs) {
    if (p.fit.residual_s > doubtful_residual * p.fit.mean_s)
      out.findings.push_back({source, 0,
                              fmt::format("{}: the residual is {:.0f} % of a message's time at {:.4g} GB/s "
                                          "(its messages do not follow one bandwidth)",
                                          link_name(p.from, p.to), 100 * p.fit.residual_s / p.fit.mean_s,
                                          1e-9 * p.fit.rate.bandwidth.value)});
  }
}

/// Reports what the messages do not tell about the wire.
void report_sharing(NetworkFit& out, std::string const& source, Verdict const& verdict) {
  if (!verdict.decided)
    out.findings.push_back(
        {source, 0,
         "does not tell whether messages of two nodes share the link or follow one another (too few of them "
         "overlap, or two rules predict their arrivals as well)"});
  else if (verdict.sharing == Sharing::independent)
    out.findings.push_back({source, 0,
                            "shows messages of two nodes that do not slow each other down: the bandwidth is "
                            "that of one message, and in a simulation they share it"});
  else
    out.wire = verdict.sharing == Sharing::in_turn ? Wire::fifo : Wire::shared;
}

}  // namespace

BytesPerSecond NetworkFit::bandwidth(NodeId node) const {
  double sum = 0, least = std::numeric_limits<double>::infinity(), most = 0, of_node = 0;
  for (PairFit const& p : pairs) {
    double const b = p.fit.rate.bandwidth.value;
    sum += b;
    least = std::min(least, b);
    most = std::max(most, b);
    if (p.from == node || p.to == node) of_node = std::max(of_node, b);
  }
  bool const all_alike = most <= alike * least || of_node == 0;
  return BytesPerSecond{all_alike ? sum / static_cast<double>(pairs.size()) : of_node};
}

Seconds NetworkFit::latency() const {
  double sum = 0;
  int count = 0;
  for (PairFit const& p : pairs) {
    if (!p.fit.latency_known) continue;
    sum += p.fit.rate.latency.value;
    ++count;
  }
  return Seconds{count > 0 ? std::max(0.0, sum / count) : 0};
}

bool NetworkFit::latency_known() const {
  return std::ranges::any_of(pairs, [](PairFit const& p) { return p.fit.latency_known; });
}

std::string link_name(NodeId from, NodeId to) {
  return fmt::format("network:{}-{}", from.value(), to.value());
}

std::optional<NetworkFit> fit_service(std::vector<Trace> const& traces) {
  std::vector<std::map<Pair, Stream>> streams;
  for (Trace const& trace : traces) streams.push_back(streams_of(trace));
  std::map<Pair, PairFitter> fitters;
  for (auto const& of_run : streams)
    for (auto const& [pair, stream] : of_run) fitters[pair].add(stream);
  if (fitters.empty()) return std::nullopt;
  NetworkFit out;
  std::string const& source = traces.front().source;
  std::map<Pair, std::array<LinkFit, 3>> fits;
  for (auto const& [pair, fitter] : fitters) {
    auto const of_pair = fitter.fits();
    if (std::ranges::any_of(of_pair, [](LinkFit const& f) { return !(f.rate.bandwidth.value > 0); })) {
      out.findings.push_back({source, 0,
                              fmt::format("{}: its messages arrive before they are sent, and tell no time",
                                          link_name(pair.first, pair.second))});
      continue;
    }
    fits[pair] = of_pair;
    out.pairs.push_back({.from = pair.first,
                         .to = pair.second,
                         .overlapping = fitter.overlapping(),
                         .squares = fitter.squares(of_pair)});
    if (!fitter.clean())
      out.findings.push_back(
          {source, 0,
           fmt::format("{}: its nodes always had other messages in flight: the bandwidth is what was left",
                       link_name(pair.first, pair.second))});
  }
  if (out.pairs.empty()) return std::nullopt;
  Verdict const verdict = best_sharing(out.pairs);
  for (PairFit& p : out.pairs) p.fit = fits[{p.from, p.to}][static_cast<std::size_t>(verdict.sharing)];
  report_sharing(out, source, verdict);
  report_link_residuals(out, source);
  if (verdict.sharing == Sharing::in_turn) report_contradictions(traces, streams, out);
  return out;
}

}  // namespace factosim
