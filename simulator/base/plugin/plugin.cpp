#include "simulator/base/plugin/plugin.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>

#include "simulator/base/core/content_hash.hpp"
#include "simulator/base/core/exit_code.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/os/atomic_file.hpp"

namespace factosim {

namespace fs = std::filesystem;

namespace {

constexpr char const* plugin_folders =
    "FACTOSIM_PLUGINS";  // variable of the environment: folders, as in PATH

/// Name of the symbol, and what is required, of each kind of plug-in.
struct Kind {
  char const* symbol;
  char const* what;  // "policy"
  std::size_t size;  // of its struct in the first version of the interface
};

Kind kind_of(factosim_policy const* /*offer*/) {
  return {"factosim_policy_1", "policy", offsetof(factosim_policy, finished) + sizeof(void*)};
}
Kind kind_of(factosim_distribution const* /*offer*/) {
  return {"factosim_distribution_1", "distribution", offsetof(factosim_distribution, owners) + sizeof(void*)};
}

bool complete(factosim_policy const& p) {
  return p.create != nullptr && p.destroy != nullptr && p.traits != nullptr && p.push != nullptr &&
         p.pop != nullptr;
}
bool complete(factosim_distribution const& d) { return d.owners != nullptr; }

/// Returns what is wrong with a table of keys, if anything.
std::optional<std::string> fault_of(std::span<factosim_key const> keys) {
  if (keys.data() == nullptr && !keys.empty()) return "has no table of keys (its number is not 0)";
  for (factosim_key const& key : keys) {
    if (key.name == nullptr || *key.name == 0) return "has a key without a name";
    for (char const* const reserved : {"type", "checksum", "generation", "$comment"})
      if (std::strcmp(key.name, reserved) == 0)
        return fmt::format("has a key \"{}\" (factosim has one of that name)", reserved);
    if (key.kind < FACTOSIM_BOOLEAN || key.kind > FACTOSIM_NUMBERS)
      return fmt::format("has a key \"{}\" of an unknown kind ({})", key.name, static_cast<int>(key.kind));
  }
  return {};
}

/// Throws InputError unless the environment allows libraries of that folder, or of one above it.
void require_allowed(PluginFile const& file) {
  fs::path const folder = fs::canonical(file.path).parent_path();
  char const* const allowed = std::getenv(plugin_folders);
  std::string_view rest = allowed == nullptr ? "" : allowed;
  while (!rest.empty()) {
    std::string_view const name = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    std::error_code missing;
    fs::path const one = fs::canonical(name, missing);
    if (!missing && std::ranges::mismatch(one, folder).in1 == one.end()) return;
  }
  throw InputError(file.where, fmt::format("names the library {} (it is code that would run here, which only "
                                           "you decide). Allow its folder: {}={} factosim ...",
                                           file.name, plugin_folders, folder.string()));
}

void* load(PluginFile const& file) {
  // Its own name could be searched for in the folders of the system.
  std::string const path = std::filesystem::absolute(file.path).string();
  PluginCall::watch_crashes();
  return call_plugin(file, "its initialisation", [&] {
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    return library;
  });
}

}  // namespace

template <class Offer>
Plugin<Offer>::Plugin(PluginFile file) : file_(std::move(file)) {
  if (!std::filesystem::is_regular_file(file_.path))
    throw InputError(file_.where,
                     fmt::format("names {} (there is no such file). Build the plug-in, or correct the path; "
                                 "relative paths start from the folder of the scenario",
                                 file_.name));
  require_allowed(file_);
  checksum_ = file_hash(file_.path);
  void* const library = load(file_);
  if (library == nullptr) {
    char const* const why = ::dlerror();
    throw InputError(file_.where,
                     fmt::format("{} cannot be loaded ({}). Build it as a shared library for this machine",
                                 file_.name, why == nullptr ? "no reason is given" : why));
  }
  Kind const kind = kind_of(static_cast<Offer const*>(nullptr));
  offer_ = static_cast<Offer const*>(::dlsym(library, kind.symbol));
  auto const refuse = [&](std::string const& why) {
    throw InputError(file_.where,
                     fmt::format("{} {}. Correct it, and build it with <factosim/plugin.h> of this version",
                                 file_.name, why));
  };
  if (offer_ == nullptr) refuse(fmt::format("offers no {} (it has no object {})", kind.what, kind.symbol));
  if (offer_->size < kind.size)
    refuse(fmt::format("offers a {} of {} bytes ({} are needed)", kind.what, offer_->size, kind.size));
  if (!complete(*offer_)) refuse(fmt::format("offers a {} without a function that is required", kind.what));
  if (auto const fault = fault_of(keys())) refuse(*fault);
}

template <class Offer>
void Plugin<Offer>::check(PluginValues const& values) const {
  if (offer_->check == nullptr) return;
  factosim_problem problem{.key = -1, .text = {}};
  if (call_plugin(file_, "check", [&] { return offer_->check(values.data(), &problem); }) != 0)
    fail_with(file_, keys(), problem);
}

template class Plugin<factosim_policy>;
template class Plugin<factosim_distribution>;

PluginValues::PluginValues(std::span<factosim_key const> keys, std::vector<OptionValue> values)
    : keys_(keys), values_(std::move(values)) {
  for (OptionValue const& value : values_) {
    factosim_value& passed = passed_.emplace_back();
    if (auto const* const x = std::get_if<bool>(&value)) passed.number = *x ? 1 : 0;
    if (auto const* const x = std::get_if<std::int64_t>(&value)) passed.number = static_cast<double>(*x);
    if (auto const* const x = std::get_if<double>(&value)) passed.number = *x;
    if (auto const* const x = std::get_if<std::string>(&value)) passed.text = x->c_str();
    if (auto const* const x = std::get_if<std::vector<double>>(&value)) {
      passed.numbers = x->data();
      passed.count = x->size();
    }
  }
}

std::vector<std::pair<std::string, OptionValue>> PluginValues::named() const {
  std::vector<std::pair<std::string, OptionValue>> out;
  for (std::size_t k = 0; k < keys_.size(); ++k) out.emplace_back(keys_[k].name, values_[k]);
  return out;
}

namespace {

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/// Memory for the handler: a crash may have exhausted the stack.
constexpr std::size_t handler_stack = std::size_t{64} << 10U;

void print(char const* text) {
  // Nothing can be done about an error here.
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, text, std::strlen(text));
}

}  // namespace

