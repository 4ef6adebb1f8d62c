// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "conformance/record/brief_result.h"
#include "conformance/record/json_integer.h"
#include "conformance/record/result_json.h"
#include "conformance/run/packed_numbers.h"
#include "vectors/write_file.h"

namespace concord::conformance {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMagic = "concord-journal-4";

// Text from a plugin may be any bytes: what is not UTF-8 is replaced.
std::string record_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The sums in the order of the line, as the bytes of doubles.
std::array<double, 10> listed(const ErrorSums& s) {
  return {s.elements, s.squares,  s.by_scale,        s.biased,         s.drift,
          s.growth,   s.channels, s.channel_squares, s.growth_squares, s.shared};
}

ErrorSums sums_of(const std::array<double, 10>& v) {
  return {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]};
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

// Why the first line of a journal is not the head that `start` writes.
std::string no_head(const std::string& path, const std::string& line) {
  if (line.starts_with("{\"journal\":\"concord-journal-")) {
    return fmt::format("the journal {} is of an older Concord", path);
  }
  if (line.find(kMagic) != std::string::npos) {
    return fmt::format("the journal {} is damaged in line 1: its checksum is not that of its text",
                       path);
  }
  return fmt::format("{} is not a journal of concord run", path);
}

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
  if (const auto trouble = vectors::write_file(path, chain_.line_of(record_of(head)) + '\n')) {
    return "the journal: " + *trouble;
  }
  if (auto refused = lock(path)) return refused;  // the file is another one now
  file_.open(path, std::ios::app);
  if (!file_) return cannot("write", path);
  return std::nullopt;
}

// A head and nothing behind it, or not even that, is of a run that recorded nothing.
Result<Journal::Known> Journal::begin_again(const std::string& path, const Json& identity) {
  chain_ = {};
  if (auto refused = start(path, identity)) return refusal(*std::move(refused));
  return Known{};
}

Result<Journal::Known> Journal::resume(const std::string& path, const Json& identity) {
  std::ifstream earlier(path);
  if (!earlier) return refusal(cannot("read", path));
  if (auto refused = lock(path)) return refusal(*std::move(refused));
  std::string line;
  if (!std::getline(earlier, line)) return begin_again(path, identity);  // killed before the head
  const auto record = chain_.record_of(line);
  const Json head = record ? Json::parse(*record, nullptr, false) : Json();
  if (!head.is_object() || head.value("journal", Json()) != kMagic) {
    return refusal(no_head(path, line));
  }
  if (const auto other = first_difference(head.value("run", Json()), identity)) {
    return refusal(fmt::format("the journal {} belongs to another run: {}", path, *other));
  }
  if (earlier.eof()) return begin_again(path, identity);  // cut off before the line had its end
  std::uintmax_t whole = line.size() + 1;
  Known known = read(earlier, whole);
  earlier.close();
  std::error_code error;
  std::filesystem::resize_file(path, whole, error);  // so that the next line starts on its own
  file_.open(path, std::ios::app);
  if (error || !file_) return refusal(cannot("write", path));
  return known;
}

Journal::Known Journal::read(std::istream& lines, std::uintmax_t& whole) {
  Known known;
  std::string line;
  std::size_t number = 1;                              // the head
  while (std::getline(lines, line) && !lines.eof()) {  // a cut last line has no newline
    ++number;
    const RecordChain before = chain_;
    const auto record = chain_.record_of(line);
    if (!record || !read_record(Json::parse(*record, nullptr, false), known)) {
      chain_ = before;
      damage_ = fmt::format(
          "the journal {} is damaged in line {}, which does not follow from the lines before it; "
          "cases that ended before it are kept ({}), all others are run again",
          path_, number, known.size());
      break;
    }
    whole += line.size() + 1;
  }
  begun_ = begun_read_.size();
  for (const std::size_t begun : open_read_) {
    if (!known.contains(begun_read_[begun])) ++deaths_[begun_read_[begun]];
  }
  return known;
}

// Throws std::exception where no run writes it.
void Journal::read_begin(const Json& json) {
  const auto number = integer_from<std::size_t>(json[0], "backend");
  const auto backend = std::find_if(backends_.begin(), backends_.end(),
                                    [&](const auto& each) { return each.second == number; });
  const auto kept = integer_from<std::size_t>(json[1], "kept");
  const auto ending = integer_from<std::size_t>(json[3], "ending");
  if (backend == backends_.end() || std::max(kept, ending) > begun_last_.size()) {
    throw std::invalid_argument(json.dump());
  }
  begun_last_ = begun_last_.substr(0, kept) + json[2].get<std::string>() +
                begun_last_.substr(begun_last_.size() - ending);
  open_read_.insert(begun_read_.size());
  begun_read_.emplace_back(backend->first, begun_last_);
}

