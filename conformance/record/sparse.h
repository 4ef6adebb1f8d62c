// SPDX-License-Identifier: Apache-2.0
// A vector of optionals that takes memory only near those that hold something.
#ifndef CONCORD_CONFORMANCE_RECORD_SPARSE_H_
#define CONCORD_CONFORMANCE_RECORD_SPARSE_H_

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace concord::conformance {

/// Used as a std::vector<std::optional<T>>. References stay valid until the end or clear().
template <class T>
class Sparse {
 public:
  Sparse() = default;
  Sparse(std::vector<std::optional<T>> all) {  // NOLINT: where this is wanted, a vector is one
    for (auto& each : all) push_back(std::move(each));
  }
  Sparse(const Sparse& other) { *this = other; }
  Sparse& operator=(const Sparse& other) {
    if (this == &other) return *this;
    clear();
    resize(other.size_);
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      if (other.chunks_[c]) chunks_[c] = std::make_unique<Chunk>(*other.chunks_[c]);
    }
    return *this;
  }
  Sparse(Sparse&&) noexcept = default;
  Sparse& operator=(Sparse&&) noexcept = default;
  ~Sparse() = default;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// New elements are empty; there never are fewer than before.
  void resize(std::size_t size) {
    size_ = size;
    chunks_.resize((size + kChunk - 1) / kChunk);
  }
  void clear() {
    size_ = 0;
    chunks_.clear();
  }

  const std::optional<T>& operator[](std::size_t index) const {
    static const std::optional<T> kNothing;
    const auto& chunk = chunks_[index / kChunk];
    return chunk ? (*chunk)[index % kChunk] : kNothing;
  }
  std::optional<T>& operator[](std::size_t index) {
    auto& chunk = chunks_[index / kChunk];
    if (!chunk) chunk = std::make_unique<Chunk>();
    return (*chunk)[index % kChunk];
  }
  void push_back(std::optional<T> value) {
    resize(size_ + 1);
    if (value) (*this)[size_ - 1] = std::move(value);
  }
  template <class... Arguments>
  void emplace_back(Arguments&&... arguments) {
    push_back(std::optional<T>(std::forward<Arguments>(arguments)...));
  }

  template <class Owner>
  class Iterator {
   public:
    Iterator(Owner* owner, std::size_t index) : owner_(owner), index_(index) {}
    decltype(auto) operator*() const { return (*owner_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    Owner* owner_;
    std::size_t index_;
  };
  auto begin() const { return Iterator<const Sparse>(this, 0); }
  auto end() const { return Iterator<const Sparse>(this, size_); }
  auto begin() { return Iterator<Sparse>(this, 0); }
  auto end() { return Iterator<Sparse>(this, size_); }

 private:
  static constexpr std::size_t kChunk = 256;
  using Chunk = std::array<std::optional<T>, kChunk>;
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<Chunk>> chunks_{};
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RECORD_SPARSE_H_
