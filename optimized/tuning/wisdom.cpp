// SPDX-License-Identifier: Apache-2.0
#include "optimized/tuning/wisdom.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace concord::optimized {
namespace {

// Between the parts of a line: none of them has one.
constexpr char kTab = '\t';
constexpr const char* kFirstLine = "# concord wisdom 1: setting, choice, problem";

std::string key_of(const std::string& setting, const std::string& problem) {
  return setting + kTab + problem;
}

Refusal trouble(const std::string& path, const std::string& what) {
  return {Fault::kSyntax, "the wisdom file " + path + " " + what};
}

Refusal system_trouble(const std::string& path, const char* what) {
  return trouble(path, std::string("cannot be ") + what + ": " + std::strerror(errno));
}

}  // namespace

Result<std::shared_ptr<Wisdom>> Wisdom::open(const std::string& path) {
  std::shared_ptr<Wisdom> wisdom(new Wisdom(path));
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::not_found) {
    // Seen not to be writable now rather than after measuring.
    if (!wisdom->append(std::string(kFirstLine) + "\n")) return system_trouble(path, "made");
    return wisdom;
  }
  if (kind != std::filesystem::file_type::regular) return trouble(path, "is no regular file");
  if (const auto why = wisdom->read()) return *why;
  return wisdom;
}

std::optional<Refusal> Wisdom::read() {
  std::ifstream file(path_);
  std::string begin(std::strlen(kFirstLine), ' ');
  if (!file) return system_trouble(path_, "read");
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  if (begin != kFirstLine) {
    return trouble(path_, "begins with '" + begin + "', not with '" + kFirstLine + "'");
  }
  std::string line;
  while (std::getline(file, line)) take(line);
  // The next line must not continue one that has no end.
  if (!line.empty()) append("\n");
  return std::nullopt;
}

void Wisdom::take(const std::string& line) {
  const auto first = line.find(kTab);
  const auto second = first == std::string::npos ? first : line.find(kTab, first + 1);
  if (second == std::string::npos) return;
  const auto choice = parse_choice(std::string_view(line).substr(first + 1, second - first - 1));
  if (choice) choices_[key_of(line.substr(0, first), line.substr(second + 1))] = *choice;
}

std::optional<PlanChoice> Wisdom::find(const std::string& setting,
                                       const std::string& problem) const {
  const std::lock_guard lock(mutex_);
  const auto found = choices_.find(key_of(setting, problem));
  if (found == choices_.end()) return std::nullopt;
  return found->second;
}

void Wisdom::add(const std::string& setting, const std::string& problem, const PlanChoice& choice) {
  const std::lock_guard lock(mutex_);
  choices_[key_of(setting, problem)] = choice;
  append(setting + kTab + to_string(choice) + kTab + problem + "\n");
}

// In one call, so that lines of several processes do not mix.
bool Wisdom::append(const std::string& text) const {
  const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return false;
  const ssize_t written = ::write(file, text.data(), text.size());
  ::close(file);
  return written == static_cast<ssize_t>(text.size());
}

}  // namespace concord::optimized
