#include "simulator/base/os/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "simulator/base/core/input_files.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {
std::vector<std::string> called;  // of the functions below, in this process
}

// Take the place of those of the C library, note the call, and do what they do.
extern "C" int fsync(int descriptor) {
  struct stat about {};
  called.emplace_back(::fstat(descriptor, &about) == 0 && S_ISDIR(about.st_mode) ? "fsync folder"
                                                                                 : "fsync file");
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}
extern "C" int rename(char const* from, char const* to) noexcept {
  called.emplace_back("rename");
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

TEST_SUITE("unit") {
  TEST_CASE("a file appears when committed and not before") {
    testing::TemporaryFolder const folder;
    {
      AtomicFile file(folder / "a");
      file.write("half");
      CHECK_FALSE(std::filesystem::exists(folder / "a"));
    }
    CHECK(std::filesystem::is_empty(folder / ""));
    write_file_atomically(folder / "a", "whole");
    CHECK(testing::text_of(folder / "a") == "whole");
    CHECK(std::distance(std::filesystem::directory_iterator(folder / ""), {}) == 1);
  }

  TEST_CASE("only regular files are replaced") {
    testing::TemporaryFolder const folder;
    folder.write("kept", "kept");
    std::filesystem::create_directory(folder / "folder");
    std::filesystem::create_symlink(folder / "kept", folder / "link");
    std::filesystem::create_symlink(folder / "nowhere", folder / "dangling");
    REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    for (auto const& [name, kind] : {std::pair{"folder", "folder"},
                                     {"link", "symbolic link"},
                                     {"dangling", "symbolic link"},
                                     {"fifo", "FIFO"}}) {
      CAPTURE(name);
      CHECK(testing::message_of([&] { write_file_atomically(folder / name, "new"); }) ==
            fmt::format("{}#: is a {} (only regular files are replaced). Give another name",
                        (folder / name).string(), kind));
    }
    CHECK_THROWS_AS(write_file_atomically("/dev/null", "new"), InputError);
    CHECK(std::filesystem::is_character_file("/dev/null"));
    CHECK(testing::text_of(folder / "kept") == "kept");
    CHECK(std::filesystem::is_symlink(folder / "link"));
    AtomicFile late(folder / "late");
    std::filesystem::create_symlink(folder / "kept", folder / "late");
    CHECK_THROWS_AS(late.commit(), InputError);
    CHECK(testing::text_of(folder / "kept") == "kept");
  }

  TEST_CASE("an input is not replaced under any name") {
    testing::TemporaryFolder const folder;
    InputFiles::add(folder.write("input", "precious"));
    std::filesystem::create_hard_link(folder / "input", folder / "other");
    for (char const* name : {"input", "other"})
      CHECK(testing::contains(testing::message_of([&] { write_file_atomically(folder / name, "new"); }),
                              "is an input of this command (it would be lost)"));
    CHECK(testing::text_of(folder / "input") == "precious");
  }

  TEST_CASE("a replaced file keeps its permissions and a new one has those of the process") {
    testing::TemporaryFolder const folder;
    auto const permissions = [&](char const* name) {
      return static_cast<unsigned>(std::filesystem::status(folder / name).permissions());
    };
    for (unsigned const mode : {0600U, 0640U, 0444U}) {
      folder.write("secret", "old");
      std::filesystem::permissions(folder / "secret", std::filesystem::perms{mode});
      write_file_atomically(folder / "secret", "new");
      CHECK(permissions("secret") == mode);
      std::filesystem::remove(folder / "secret");
    }
    mode_t const before = ::umask(027);
    write_file_atomically(folder / "new", "new");
    ::umask(before);
    CHECK(permissions("new") == 0640);
  }

  TEST_CASE("a file is on the disk before it is renamed and its folder after that") {
    testing::TemporaryFolder const folder;
    called.clear();
    write_file_atomically(folder / "result", "whole");
    CHECK(called == std::vector<std::string>{"fsync file", "rename", "fsync folder"});
  }

  TEST_CASE("a link with a predictable name is not written through") {
    testing::TemporaryFolder const folder;
    folder.write("victim", "precious");
    std::array<char, 256> host{};
    REQUIRE(::gethostname(host.data(), host.size() - 1) == 0);
    std::filesystem::create_symlink(folder / "victim",
                                    folder / fmt::format("result.{}.{}.part", host.data(), ::getpid()));
    write_file_atomically(folder / "result", "whole");
    CHECK(testing::text_of(folder / "victim") == "precious");
    CHECK(std::filesystem::is_regular_file(std::filesystem::symlink_status(folder / "result")));
    AtomicFile first(folder / "twice"), second(folder / "twice");  // under different names
    first.write("first");
    first.commit();
    CHECK(testing::text_of(folder / "twice") == "first");
  }

  TEST_CASE("a lock of a folder ends with its process") {
    testing::TemporaryFolder const folder;
    std::array<int, 2> ready{};
    REQUIRE(::pipe(ready.data()) == 0);
    pid_t const child = ::fork();
    if (child == 0) {
      FolderLock const lock(folder.path());
      (void)!::write(ready[1], "x", 1);
      ::pause();
      ::_exit(0);
    }
    char ignored = 0;
    REQUIRE(::read(ready[0], &ignored, 1) == 1);
    CHECK(testing::contains(testing::message_of([&] { FolderLock const lock(folder.path()); }),
                            "is in use by another run"));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (int const end : ready) ::close(end);
    CHECK_NOTHROW(FolderLock(folder.path()));
    CHECK_NOTHROW(FolderLock(folder / "none"));
    CHECK(std::filesystem::is_empty(folder.path()));
  }

  TEST_CASE("a folder that is not there is an input error") {
    testing::TemporaryFolder const folder;
    CHECK_THROWS_AS(write_file_atomically(folder / "none" / "a", "x"), InputError);
  }
}
