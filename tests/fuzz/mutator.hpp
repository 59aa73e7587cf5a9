#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace factosim::testing {

/// Damages inputs: the same ones for the same seed and additions. Knows nothing of formats but that numbers, words
/// and lines stand in them.
class Mutator {
 public:
  static constexpr std::size_t max_size = 20'000;

  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  /// Adds an input from which others are made, and its words to those that others take.
  void add(std::string input);

  /// Returns an input that was added, with one to eight changes. There must be one.
  [[nodiscard]] std::string next();

 private:
  [[nodiscard]] std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  [[nodiscard]] std::string const& any_input() { return inputs_[below(inputs_.size())]; }

  void change(std::string& text);
  void change_bytes(std::string& text);
  void change_word(std::string& text);
  void change_lines(std::string& text);
  void splice(std::string& text);

  std::mt19937_64 random_;
  std::vector<std::string> inputs_, words_;
};

}  // namespace factosim::testing
