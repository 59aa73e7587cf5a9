#include "simulator/report/figures/machine_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "platforms/bus_rates.hpp"
#include "platforms/fabric.hpp"
#include "platforms/wire_names.hpp"
#include "simulator/base/core/format.hpp"
#include "simulator/report/figures/svg_writer.hpp"

namespace factosim {

namespace {

using Anchor = SvgTextStyle::Anchor;

constexpr Color ink{0x22, 0x22, 0x22}, muted{0x66, 0x66, 0x66}, edge{0x99, 0x99, 0x99};
constexpr Color panel{0xf5, 0xf5, 0xf5}, core_color{0x56, 0xb4, 0xe9}, memory_color{0xf0, 0xe4, 0xb4},
    gpu_color{0x8c, 0xc6, 0xa4}, bus_color{0xd5, 0x5e, 0x00}, network_color{0x00, 0x72, 0xb2};
constexpr double width = 760, margin = 16, title_height = 34;
constexpr double switch_left = margin, switch_width = 96, card_width = 134;
constexpr double panel_left = switch_left + switch_width + card_width,
                 panel_width = width - margin - panel_left;
constexpr double subnet_left = switch_left + switch_width + 56, subnet_width = 18;
constexpr double inside = 12, row = 18, panel_gap = 14;
constexpr double memory_height = 34, gpu_height = 46, part_height = 22, wire_height = 34;

constexpr SvgTextStyle heading{.size = 17, .bold = true};
constexpr SvgTextStyle name_style{.size = 14, .bold = true};
constexpr SvgTextStyle plain{.size = 12};
constexpr SvgTextStyle small{.size = 11, .color = muted};
constexpr SvgTextStyle centred{.size = 12, .anchor = Anchor::middle};
constexpr SvgTextStyle small_centred{.size = 11, .anchor = Anchor::middle, .color = muted};

std::string count_of(std::size_t count, char const* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Returns which cards are as near to a GPU as to the RAM, or nearer; empty if none is.
std::string cards_beside_gpus(NodeType const& type) {
  std::string out;
  for (std::uint32_t c = 0; c < type.nics; ++c)
    if (std::size_t const memory = memory_beside_card(type, c); memory >= type.ram_count())
      out += fmt::format("{}nic{} at {}", out.empty() ? "Cards: " : ", ", c, memory_node_name(type, memory));
  return out;
}

/// One node type in a frame.
class MachinePanel {
 public:
  MachinePanel(SvgWriter& out, NodeType const& type, std::size_t nodes)
      : out_(out),
        type_(type),
        nodes_(nodes),
        shared_(shared_links(type)),
        cards_beside_gpus_(cards_beside_gpus(type)) {}

  [[nodiscard]] double height() const {
    double const gpus = type_.gpus.empty() ? 0
                                           : static_cast<double>(shared_.size()) * part_height +
                                                 wires_height() + gpu_height + (has_peers() ? row : 0) +
                                                 (cards_beside_gpus_.empty() ? 0 : row);
    return inside + 2 * row + cores_height() + memory_height + gpus + inside;
  }

  void draw(double top) {
    SvgBox const frame{panel_left, top, panel_width, height()};
    out_.rectangle(frame, panel);
    out_.frame(frame, edge, 1);
    double y = top + inside + row / 2;
    std::string const name = shortened_to(type_.name, panel_width - 2 * inside, name_style);
    out_.text(left(), y, name, name_style);
    y += row;
    std::string about = count_of(nodes_, "node");
    if (type_.estimate) about += ", estimate";
    if (type_.cycle_time.value > 0)
      about += fmt::format(", {} a tile update", format_duration(type_.cycle_time));
    out_.text(left(), y, about, small);
    y += row / 2 + 2;
    draw_cores(y);
    y += cores_height();
    draw_memories(y);
    if (!type_.gpus.empty()) draw_gpus(y + memory_height);
  }

 private:
  static constexpr double core_side = 9, core_gap = 2;
  static constexpr std::size_t most_cores = 256;

  [[nodiscard]] static double left() { return panel_left + inside; }
  [[nodiscard]] static double inner_width() { return panel_width - 2 * inside; }
  [[nodiscard]] static std::size_t cores_a_row() {
    return static_cast<std::size_t>(inner_width() / (core_side + core_gap));
  }
  [[nodiscard]] std::size_t drawn_cores() const {
    auto const cores = static_cast<std::size_t>(type_.cores);
    return cores <= most_cores ? cores : 0;
  }
  [[nodiscard]] double cores_height() const {
    auto const rows = (drawn_cores() + cores_a_row() - 1) / cores_a_row();
    return static_cast<double>(rows) * (core_side + core_gap) + row;
  }

  void draw_cores(double top) {
    for (std::size_t c = 0; c < drawn_cores(); ++c)
      out_.rectangle(
          {left() + static_cast<double>(c % cores_a_row()) * (core_side + core_gap),
           top + static_cast<double>(c / cores_a_row()) * (core_side + core_gap), core_side, core_side},
          core_color);
    out_.text(left(), top + cores_height() - row / 2 - 1,
              count_of(static_cast<std::size_t>(type_.cores), "core"), plain);
  }

  void draw_memories(double top) {
    std::size_t const rams = type_.ram_count();
    double const each = (inner_width() - static_cast<double>(rams - 1) * 4) / static_cast<double>(rams);
    for (std::size_t m = 0; m < rams; ++m) {
      SvgBox const box{left() + static_cast<double>(m) * (each + 4), top, each, memory_height - 6};
      out_.rectangle(box, memory_color);
      std::string text = memory_node_name(type_, m);
      if (rams == 1)
        text = "RAM " + (type_.ram.value > 0 ? format_bytes(type_.ram) : std::string("without limit"));
      out_.text(box.left + each / 2, box.top + box.height / 2, shortened_to(text, each, centred), centred);
    }
  }

  /// Nothing is drawn between GPUs and the RAM in which they compute.
  [[nodiscard]] double wires_height() const { return type_.unified_memory ? 0 : wire_height; }
  [[nodiscard]] double gpu_pitch() const { return inner_width() / static_cast<double>(type_.gpus.size()); }
  [[nodiscard]] double gpu_middle(std::size_t gpu) const {
    return left() + (static_cast<double>(gpu) + 0.5) * gpu_pitch();
  }

  /// From the RAM downwards: links that several GPUs share, the rates of each GPU, the GPUs.
  void draw_gpus(double top) {
    double const ram = top - 6, wires = top + static_cast<double>(shared_.size()) * part_height;
    for (std::size_t g = 0; g < type_.gpu_memory_count(); ++g)
      out_.line(gpu_middle(g), ram, gpu_middle(g), wires + wire_height, bus_color, 1.5);
    for (std::size_t s = 0; s < shared_.size(); ++s) {
      SharedLinks const& part = shared_[s];
      double const from = gpu_middle(part.gpus.front()) - 0.3 * gpu_pitch();
      SvgBox const box{from, top + static_cast<double>(s) * part_height,
                       gpu_middle(part.gpus.back()) + 0.3 * gpu_pitch() - from, part_height - 6};
      out_.rectangle(box, bus_color);
      SvgTextStyle style = centred;
      style.color = {0xff, 0xff, 0xff};
      std::string const text =
          fmt::format("shared by {}: {}", part.gpus.size(), bandwidth_text(part.bandwidth));
      out_.text(box.left + box.width / 2, box.top + box.height / 2, shortened_to(text, box.width, style),
                style);
    }
    for (std::size_t g = 0; g < type_.gpus.size(); ++g) draw_gpu(g, wires);
    double y = wires + wires_height() + gpu_height + row / 2;
    if (has_peers()) out_.text(left(), y, "GPU to GPU: " + peer_text(), small);
    if (has_peers()) y += row;
    if (!cards_beside_gpus_.empty())
      out_.text(left(), y, shortened_to(cards_beside_gpus_, inner_width(), small), small);
  }

  void draw_gpu(std::size_t g, double wires) {
    double const x = gpu_middle(g), wide = std::min(150.0, gpu_pitch() - 6);
    std::size_t const memory = type_.memory_of_gpu(g);
    if (!type_.unified_memory) {
      LinkRate const down = route_rate(type_, 0, memory), up = route_rate(type_, memory, 0);
      std::string const rates =
          fmt::format("{:.3g} / {:.3g} GB/s", down.bandwidth.value / 1e9, up.bandwidth.value / 1e9);
      SvgBox const behind{x - wide / 2, wires + 7, wide, 16};
      out_.rectangle(behind, panel);
      out_.text(x, wires + 15, shortened_to(rates, gpu_pitch() - 2, small_centred), small_centred);
    }
    SvgBox const box{x - wide / 2, wires + wires_height() - 4, wide, gpu_height - 2};
    out_.rectangle(box, gpu_color);
    GpuSpec const& gpu = type_.gpus[g];
    std::string const model = gpu.model.empty() ? fmt::format("GPU {}", g) : gpu.model;
    out_.text(x, box.top + 14, shortened_to(model, wide - 4, centred), centred);
    SvgTextStyle memory_style = small_centred;
    memory_style.color = ink;
    std::string const where =
        type_.unified_memory ? "computes in " + memory_node_name(type_, memory) : format_bytes(gpu.memory);
    out_.text(x, box.top + 31, shortened_to(where, wide - 4, memory_style), memory_style);
  }

  [[nodiscard]] bool has_peers() const { return !peer_text().empty(); }

  /// Rates of the direct routes between GPUs.
  [[nodiscard]] std::string peer_text() const {
    double least = 0, most = 0;
    std::size_t const gpus = type_.gpus.size();
    for (std::size_t a = 0; a < gpus; ++a)
      for (std::size_t b = 0; b < gpus; ++b) {
        std::size_t const from = type_.memory_of_gpu(a), to = type_.memory_of_gpu(b);
        double const rate = from == to ? 0 : route_rate(type_, from, to).bandwidth.value;
        if (rate == 0) continue;
        least = least == 0 ? rate : std::min(least, rate);
        most = std::max(most, rate);
      }
    if (most == 0) return type_.gpu_memory_count() > 1 ? "through the RAM" : "";
    std::string const low = fmt::format("{:.3g}", least / 1e9), high = fmt::format("{:.3g}", most / 1e9);
    return low == high ? high + " GB/s" : fmt::format("{} to {} GB/s", low, high);
  }

  SvgWriter& out_;
  NodeType const& type_;
  std::size_t nodes_;
  std::vector<SharedLinks> shared_;
  std::string cards_beside_gpus_;
};

/// The picture: the core switch at the left, a panel for each node type at the right, cards between them.
class MachinePicture {
 public:
  MachinePicture(Platform const& platform, std::string_view title) : platform_(platform), title_(title) {
    for (std::size_t t = 0; t < platform.types.size(); ++t) order_.push_back(t);
    std::ranges::stable_sort(order_, {}, [&](std::size_t t) { return platform.types[t].subnet; });
  }

  std::string draw() {
    out_.text(margin, margin + 8, shortened_to(title_, width - 2 * margin, heading), heading);
    double y = margin + title_height;
    double const top = y;
    std::string subnet;
    double subnet_top = y;
    for (std::size_t const t : order_) {
      NodeType const& type = platform_.types[t];
      if (type.subnet != subnet) {
        close_subnet(subnet, subnet_top, y);
        subnet = type.subnet;
        subnet_top = y;
      }
      MachinePanel part(out_, type, static_cast<std::size_t>(std::ranges::count(platform_.nodes, t)));
      double const height = part.height();
      double const from = subnet.empty() ? switch_left + switch_width : subnet_left + subnet_width;
      draw_card(type, from, y + height / 2);
      part.draw(y);
      y += height + panel_gap;
    }
    close_subnet(subnet, subnet_top, y);
    draw_switch(top, y - panel_gap);
    y += row / 2;
    for (std::string const& line : notes()) {
      for (std::string const& part : wrapped(line, small, width - 2 * margin)) {
        out_.text(margin, y, part, small);
        y += row - 3;
      }
    }
    return out_.picture(width, y + margin / 2, title_);
  }

 private:
  void draw_card(NodeType const& type, double from, double y) {
    double const to = panel_left;
    out_.line(from, y, to, y, network_color, 2);
    double const middle = (from + to) / 2;
    out_.text(middle, y - 10, cards_text(type.nics) + bandwidth_text(type.nic.bandwidth), centred);
    out_.text(middle, y + 11, format_duration(type.nic.latency), small_centred);
  }

  /// Draws the switch of a subnet from `top` to before `end`, and its uplink.
  void close_subnet(std::string const& name, double top, double end) {
    auto const subnet = std::ranges::find(platform_.network.subnets, name, &Subnet::name);
    if (name.empty() || subnet == platform_.network.subnets.end()) return;
    SvgBox const box{subnet_left, top, subnet_width, end - panel_gap - top};
    out_.rectangle(box, network_color);
    SvgTextStyle style = centred;
    style.color = {0xff, 0xff, 0xff};
    style.upwards = true;
    out_.text(box.left + box.width / 2, box.top + box.height / 2, shortened_to(name, box.height - 4, style),
              style);
    double const y = box.top + box.height / 2, middle = (switch_left + switch_width + subnet_left) / 2;
    out_.line(switch_left + switch_width, y, subnet_left, y, network_color, 3);
    out_.text(middle, y - 10, bandwidth_text(subnet->uplink.bandwidth), small_centred);
    out_.text(middle, y + 11, format_duration(subnet->uplink.latency), small_centred);
  }

  void draw_switch(double top, double bottom) {
    SvgBox const box{switch_left, top, switch_width, std::max(bottom - top, 60.0)};
    out_.rectangle(box, network_color);
    SvgTextStyle style = centred;
    style.color = {0xff, 0xff, 0xff};
    double y = box.top + box.height / 2 - row;
    out_.text(box.left + switch_width / 2, y, name_of_fabric(platform_.network.fabric), style);
    for (std::string const& part : wrapped(switch_text(platform_.network), style, switch_width - 6))
      out_.text(box.left + switch_width / 2, y += row - 2, part, style);
  }

  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> out;
    NetworkSpec const& network = platform_.network;
    static constexpr std::array directs{"", " They leave memories of GPUs.",
                                        " They leave and reach memories of GPUs."};
    out.push_back(fmt::format("Rates of a lone copy: to / from the GPU. Messages of two nodes: wire {}.{}",
                              wire_names.name_of(network.wire),
                              directs[static_cast<std::size_t>(network.gpu_direct)]));
    if (network.estimate) out.push_back("Network: estimate. " + network.provenance);
    return out;
  }

  Platform const& platform_;
  std::string title_;
  std::vector<std::size_t> order_;  // of the types: those of one subnet are neighbours
  SvgWriter out_;
};

}  // namespace

std::string draw_machines(Platform const& platform, std::string_view title) {
  return MachinePicture(platform, title).draw();
}

}  // namespace factosim
