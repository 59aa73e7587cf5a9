#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace factosim::test {

/// A folder that lives as long as the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "factosim-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(TemporaryFolder const&) = delete;
  TemporaryFolder& operator=(TemporaryFolder const&) = delete;

  [[nodiscard]] std::filesystem::path operator/(std::string const& name) const { return path_ / name; }
  std::filesystem::path write(std::string const& name, std::string const& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_text(std::filesystem::path const& file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

inline std::filesystem::path source_dir() { return FACTOSIM_SOURCE_DIR; }

/// What a run of the program gave.
struct ProgramRun {
  int code = 0;
  std::string out, err;
};

/// Runs the built program with the given arguments (as a shell reads them) in a process of its own.
inline ProgramRun run_factosim(std::string const& arguments) {
  TemporaryFolder const folder;
  std::string const command = "'" FACTOSIM_PROGRAM "' " + arguments + " >'" + (folder / "out").string() +
                              "' 2>'" + (folder / "err").string() + "' </dev/null";
  int const status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(folder / "out"), read_text(folder / "err")};
}

}  // namespace factosim::test
