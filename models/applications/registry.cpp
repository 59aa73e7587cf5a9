#include "models/applications/registry.hpp"

#include <stdexcept>
#include <utility>

/// To add an application: write NAME.cpp in this folder, which defines `std::unique_ptr<Application const> NAME_application()`,
/// and add its name here.
#define FACTOSIM_APPLICATIONS(add) add(lu) add(cholesky) add(qr) add(gemm) add(syrk) add(exageostat)

namespace factosim {

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
