#include "models/applications/application.hpp"

#include <stdexcept>

#include "factosim/error.hpp"
#include "models/applications/task_formulas.hpp"
#include "models/applications/tile_formats.hpp"

/// To add an application: write NAME.cpp in this folder, which defines `std::unique_ptr<Application const> NAME_application()`,
/// and add its name here.
#define FACTOSIM_APPLICATIONS(add) add(lu) add(cholesky) add(qr) add(gemm) add(syrk) add(exageostat)

namespace factosim {

KeyValue const& value_of(ApplicationParameters const& p, ApplicationKey const& key) {
  auto const given = p.own_values.find(key.name);
  return given == p.own_values.end() ? key.default_value : given->second;
}

KeyValue const& value_of(ApplicationParameters const& p, std::span<ApplicationKey const> keys,
                         std::string_view name) {
  auto const key = std::ranges::find(keys, name, &ApplicationKey::name);
  if (key == keys.end()) throw std::out_of_range("unknown key " + std::string(name));
  return value_of(p, *key);
}

IterationRange computed_iterations(ApplicationParameters const& p) {
  int const end = std::min(p.iterations.end, p.nt);
  return {std::min(p.iterations.first, end), end};
}

std::int64_t matrix_rows(ApplicationParameters const& p) { return p.n ? *p.n : std::int64_t{p.nt} * p.nb; }

int rows_of_tile(ApplicationParameters const& p, int m) {
  return p.n && m == p.nt - 1 ? *p.n - (p.nt - 1) * p.nb : p.nb;
}

Bytes tile_bytes(ApplicationParameters const& p) {
  return Bytes{static_cast<std::int64_t>(p.nb) * p.nb * element_bytes(p.precision)};
}

std::unique_ptr<TaskFormulas> Application::formulas(ApplicationParameters const& /*parameters*/) const {
  return nullptr;
}

std::uint64_t Application::tiles_sent(ApplicationParameters const& /*p*/, TileMap const& /*map*/) const {
  FACTOSIM_ALWAYS(false, "an application without a closed form of its messages");
  return 0;
}

PhaseSteps Application::phase_steps(int /*nt*/) const {
  FACTOSIM_ALWAYS(false, "an application that generates no tiles");
  return {};
}

std::optional<RuntimeDefaults> Application::runtime_defaults(ApplicationParameters const& /*p*/) const {
  return {};
}

bool Application::depends_on_map(ApplicationParameters const& parameters) const {
  return graph_depends_on_map ||
         (parameters.formats && parameters.formats->conversion != ConversionPlace::sender);
}

Flops Application::update_flops(ApplicationParameters const& parameters) const {
  auto const [costed, kinds] = factorization_kernels(parameters);
  auto const update = std::ranges::find(kinds, TaskKind::update);
  FACTOSIM_EXPECT(kinds.size() == costed.size() && update != kinds.end(), "a kernel that updates tiles");
  return costed[static_cast<std::size_t>(update - kinds.begin())].flops;
}

#define FACTOSIM_DECLARE(name) std::unique_ptr<Application const> name##_application();
FACTOSIM_APPLICATIONS(FACTOSIM_DECLARE)
#undef FACTOSIM_DECLARE

namespace {

std::size_t revision = 0;

std::vector<std::unique_ptr<Application const>>& registry() {
  static auto all = [] {
    std::vector<std::unique_ptr<Application const>> out;
#define FACTOSIM_ADD(name) out.push_back(name##_application());
    FACTOSIM_APPLICATIONS(FACTOSIM_ADD)
#undef FACTOSIM_ADD
    return out;
  }();
  return all;
}

#undef FACTOSIM_APPLICATIONS

}  // namespace

std::vector<std::reference_wrapper<Application const>> applications() {
  std::vector<std::reference_wrapper<Application const>> out;
  for (auto const& known : registry()) out.emplace_back(*known);
  return out;
}

Application const& application(std::string_view name) {
  for (auto const& candidate : registry())
    if (candidate->name == name) return *candidate;
  throw std::out_of_range("unknown application " + std::string(name));
}

std::vector<std::string> application_names() {
  std::vector<std::string> out;
  for (auto const& known : registry()) out.push_back(known->name);
  return out;
}

std::size_t registry_revision() { return revision; }

AddedApplication::AddedApplication(std::unique_ptr<Application const> added) {
  registry().push_back(std::move(added));
  ++revision;
}

AddedApplication::~AddedApplication() {
  registry().pop_back();
  ++revision;
}

}  // namespace factosim
