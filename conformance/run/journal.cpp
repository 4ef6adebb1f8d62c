// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>

#include "conformance/record/result_json.h"
#include "vectors/write_file.h"

namespace concord::conformance {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMagic = "concord-journal-1";

Json parse_line(const std::string& line) { return Json::parse(line, nullptr, false); }

// Text from a plugin may be any bytes: what is not UTF-8 is replaced.
std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

bool is_record(const Json& json) {
  return json.is_object() && json.contains("end") && json["end"].is_array() &&
         json["end"].size() == 2 && json["end"][0].is_string() && json["end"][1].is_string() &&
         json.contains("result");
}

// "threads was 1, is 2", if there is one.
std::optional<std::string> first_difference(const Json& was, const Json& is) {
  if (!was.is_object()) return was.dump();
  for (const auto& [key, value] : is.items()) {
    if (const Json before = was.value(key, Json()); before != value) {
      return fmt::format("{} was {}, is {}", key, before.dump(), value.dump());
    }
  }
  return std::nullopt;
}

Refusal refusal(std::string why) { return {Fault::kSyntax, std::move(why)}; }

std::string cannot(const char* verb, const std::string& path) {
  return fmt::format("cannot {} the journal {}: {}", verb, path, std::strerror(errno));
}

}  // namespace

// Two runs that write the same journal would spoil each other's, and each other's results.
std::optional<std::string> Journal::lock(const std::string& path) {
  path_ = path;
  lock_ = Descriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock_) return cannot("write", path);
  const bool locked = flock(lock_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  // A run that begins puts another file in the place of the one that we opened.
  struct stat ours {
  }, there{};
  if (locked && fstat(lock_.get(), &ours) == 0 && stat(path.c_str(), &there) == 0 &&
      ours.st_ino == there.st_ino) {
    return std::nullopt;
  }
  return fmt::format("another run is writing the journal {}", path);
}

std::optional<std::string> Journal::start(const std::string& path, const Json& identity) {
  if (auto refused = lock(path)) return refused;
  const Json head = {{"journal", kMagic}, {"run", identity}};
  if (const auto trouble = vectors::write_file(path, line_of(head))) {
    return "the journal: " + *trouble;
  }
  if (auto refused = lock(path)) return refused;  // the file is another one now
  file_.open(path, std::ios::app);
  if (!file_) return cannot("write", path);
  return std::nullopt;
}

Result<Journal::Known> Journal::resume(const std::string& path, const Json& identity) {
  std::ifstream earlier(path);
  if (!earlier) return refusal(cannot("read", path));
  if (auto refused = lock(path)) return refusal(*std::move(refused));
  std::string line;
  std::getline(earlier, line);
  const Json head = parse_line(line);
  if (!head.is_object() || head.value("journal", Json()) != kMagic) {
    return refusal(fmt::format("{} is not a journal of concord run", path));
  }
  if (const auto other = first_difference(head.value("run", Json()), identity)) {
    return refusal(fmt::format("the journal {} belongs to another run: {}", path, *other));
  }
  if (earlier.eof()) {  // cut off before the first line had its end
    file_.open(path, std::ios::trunc);
    if (!file_) return refusal(cannot("write", path));
    write(head);
    return Known{};
  }
  Known known;
  std::uintmax_t whole = line.size() + 1;
  while (std::getline(earlier, line) && !earlier.eof()) {  // a cut last line has no newline
    whole += line.size() + 1;
    const Json json = parse_line(line);
    if (!is_record(json)) continue;
    if (auto result = result_from_json(json["result"])) {
      known[{json["end"][0].get<std::string>(), json["end"][1].get<std::string>()}] = *result;
    }
  }
  earlier.close();
  std::error_code error;
  std::filesystem::resize_file(path, whole, error);  // so that the next line starts on its own
  file_.open(path, std::ios::app);
  if (error || !file_) return refusal(cannot("write", path));
  return known;
}

void Journal::begin(const Key& key) { write({{"begin", {key.first, key.second}}}); }

void Journal::end(const Key& key, const CaseResult& result) {
  write({{"end", {key.first, key.second}}, {"result", to_json(result)}});
}

void Journal::write(const Json& line) {
  const std::lock_guard lock(mutex_);
  if (!file_.is_open()) return;
  file_ << line_of(line) << std::flush;
  if (!file_ && !trouble_) trouble_ = cannot("write", path_);
}

std::optional<std::string> Journal::trouble() {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

}  // namespace concord::conformance
