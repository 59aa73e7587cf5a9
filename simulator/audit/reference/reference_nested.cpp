#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "simulator/audit/reference/reference_flow.hpp"

namespace factosim::audit {

namespace {

/// The name by which a kernel's operation is known.
std::string const& operation_of(Reference::KernelCost const& kernel) {
  return kernel.timing.empty() ? kernel.name : kernel.timing;
}

/// The operations on parts, by the operation on the tile: A(a, i, j) is that of iteration a on part (i, j).
class Parts {
 public:
  /// The operation of one of LU or Cholesky on a whole tile.
  Parts(bool is_lu, std::string_view whole)
      : is_lu_(is_lu),
        factors_(whole == "potrf" || whole == "getrf"),
        solves_column_(whole == "trsm" || whole == "trsm_ru"),
        solves_row_(whole == "trsm_ll"),
        on_diagonal_(whole == "potrf" || whole == "syrk") {}

  [[nodiscard]] bool has(int a, int i, int j) const {
    if (on_diagonal_ && i < j) return false;
    if (factors_) return i >= a && j >= a;
    return solves_column_ ? j >= a : !solves_row_ || i >= a;
  }
  [[nodiscard]] bool is_panel(int a, int i, int j) const {
    return (factors_ && (i == a || j == a)) || (solves_column_ && j == a) || (solves_row_ && i == a);
  }
  [[nodiscard]] char const* operation(int a, int i, int j) const {
    if (is_panel(a, i, j)) {
      if (factors_ && i == j) return is_lu_ ? "getrf" : "potrf";
      if (!is_lu_) return "trsm";
      return solves_row_ || (factors_ && i == a) ? "trsm_ll" : "trsm_ru";
    }
    return on_diagonal_ && i == j ? "syrk" : "gemm";
  }
  /// The iteration after which the part of the written tile is final.
  [[nodiscard]] int last(int parts, int i, int j) const {
    return factors_ ? std::min(i, j) : solves_column_ ? j : solves_row_ ? i : parts - 1;
  }
  /// Whether the first and the second operand of an operation are parts of the written tile.
  [[nodiscard]] bool first_is_part() const { return factors_ || solves_column_; }
  [[nodiscard]] bool second_is_part() const { return factors_ || solves_row_; }
  /// Whether the triangle that a solve reads is.
  [[nodiscard]] bool triangle_is_part() const { return factors_; }

 private:
  bool is_lu_, factors_, solves_column_, solves_row_, on_diagonal_;
};

/// Returns whether a kernel computes on full tiles only: tasks of others have no parts.
bool is_split(Reference::KernelCost const& kernel, bool is_lu) {
  std::string const& name = operation_of(kernel);
  if (name == "gemm") return true;
  return is_lu ? name == "getrf" || name == "trsm_ll" || name == "trsm_ru"
               : name == "potrf" || name == "trsm" || name == "syrk";
}

/// The kernels of a program and those of parts of its tasks.
struct NestedKernels {
  bool is_lu = false;
  int nb = 0;  // of parts
  Precision usual = Precision::double_;
  std::vector<Reference::KernelCost> all{};
  std::map<std::string, std::int32_t, std::less<>> numbers{};

  [[nodiscard]] std::string name_of_part(std::string_view operation,
                                         Reference::KernelCost const& whole) const {
    std::string out = fmt::format("{}_{}", operation, nb);
    if (whole.precision.value_or(usual) != usual) out += "_" + std::string(name_of(*whole.precision));
    return out;
  }
  void add(std::string_view operation, double flops, Reference::KernelCost const& whole) {
    std::string const name = name_of_part(operation, whole);
    if (numbers.emplace(name, static_cast<std::int32_t>(all.size())).second)
      all.push_back({name, flops, std::string(operation), whole.precision, nb});
  }
  [[nodiscard]] bool splits(std::int32_t kernel) const {
    return is_split(all[static_cast<std::size_t>(kernel)], is_lu);
  }
};

/// Takes the tasks of a program on whole tiles, and passes on those on parts of full ones.
class Nested final : public ReferenceSink {
 public:
  Nested(int parts, NestedKernels const& kernels, ReferenceSink& out)
      : p_(parts), kernels_(kernels), out_(out) {}

