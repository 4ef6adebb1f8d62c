// SPDX-License-Identifier: Apache-2.0
#include "vectors/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>

namespace concord::vectors {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr NpyType kTypes[] = {NpyType::kF32, NpyType::kF16, NpyType::kU16, NpyType::kF64};

Refusal refuse(std::string detail) { return {Fault::kSyntax, "npy: " + std::move(detail)}; }

struct Header {
  std::optional<NpyType> type{};
  std::optional<bool> fortran_order{};
  std::optional<Extents> shape{};
};

// Reads the header's Python dictionary, and no more of Python than that takes.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}

  // What is wrong, if anything is.
  std::optional<std::string> read(Header& header) {
    if (!take("{")) return "the header is not a dictionary";
    while (!take("}")) {
      const auto key = quoted();
      if (!key || !take(":")) return "a key of the header is not a string";
      if (auto trouble = read_value(*key, header)) return trouble;
      if (!take(",") && !at('}')) return fmt::format("no comma after the header's '{}'", *key);
    }
    skip_space();
    if (!rest_.empty()) return "the header continues after its dictionary";
    return std::nullopt;
  }

 private:
  std::optional<std::string> read_value(std::string_view key, Header& header) {
    if (key == "descr" && !header.type) return read_type(header);
    if (key == "fortran_order" && !header.fortran_order) {
      if (take("False")) {
        header.fortran_order = false;
      } else if (take("True")) {
        header.fortran_order = true;
      } else {
        return "fortran_order is neither True nor False";
      }
      return std::nullopt;
    }
    if (key == "shape" && !header.shape) return read_shape(header);
    return fmt::format("the header's key '{}' is unknown or occurs twice", key);
  }

  std::optional<std::string> read_type(Header& header) {
    const auto text = quoted();
    if (!text) return "descr is not a string";
    for (const NpyType type : kTypes) {
      if (*text == to_string(type)) header.type = type;
    }
    if (header.type) return std::nullopt;
    return fmt::format("descr '{}' is none of <f4, <f2, <u2, <f8", *text);
  }

  std::optional<std::string> read_shape(Header& header) {
    if (!take("(")) return "shape is not a tuple";
    header.shape.emplace();
    while (!take(")")) {
      skip_space();
      Extent extent = -1;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc() || extent < 0) return "shape has an extent that is not a size";
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      if (header.shape->size() == kMaxRank) {
        return fmt::format("shape has more than {} axes", kMaxRank);
      }
      header.shape->push_back(extent);
      if (!take(",") && !at(')')) return "shape has no comma after an extent";
    }
    return std::nullopt;
  }

  void skip_space() {
    const auto begin = rest_.find_first_not_of(" \n");
    rest_.remove_prefix(begin == std::string_view::npos ? rest_.size() : begin);
  }

  bool take(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool at(char next) {
    skip_space();
    return !rest_.empty() && rest_.front() == next;
  }

  std::optional<std::string_view> quoted() {
    if (!take("'")) return std::nullopt;
    const auto end = rest_.find('\'');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::string_view rest_;
};

Result<Npy> read_elements(const Header& header, std::span<const std::byte> elements) {
  if (!header.type || !header.fortran_order || !header.shape) {
    return refuse("the header lacks one of descr, fortran_order and shape");
  }
  if (*header.fortran_order) return refuse("fortran_order is True; only C's order is read");
  const auto count = element_count(*header.shape);
  const auto have = elements.size() / size_of(*header.type);
  if (!count || static_cast<std::uint64_t>(*count) != have ||
      elements.size() % size_of(*header.type) != 0) {
    return refuse(fmt::format("shape {} of {} does not fit the {} bytes behind the header",
                              concord::to_string(Tensor{*header.shape, {}}),
                              to_string(*header.type), elements.size()));
  }
  return Npy{*header.type, *header.shape, elements};
}

}  // namespace

std::string_view to_string(NpyType type) {
  switch (type) {
    case NpyType::kF32:
      return "<f4";
    case NpyType::kF16:
      return "<f2";
    case NpyType::kU16:
      return "<u2";
    case NpyType::kF64:
      return "<f8";
  }
  CONCORD_CHECK(false) << "type " << static_cast<int>(type);
  return {};
}

// The digit of "<f4".
std::size_t size_of(NpyType type) { return static_cast<std::size_t>(to_string(type)[2] - '0'); }

Result<Npy> parse_npy(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) return refuse("the file does not begin with \\x93NUMPY");
  if (text.size() < kMagic.size() + 2) return refuse("the file ends before its version");
  const int major = static_cast<unsigned char>(text[6]),
            minor = static_cast<unsigned char>(text[7]);
  if ((major != 1 && major != 2) || minor != 0) {
    return refuse(fmt::format("format version {}.{} is neither 1.0 nor 2.0", major, minor));
  }
  const std::size_t digits = major == 1 ? 2 : 4, begin = kMagic.size() + 2 + digits;
  if (text.size() < begin) return refuse("the file ends before its header");
  std::size_t length = 0;
  for (std::size_t i = digits; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(text[kMagic.size() + 2 + i]);
  }
  if (length > text.size() - begin) {
    return refuse(fmt::format("a header of {} bytes in a file of {}", length, text.size()));
  }
  Header header;
  if (auto trouble = HeaderReader(text.substr(begin, length)).read(header)) {
    return refuse(*std::move(trouble));
  }
  return read_elements(header, bytes.subspan(begin + length));
}

std::string npy_header(NpyType type, const Extents& shape) {
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", to_string(type),
                  fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  // The line ends where the elements begin.
  const std::size_t before = kMagic.size() + 4;
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  std::string header(kMagic);
  header +=
      {'\x01', '\0', static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)};
  return header + text;
}

NpyType npy_type(Dtype dtype) {
  const std::size_t bytes = size_of(dtype);
  const bool is_numpys = to_string(dtype) == fmt::format("f{}", 8 * bytes);
  const std::string text = fmt::format("<{}{}", is_numpys ? 'f' : 'u', bytes);
  for (const NpyType type : kTypes) {
    if (to_string(type) == text) return type;
  }
  CONCORD_CHECK(false) << text;
  return {};
}

}  // namespace concord::vectors
