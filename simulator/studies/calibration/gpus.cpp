#include "simulator/studies/calibration/gpus.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <utility>

#include "simulator/studies/calibration/gpu_libraries.hpp"

namespace factosim {

namespace {

constexpr std::size_t rotated_bytes = std::size_t{256} << 20U;  // beyond the caches
constexpr std::size_t largest_copy_bytes = std::size_t{64} << 20U;

/// Memory of a device.
class DeviceMemory {
 public:
  DeviceMemory(GpuLibraries const& by, int device, std::size_t bytes)
      : by_(&by), data_(by.allocate(device, std::max<std::size_t>(bytes, 1))) {}
  ~DeviceMemory() {
    if (data_ != nullptr) by_->free(data_);
  }
  DeviceMemory(DeviceMemory&& other) noexcept : by_(other.by_), data_(std::exchange(other.data_, nullptr)) {}
  DeviceMemory(DeviceMemory const&) = delete;
  DeviceMemory& operator=(DeviceMemory const&) = delete;
  DeviceMemory& operator=(DeviceMemory&&) = delete;
  [[nodiscard]] void* data() const { return data_; }

 private:
  GpuLibraries const* by_;
  void* data_;
};

/// Appends a number of magnitude 0 or 2^-14 to 65504 as an element of that precision.
void append(std::vector<unsigned char>& bytes, Precision precision, double value) {
  auto const put = [&](auto bits) {
    for (std::size_t i = 0; i < sizeof bits; ++i)
      bytes.push_back(static_cast<unsigned char>(bits >> (8 * i)));
  };
  if (precision == Precision::double_) return put(std::bit_cast<std::uint64_t>(value));
  auto const single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (element_bytes(precision) == 4) return put(single);
  if (precision == Precision::bfloat16) return put(static_cast<std::uint16_t>(single >> 16U));
  std::uint32_t const exponent = (single >> 23U) & 0xffU;
  std::uint32_t const half = exponent < 113 ? 0 : ((exponent - 112) << 10U) | ((single >> 13U) & 0x3ffU);
  put(static_cast<std::uint16_t>((single >> 16U & 0x8000U) | half));
}

/// A kernel of the libraries on tiles that rotate through the memory of its GPU.
class LibraryKernel final : public GpuKernel {
 public:
  LibraryKernel(GpuLibraries const& by, DeviceLibraries& on, int device, PreparedKernel kernel,
                Precision precision, int nb)
      : by_(by), on_(on), kernel_(std::move(kernel)) {
    auto const n = static_cast<std::size_t>(nb);
    std::mt19937_64 random(n);
    std::vector<double> symmetric(n * n);
    auto const number = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53 - 0.5; };
    // Symmetric and diagonally dominant: no factorization breaks down, no substitution overflows.
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i <= j; ++i)
        symmetric[i + j * n] = symmetric[j + i * n] = i == j ? nb : number();
    std::vector<unsigned char> a, b, c;
    for (double const value : symmetric) append(a, precision, value);
    for (std::size_t i = 0; i < n * n; ++i) {
      append(b, precision, number());
      append(c, precision, number());
    }
    bytes_ = a.size();
    for (auto const* const fresh : {&a, &b, &c}) {
      fresh_.emplace_back(by, device, bytes_);
      by.fill(fresh_.back().data(), fresh->data(), bytes_);
    }
    std::size_t const sets = std::clamp<std::size_t>(rotated_bytes / (3 * bytes_), 4, 64);
    for (std::size_t t = 0; t < 3 * sets; ++t) tiles_.emplace_back(by, device, bytes_);
  }

  void restore() override {
    for (std::size_t t = 0; t < tiles_.size(); ++t) by_.fill(tiles_[t].data(), fresh_[t % 3].data(), bytes_);
    if (kernel_.prepare)
      for (std::size_t s = 0; s < sets(); ++s) kernel_.prepare(tiles(s));
    on_.wait();
  }
  std::vector<double> run(std::function<void()> const& launched) override {
    return on_.time(
        sets(), [&](std::size_t s) { kernel_.run(tiles(s)); }, launched);
  }

 private:
  [[nodiscard]] std::size_t sets() const { return tiles_.size() / 3; }
  [[nodiscard]] DeviceTiles tiles(std::size_t set) const {
    return {tiles_[3 * set].data(), tiles_[3 * set + 1].data(), tiles_[3 * set + 2].data()};
  }

  GpuLibraries const& by_;
  DeviceLibraries& on_;
  PreparedKernel kernel_;
  std::size_t bytes_ = 0;
  std::vector<DeviceMemory> fresh_, tiles_;  // a, b, c; those of each set
};

class LibraryGpus final : public Gpus {
 public:
  explicit LibraryGpus(std::unique_ptr<GpuLibraries> by) : by_(std::move(by)) {
    int const count = by_->device_count();
    for (int d = 0; d < count; ++d) {
      specs_.push_back({by_->device_name(d), Bytes{static_cast<std::int64_t>(by_->memory_bytes(d))}});
      devices_.push_back(by_->open(d));
      buffers_.emplace_back(*by_, d, largest_copy_bytes);
    }
    for (int from = 0; from < count; ++from)
      for (int to = 0; to < count; ++to)
        if (from != to) by_->let_reach(from, to);
    host_ = by_->allocate_pinned(largest_copy_bytes);
  }
  ~LibraryGpus() override { by_->free_pinned(host_); }
  LibraryGpus(LibraryGpus const&) = delete;
  LibraryGpus& operator=(LibraryGpus const&) = delete;

  [[nodiscard]] std::vector<GpuSpec> const& specs() const override { return specs_; }
  [[nodiscard]] std::string libraries() const override { return by_->names(); }

  std::unique_ptr<GpuKernel> make_kernel(std::size_t gpu, std::string const& name, Precision precision,
                                         int nb) override {
    PreparedKernel kernel = devices_.at(gpu)->kernel(name, precision, nb);
    if (!kernel.run) return nullptr;
    return std::make_unique<LibraryKernel>(*by_, *devices_[gpu], static_cast<int>(gpu), std::move(kernel),
                                           precision, nb);
  }

  void copy(std::size_t from, std::size_t to, Bytes size) override {
    auto const bytes = static_cast<std::size_t>(size.value);
    if (bytes > largest_copy_bytes) throw std::runtime_error("a copy beyond its buffer");
    devices_.at(std::max(from, to) - 1)->copy(at(to), at(from), bytes);  // by a GPU
  }

 private:
  [[nodiscard]] void* at(std::size_t memory) const {
    return memory == 0 ? host_ : buffers_.at(memory - 1).data();
  }

  std::unique_ptr<GpuLibraries> by_;
  std::vector<GpuSpec> specs_;
  std::vector<std::unique_ptr<DeviceLibraries>> devices_;
  std::vector<DeviceMemory> buffers_;
  void* host_ = nullptr;
};

}  // namespace

std::unique_ptr<Gpus> find_gpus() {
  auto libraries = find_gpu_libraries();
  if (!libraries) return nullptr;
  return std::make_unique<LibraryGpus>(std::move(libraries));
}

}  // namespace factosim