thread_local PluginCall::Current PluginCall::current;

PluginCall::~PluginCall() {
  if (std::fegetround() != FE_TONEAREST || ::fegetexcept() != 0) std::fesetenv(FE_DFL_ENV);
  current = before_;
}

/// Calls only functions that a signal handler may call.
void PluginCall::end(char const* what) {
  for (char const* const part : {current.file->where.c_str(), ": ", current.file->name.c_str(), what,
                                 current.function, ". Run it in a debugger\n"})
    print(part);
  current = {};
  UnfinishedFiles::remove_all();
  ::_exit(static_cast<int>(ExitCode::bad_input));
}

void PluginCall::on_crash(int signal) {
  if (current.file == nullptr) {
    std::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  end(signal == SIGSEGV || signal == SIGBUS ? " crashed (invalid memory access) in "
      : signal == SIGFPE                    ? " crashed (invalid arithmetic operation) in "
      : signal == SIGILL                    ? " crashed (invalid instruction) in "
                                            : " crashed (abort) in ");
}

void PluginCall::on_exit() {
  if (current.file != nullptr) end(" ended the program in ");
}

void PluginCall::watch_crashes() {
  static bool const once = [] {
    static std::array<char, handler_stack> stack;
    stack_t on{};
    on.ss_sp = stack.data();
    on.ss_size = stack.size();
    ::sigaltstack(&on, nullptr);
    struct sigaction action {};
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (int const signal : crashes) ::sigaction(signal, &action, nullptr);
    std::atexit(on_exit);
    ::at_quick_exit(on_exit);
    return true;
  }();
  static_cast<void>(once);
}

void fail_with(PluginFile const& file, std::span<factosim_key const> keys, factosim_problem const& problem) {
  std::string const text(problem.text, ::strnlen(problem.text, sizeof problem.text));
  bool const of_key = problem.key >= 0 && static_cast<std::size_t>(problem.key) < keys.size();
  std::string where = file.where;
  if (of_key)
    where = where.substr(0, where.rfind('/') + 1) + keys[static_cast<std::size_t>(problem.key)].name;
  throw InputError(where,
                   text.empty()
                       ? fmt::format("{} refuses its keys (it does not say why). Ask its author", file.name)
                       : fmt::format("{} says: {}", file.name, text));
}

}  // namespace factosim
