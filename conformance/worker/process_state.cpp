// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/process_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <clocale>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

namespace concord::conformance {

class ProcessState::Changes {
 public:
  void add(const std::string& change) { text_ += (text_.empty() ? "" : ", ") + change; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_{};
};

namespace {

using Changes = ProcessState::Changes;

std::string current_directory() {
  std::array<char, PATH_MAX> path{};
  return getcwd(path.data(), path.size()) != nullptr ? path.data() : "";
}

// The text behind `name` on its line of /proc/self/status; empty if there is no such line, or no
// end of it.
std::string_view field_of(std::string_view status, std::string_view name) {
  const std::string begin = fmt::format("\n{}:", name);
  const std::size_t at = status.find(begin);
  if (at == std::string_view::npos) return {};
  status.remove_prefix(at + begin.size());
  const std::size_t end = status.find('\n');
  return end == std::string_view::npos ? std::string_view() : status.substr(0, end);
}

// There is no call that only reads it. Another thread of the plugin's may make a file meanwhile, so
// that the mask of a moment is a narrow one.
mode_t creation_mask(std::string_view status) {
  constexpr mode_t kNarrow = 077;
  const std::string told(field_of(status, "Umask"));
  if (!told.empty()) return static_cast<mode_t>(std::strtoul(told.c_str(), nullptr, 8));
  const mode_t mask = umask(kNarrow);
  umask(mask);
  return mask;
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

bool is_handler(const struct sigaction& action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

// Of a signal without a handler one flag counts, which leaves no dead children.
unsigned flags_that_count(int signal, const struct sigaction& action) {
  constexpr unsigned kRestorer = 0x04000000;  // the C library's own, once a handler has been set
  const auto flags = static_cast<unsigned>(action.sa_flags);
  if (is_handler(action)) return flags & ~kRestorer;
  return signal == SIGCHLD ? flags & static_cast<unsigned>(SA_NOCLDWAIT) : 0;
}

bool is_same(int signal, const struct sigaction& a, const struct sigaction& b) {
  return a.sa_handler == b.sa_handler && flags_that_count(signal, a) == flags_that_count(signal, b);
}

// True if the sets of signals that are ignored and caught do not show every change.
bool may_differ_alone(int signal, const struct sigaction& before) {
  return signal == SIGCHLD || is_handler(before);
}

bool is_same(const rlimit& a, const rlimit& b) {
  return a.rlim_cur == b.rlim_cur && a.rlim_max == b.rlim_max;
}

std::string name_of(const std::string& variable) { return variable.substr(0, variable.find('=')); }

bool is_same_environment(const std::vector<std::string>& before) {
  char** now = environ;
  for (const std::string& variable : before) {
    if (now == nullptr || *now == nullptr || variable != *now++) return false;
  }
  return now == nullptr || *now == nullptr;
}

std::vector<std::string> environment() {
  std::vector<std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    variables.emplace_back(*entry);
  }
  return variables;
}

void restore_environment(const std::vector<std::string>& before, Changes& changes) {
  if (is_same_environment(before)) return;
  const std::vector<std::string> now = environment();
  const auto is_in = [](const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  for (const std::string& variable : now) {
    if (!is_in(before, variable)) changes.add("the variable " + name_of(variable) + " is set");
  }
  for (const std::string& variable : before) {
    const std::string name = name_of(variable);
    if (std::none_of(now.begin(), now.end(),
                     [&](const std::string& other) { return name_of(other) == name; })) {
      changes.add("the variable " + name + " is gone");
    }
  }
  clearenv();
  for (const std::string& variable : before) {
    const auto equals = variable.find('=');
    if (equals == std::string::npos) continue;
    setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
  }
}

constexpr const char* kLimitNames[] = {
    "RLIMIT_CPU",      "RLIMIT_FSIZE", "RLIMIT_DATA",   "RLIMIT_STACK",
    "RLIMIT_CORE",     "RLIMIT_RSS",   "RLIMIT_NPROC",  "RLIMIT_NOFILE",
    "RLIMIT_MEMLOCK",  "RLIMIT_AS",    "RLIMIT_LOCKS",  "RLIMIT_SIGPENDING",
    "RLIMIT_MSGQUEUE", "RLIMIT_NICE",  "RLIMIT_RTPRIO", "RLIMIT_RTTIME"};
static_assert(std::size(kLimitNames) == RLIM_NLIMITS);

// The x87 unit: `long double`, and the MMX instructions that share its registers.
void restore_x87([[maybe_unused]] Changes& changes) {
#if defined(__x86_64__)
  // What fnstenv stores in 64-bit mode.
  struct Environment {
    std::uint16_t control, unused_1, status, unused_2, tags, unused_3;
    std::uint32_t pointers[4];
  };
  static_assert(sizeof(Environment) == 28);
  constexpr std::uint16_t kUsualControl = 0x37f, kEmpty = 0xffff;
  Environment now{};
  asm volatile("fnstenv %0" : "=m"(now));
  asm volatile("fldenv %0" : : "m"(now));  // the first has masked all exceptions
  if (now.control == kUsualControl && now.tags == kEmpty) return;
  if (now.control != kUsualControl) {
    changes.add(fmt::format("the x87 control word is {:#x}", now.control));
  }
  if (now.tags != kEmpty) {
    changes.add("registers of the x87 unit are in use, as after MMX without EMMS");
  }
  asm volatile("fninit");
#endif
}

void restore_directory(const std::string& before, Changes& changes) {
  const std::string now = current_directory();
  if (now == before) return;
  changes.add("the current directory is " + (now.empty() ? "gone" : now));
  if (chdir(before.c_str()) != 0) changes.add("it cannot be changed back");
}

void restore_creation_mask(mode_t before, std::string_view status, Changes& changes) {
  const mode_t now = creation_mask(status);
  if (now == before) return;
  changes.add(fmt::format("the umask is {:03o}", now));
  umask(before);
}

void restore_locale(const std::string& before, Changes& changes) {
  if (const std::string now = std::setlocale(LC_ALL, nullptr); now != before) {
    changes.add("the locale is " + now);
    std::setlocale(LC_ALL, before.c_str());
  }
  if (uselocale(nullptr) != LC_GLOBAL_LOCALE) {
    changes.add("the thread has a locale of its own");
    uselocale(LC_GLOBAL_LOCALE);
  }
}

}  // namespace

ProcFile::ProcFile(const char* path) : file_(open(path, O_RDONLY | O_CLOEXEC)) {}

std::string ProcFile::read() const {
  std::array<char, 8192> text;
  const ssize_t bytes = pread(file_.get(), text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))};
}

std::optional<ProcessState::SignalSets> ProcessState::sets_in(const std::string& status) {
  // sigaction() refuses the two that the C library keeps to itself, and catches when it needs them.
  constexpr std::uint64_t kOwn = std::uint64_t{3} << 31;
  const auto set = [&](std::string_view name) -> std::optional<std::uint64_t> {
    const std::string_view field = field_of(status, name);
    const std::size_t digits = std::min(field.find_first_not_of('\t'), field.size());
    std::uint64_t value = 0;
    const char* const end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data() + digits, end, value, 16);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return value & ~kOwn;
  };
  const auto ignored = set("SigIgn"), caught = set("SigCgt");
  if (!ignored || !caught) return std::nullopt;
  return SignalSets{*ignored, *caught};
}

ProcessState::SignalSets ProcessState::sets_of_handlers() const {
  SignalSets sets;
  for (std::size_t signal = 1; signal < kSignals; ++signal) {
    const std::uint64_t bit = std::uint64_t{1} << (signal - 1);
    if (handlers_.at(signal).sa_handler == SIG_IGN) sets.ignored |= bit;
    if (is_handler(handlers_.at(signal))) sets.caught |= bit;
  }
  return sets;
}

ProcessState::ProcessState()
    : limits_text_(limits_file_.read()),
      directory_(current_directory()),
      environment_(environment()),
      locale_(std::setlocale(LC_ALL, nullptr)) {
  const std::string status = status_file_.read();
  creation_mask_ = creation_mask(status);
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked_);
  for (std::size_t signal = 1; signal < kSignals; ++signal) {
    sigaction(static_cast<int>(signal), nullptr, &handlers_.at(signal));
  }
  sets_ = sets_in(status);
  if (sets_ != sets_of_handlers()) sets_.reset();
  for (int i = 0; i < RLIM_NLIMITS; ++i) {
    getrlimit(static_cast<__rlimit_resource>(i), &limits_.at(static_cast<std::size_t>(i)));
  }
}