// False for what no run writes.
bool Journal::read_record(const Json& json, Known& known) try {
  if (json.is_object() && json.contains("backend")) {
    backends_.emplace(json["backend"].get<std::string>(), backends_.size());
  } else if (json.is_object() && json.contains("batch")) {
    batches_.push_back(json["batch"]);
  } else if (json.is_object() && json.contains("outcome")) {
    Json whole = to_json(CaseResult{});
    whole.update(json["outcome"]);
    const auto outcome = result_from_json(whole);
    if (!outcome) return false;
    known_outcomes_.push_back(*outcome);
    outcomes_.emplace(outcome_key(*outcome), known_outcomes_.size() - 1);
  } else if (json.is_array() && json.size() == 4) {
    read_begin(json);
  } else if (json.is_object() && json.contains("stopped")) {
    open_read_.clear();
  } else {
    const bool is_full = json.is_object();
    const auto age = integer_from<std::size_t>(is_full ? json.at("end") : json.at(0), "age");
    const auto result = is_full ? result_from_json(json.at("result")) : read_brief(json);
    if (!result || age < 1 || age > begun_read_.size()) return false;
    const std::size_t begun = begun_read_.size() - age;
    known[begun_read_[begun]] = *result;
    open_read_.erase(begun);
  }
  return true;
} catch (const std::exception&) {
  return false;
}

std::optional<CaseResult> Journal::read_brief(const Json& json) const {
  const auto outcome = integer_from<std::size_t>(json.at(1), "outcome");
  if (outcome >= known_outcomes_.size()) return std::nullopt;
  CaseResult result = known_outcomes_[outcome];
  result.elements = integer_from<decltype(result.elements)>(json.at(2), "elements");
  if (!json.at(3).is_null()) result.margin = number_from(json[3]);
  if (!json.at(4).is_null()) result.resolution = number_from(json[4]);
  json.at(5).get_to(result.milliseconds);
  if (json.size() > 6) {
    const auto sums = unpacked<10>(json.at(7).get<std::string>());
    if (!sums) return std::nullopt;
    result.errors = TensorErrors{json[6].get<Extent>(), sums_of(*sums)};
  }
  return result;
}

// The line that a case begins with, if it has none yet.
std::size_t Journal::number_of_begun(const Key& key) {
  if (const auto found = open_.find(key); found != open_.end()) return found->second;
  const auto [backend, is_new] = backends_.try_emplace(key.first, backends_.size());
  if (is_new) write({{"backend", key.first}});
  const std::size_t kept = common_beginning(begun_last_, key.second);
  const std::size_t ending = common_ending(std::string_view(begun_last_).substr(kept),
                                           std::string_view(key.second).substr(kept));
  write(Json::array(
      {backend->second, kept, key.second.substr(kept, key.second.size() - kept - ending), ending}));
  begun_last_ = key.second;
  open_.emplace(key, begun_);
  return begun_++;
}

Json Journal::brief_line(std::size_t age, const CaseResult& result) {
  const auto [outcome, is_new] = outcomes_.try_emplace(outcome_key(result), outcomes_.size());
  if (is_new) write({{"outcome", outcome_json(result)}});
  const auto number = [](const std::optional<double>& value) {
    return value ? number_json(*value) : Json(nullptr);
  };
  Json line = Json::array({age, outcome->second, result.elements, number(result.margin),
                           number(result.resolution), std::round(100 * result.milliseconds) / 100});
  if (result.errors) {
    line.push_back(result.errors->products);
    line.push_back(packed(listed(result.errors->sums)));
  }
  return line;
}

void Journal::begin(const Key& key) {
  const std::lock_guard lock(mutex_);
  if (!file_.is_open()) return;
  number_of_begun(key);
}

void Journal::end(const Key& key, const CaseResult& result) {
  const std::lock_guard lock(mutex_);
  if (!file_.is_open()) return;
  const std::size_t number = number_of_begun(key), age = begun_ - number;
  write(is_brief(result) ? brief_line(age, result)
                         : Json{{"end", age}, {"result", to_json(result)}});
  open_.erase(key);
}

int Journal::deaths_during(const Key& key) const {
  const auto found = deaths_.find(key);
  return found == deaths_.end() ? 0 : found->second;
}

void Journal::end_batch(const Json& batch) {
  const std::lock_guard lock(mutex_);
  if (file_.is_open()) write({{"batch", batch}});
}

void Journal::stop() {
  const std::lock_guard lock(mutex_);
  if (file_.is_open()) write({{"stopped", true}});
}

void Journal::write(const Json& line) {
  file_ << chain_.line_of(record_of(line)) << '\n' << std::flush;
  if (!file_ && !trouble_) trouble_ = cannot("write", path_);
}

std::optional<std::string> Journal::trouble() {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

}  // namespace concord::conformance
