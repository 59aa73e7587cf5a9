#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace factosim {

/// A part of the Python package that any interpreter runs: a folder with a command.py that needs no other part (_tool.py beside
/// it says how it ends).
struct PythonPackage {
  std::string_view folder;  // "figures"
  std::string_view action;  // what it does to its input: "drawn"
  std::string_view without_python = "there is no python3, and this needs it";
  std::string_view needs = "this needs Python 3.9 or later";
  std::string_view install = "python3; others: python.org";  // in Debian, and elsewhere
  std::string_view otherwise{};  // ends messages: ", or give a name that ends in .csv or .json"
};

/// Returns the words that run the package, by the first interpreter that has what it needs: FACTOSIM_PYTHON, else python3.
/// Throws InputError, which names `where`, if there is none.
std::vector<std::string> python_command(PythonPackage const& package, std::string const& where);

/// Returns what the package prints. Throws InputError, also if it refuses its input or fails.
[[nodiscard]] std::string run_in_python(PythonPackage const& package,
                                        std::vector<std::string> const& arguments, std::string_view input,
                                        std::string const& where);

}  // namespace factosim
