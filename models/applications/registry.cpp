#include "models/applications/registry.hpp"

#include <stdexcept>

#include "simulator/base/core/named_values.hpp"

/// To add an application: write NAME.cpp in this folder, which defines `Application NAME_application()`, and
/// add its line here.
#define FACTOSIM_APPLICATIONS(add) add(lu) add(cholesky) add(qr) add(gemm) add(syrk) add(exageostat)

namespace factosim {

#define FACTOSIM_DECLARE(name) Application name##_application();
FACTOSIM_APPLICATIONS(FACTOSIM_DECLARE)
#undef FACTOSIM_DECLARE

namespace {

std::size_t revision = 0;

std::deque<Application>& registry() {
#define FACTOSIM_MAKE(name) name##_application(),
  static std::deque<Application> all{FACTOSIM_APPLICATIONS(FACTOSIM_MAKE)};
#undef FACTOSIM_MAKE
  return all;
}

#undef FACTOSIM_APPLICATIONS

}  // namespace

std::deque<Application> const& applications() { return registry(); }

Application const& application(std::string_view name) {
  for (Application const& candidate : applications())
    if (candidate.name == name) return candidate;
  throw std::out_of_range("unknown application " + std::string(name));
}

std::vector<std::string> application_names() { return names_of(applications()); }

std::size_t registry_revision() { return revision; }

AddedApplication::AddedApplication(Application added) {
  registry().push_back(std::move(added));
  ++revision;
}

AddedApplication::~AddedApplication() {
  registry().pop_back();
  ++revision;
}

}  // namespace factosim