  void task(ReferenceTask const& given) override {
    given_ = &given;
    task_ = given;
    for (TaskName& before : task_.after) before = end_of(before);
    if (!kernels_.splits(given.name.kernel)) return out_.task(task_);
    Parts const parts(kernels_.is_lu, operation_of(kernel()));
    for (int a = 0; a < p_; ++a) {
      for (int i = 0; i < p_; ++i) {
        if (parts.has(a, a, i) && parts.is_panel(a, a, i)) send(parts, a, a, i);
        if (i != a && parts.has(a, i, a) && parts.is_panel(a, i, a)) send(parts, a, i, a);
      }
      // Updates: of LU row by row, of Cholesky column by column.
      for (int outer = 0; outer < p_; ++outer)
        for (int inner = 0; inner < p_; ++inner) {
          int const i = kernels_.is_lu ? outer : inner, j = kernels_.is_lu ? inner : outer;
          if (parts.has(a, i, j) && !parts.is_panel(a, i, j)) send(parts, a, i, j);
        }
    }
    send_end(parts);
  }
  void barrier() override { out_.barrier(); }
  void flush_cache() override { out_.flush_cache(); }

 private:
  using Key = std::tuple<DataKind, std::int32_t, std::int32_t, std::int32_t>;

  [[nodiscard]] Reference::KernelCost const& kernel() const {
    return kernels_.all[static_cast<std::size_t>(given_->name.kernel)];
  }
  [[nodiscard]] TaskName name(Parts const& parts, int a, int i, int j) const {
    TaskName const& whole = given_->name;
    return {kernels_.numbers.find(kernels_.name_of_part(parts.operation(a, i, j), kernel()))->second,
            whole.k * p_ + a, whole.m * p_ + i, whole.n * p_ + j, whole.iteration};
  }
  /// The task after which the task's tile is whole.
  [[nodiscard]] TaskName end_of(TaskName task) const {
    if (kernels_.splits(task.kernel)) task.kernel = kernels_.numbers.find("unpartition")->second;
    return task;
  }
  [[nodiscard]] Datum part(int i, int j) const {
    Datum out = given_->uses.back().first;
    out.matrix = -(1 + (out.matrix * p_ + i) * p_ + j);
    return out;
  }
  [[nodiscard]] bool keeps_content() const { return reads(given_->uses.back().second); }

  void use(Datum const& datum, Access mode) {
    if (!task_.uses.empty() && task_.uses.back().first == datum) return;  // both operands
    task_.uses.emplace_back(datum, mode);
  }
  void follow(TaskName const& before) {
    if (std::ranges::find(task_.after, before) == task_.after.end()) task_.after.push_back(before);
  }
  /// Of the tasks before the whole one: those that write the datum, or convert it into a copy.
  void follow_writers(Datum const& datum) {
    for (TaskName const& before : given_->after) {
      bool const converts =
          kernels_.all[static_cast<std::size_t>(before.kernel)].name.starts_with("convert_");
      bool const is_copy = datum.kind == DataKind::tile && datum.matrix > 0;
      if (converts == is_copy && before.m == datum.m && (converts || before.n == datum.n))
        follow(end_of(before));
    }
  }
  void read_input(std::size_t input) {
    Datum const& datum = given_->uses[input].first;
    use(datum, Access::read);
    follow_writers(datum);
  }
  void read_part(Parts const& parts, int a, int i, int j) {
    use(part(i, j), Access::read);
    follow(name(parts, a, i, j));
  }

