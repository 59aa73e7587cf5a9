#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/applications/application.hpp"

namespace factosim {

/// All applications, in the order in which messages list them. Addresses stay valid.
[[nodiscard]] std::vector<std::reference_wrapper<Application const>> applications();
/// Returns the application of that name. Throws std::out_of_range if there is none.
Application const& application(std::string_view name);
[[nodiscard]] std::vector<std::string> application_names();
/// Increases with each change of the registry.
[[nodiscard]] std::size_t registry_revision();

/// Registers an application for the lifetime of this object: for programs that bring their own. Not
/// thread-safe; objects are destroyed in the reverse order of their construction.
class AddedApplication {
 public:
  explicit AddedApplication(std::unique_ptr<Application const> added);
  ~AddedApplication();
  AddedApplication(AddedApplication const&) = delete;
  AddedApplication& operator=(AddedApplication const&) = delete;
};

}  // namespace factosim
