// A process that ends leaves no incomplete file behind, or one that the next process removes.

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "simulator/base/os/atomic_file.hpp"
#include "tests/prelude.hpp"

using namespace factosim;
namespace fs = std::filesystem;

namespace {

std::set<std::string> files_in(fs::path const& folder) {
  std::set<std::string> names;
  for (auto const& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

/// The status of a child process that does `work` and ends by a signal in it.
int status_of_child(std::function<void()> const& work) {
  pid_t const child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

std::string host() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a signal removes files that are being written and then ends the process") {
    for (int const signal : {SIGINT, SIGTERM, SIGHUP}) {
      testing::TemporaryFolder const folder;
      write_file_atomically(folder / "earlier", "kept");
      int const status = status_of_child([&] {
        ::signal(signal, SIG_DFL);  // undoes what the parent of the tests may have set
        UnfinishedFiles::watch_signals();
        AtomicFile finished(folder / "finished");
        finished.write("whole");
        finished.commit();
        AtomicFile first(folder / "earlier");
        AtomicFile second(folder / "second");
        first.write("half");
        second.write("half");
        ::raise(signal);
      });
      CHECK(WIFSIGNALED(status));
      CHECK(WTERMSIG(status) == signal);
      CHECK(files_in(folder.path()) == std::set<std::string>{"earlier", "finished"});
      CHECK(testing::text_of(folder / "earlier") == "kept");
    }
  }

  TEST_CASE("a child does not remove what its parent writes") {
    testing::TemporaryFolder const folder;
    AtomicFile file(folder / "result");
    int const status = status_of_child([] {
      UnfinishedFiles::watch_signals();
      ::raise(SIGTERM);
    });
    CHECK(WIFSIGNALED(status));
    file.write("whole");
    file.commit();
    CHECK(files_in(folder.path()) == std::set<std::string>{"result"});
  }

  TEST_CASE("what a killed process left is cleared away and nothing else") {
    testing::TemporaryFolder const folder;
    (void)status_of_child([&] {
      AtomicFile file(folder / "result.json");
      file.write("half");
      ::raise(SIGKILL);
    });
    CHECK(files_in(folder.path()).size() == 1);
    std::string const elsewhere = "a.other-host.1.0123456789abcdef.part";
    std::string const no_number = "b." + host() + ".x.0123456789abcdef.part";
    std::string const no_end = "c." + host() + ".99999999.txt";
    for (std::string const& name : {elsewhere, no_number, no_end, std::string("notes.part")})
      folder.write(name, "");
    std::set<std::string> const others{elsewhere, no_number, no_end, "notes.part"};
    AtomicFile mine(folder / "mine");
    remove_abandoned_files(folder.path());
    auto left = files_in(folder.path());
    CHECK(std::erase_if(left, [](std::string const& name) {
            return name.starts_with(fmt::format("mine.{}.{}.", host(), ::getpid()));
          }) == 1);
    CHECK(left == others);
    CHECK_NOTHROW(remove_abandoned_files(folder / "no such folder"));
  }

  TEST_CASE("more files than are watched can be written at once") {
    testing::TemporaryFolder const folder;
    std::vector<std::unique_ptr<AtomicFile>> files;
    for (int i = 0; i < 100; ++i) files.push_back(std::make_unique<AtomicFile>(folder / std::to_string(i)));
    for (auto const& file : files) file->commit();
    CHECK(files_in(folder.path()).size() == 100);
    files.clear();
    AtomicFile again(folder / "again");
    again.commit();
  }
}