void ProcessState::restore_signals(const std::string& status, Changes& changes) const {
  const bool only_some = sets_ && sets_in(status) == sets_;
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, &blocked_, &blocked);
  for (std::size_t i = 1; i < handlers_.size(); ++i) {
    const int signal = static_cast<int>(i);
    if (sigismember(&blocked, signal) != sigismember(&blocked_, signal)) {
      changes.add(signal_name(signal) +
                  (sigismember(&blocked, signal) == 1 ? " is blocked" : " is no longer blocked"));
    }
    if (only_some && !may_differ_alone(signal, handlers_.at(i))) continue;
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) != 0 || is_same(signal, now, handlers_.at(i))) continue;
    changes.add(signal_name(signal) + " has another handler");
    sigaction(signal, &handlers_.at(i), nullptr);
  }
}

void ProcessState::restore_limits(Changes& changes) const {
  if (!limits_text_.empty() && limits_file_.read() == limits_text_) return;
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const auto resource = static_cast<__rlimit_resource>(i);
    rlimit now{};
    if (getrlimit(resource, &now) != 0 || is_same(now, limits_.at(i))) continue;
    changes.add(std::string(kLimitNames[i]) + " is another one");
    setrlimit(resource, &limits_.at(i));
  }
}

std::string ProcessState::restore() const {
  Changes changes;
  const std::string status = status_file_.read();
  restore_directory(directory_, changes);
  restore_creation_mask(creation_mask_, status, changes);
  restore_signals(status, changes);
  restore_environment(environment_, changes);
  restore_locale(locale_, changes);
  restore_limits(changes);
  restore_x87(changes);
  return changes.take();
}

}  // namespace concord::conformance