  void send(Parts const& parts, int a, int i, int j) {
    std::size_t const last_input = given_->uses.size() - 2;  // if there is one
    task_.name = name(parts, a, i, j);
    task_.writes_back = false;
    task_.uses.clear();
    task_.after.clear();
    if (parts.is_panel(a, i, j)) {
      bool const is_triangle = parts.triangle_is_part() && i == j;
      if (parts.triangle_is_part() && !is_triangle) read_part(parts, a, a, a);
      if (!parts.triangle_is_part()) read_input(0);
    } else {
      parts.first_is_part() ? read_part(parts, a, i, a) : read_input(0);
      bool const is_symmetric = parts.operation(a, i, j) == std::string_view("syrk");
      if (!is_symmetric && parts.second_is_part())
        kernels_.is_lu ? read_part(parts, a, a, j) : read_part(parts, a, j, a);
      if (!is_symmetric && !parts.second_is_part()) read_input(last_input);
    }
    if (a == 0 && keeps_content()) {
      use(given_->uses.back().first, Access::read);
      follow_writers(given_->uses.back().first);
    }
    if (a == 0)
      if (auto const known = ends_.find(key(part(i, j))); known != ends_.end()) follow(known->second);
    if (a > 0) follow(name(parts, a - 1, i, j));
    task_.uses.emplace_back(part(i, j), a > 0 ? Access::read_write : Access::write);
    out_.task(task_);
  }

  /// All parts are read into the tile, which the first tasks on them have read.
  void send_end(Parts const& parts) {
    task_.name = end_of(given_->name);
    task_.writes_back = given_->writes_back;
    task_.uses.clear();
    task_.after.clear();
    for (int i = 0; i < p_; ++i)
      for (int j = 0; j < p_; ++j) {
        int const last = parts.last(p_, i, j);
        if (!parts.has(last, i, j)) continue;
        read_part(parts, last, i, j);
        if (keeps_content()) follow(name(parts, 0, i, j));
        ends_[key(part(i, j))] = task_.name;
      }
    task_.uses.emplace_back(given_->uses.back().first, Access::write);
    out_.task(task_);
  }
  static Key key(Datum const& d) { return {d.kind, d.matrix, d.m, d.n}; }

  int p_;
  NestedKernels const& kernels_;
  ReferenceSink& out_;
  ReferenceTask const* given_ = nullptr;
  ReferenceTask task_;
  std::map<Key, TaskName> ends_;  // by part
};

}  // namespace

bool is_nested(ReferenceProblem const& p) { return p.keys.contains("nested"); }

Reference nested(Reference reference, ReferenceProblem const& p) {
  nlohmann::json const& keys = p.keys.at("nested");
  int const parts = keys.contains("split") ? keys.at("split").get<int>() : p.nb / keys.at("tile").get<int>();
  NestedKernels kernels{.is_lu = p.application == "lu",
                        .nb = p.nb / parts,
                        .usual = *precision_named(p.key("precision")),
                        .all = reference.kernels};
  double const cube = std::pow(kernels.nb, 3);
  for (Reference::KernelCost const& whole : reference.kernels) {
    if (!is_split(whole, kernels.is_lu)) continue;
    kernels.add("gemm", 2 * cube, whole);
    if (kernels.is_lu) kernels.add("getrf", 2 * cube / 3, whole);
    if (!kernels.is_lu) kernels.add("potrf", cube / 3, whole);
    for (char const* const name :
         kernels.is_lu ? std::array{"trsm_ll", "trsm_ru"} : std::array{"trsm", "syrk"})
      kernels.add(name, cube, whole);
  }
  kernels.numbers["unpartition"] = static_cast<std::int32_t>(kernels.all.size());
  kernels.all.push_back({"unpartition", 0});
  Reference out;
  out.kernels = kernels.all;
  out.temporary = reference.temporary;
  out.bytes = [bytes = reference.bytes](Datum const& d) { return d.matrix < 0 ? 0 : bytes(d); };
  out.submit = [submit = std::move(reference.submit), kernels = std::move(kernels),
                parts](ReferenceSink& sink) {
    Nested nested(parts, kernels, sink);
    submit(nested);
  };
  return out;
}

}  // namespace factosim::audit
