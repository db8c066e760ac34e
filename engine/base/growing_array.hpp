// A growing array of trivial values: what is stored once per operation. It grows by realloc,
// which moves page tables rather than bytes for large blocks, so that the peak of memory is the
// array itself: a std::vector has old and new storage at once when it grows.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace kr {

template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingArray() = default;
  GrowingArray(GrowingArray&& other) noexcept { swap(other); }
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    GrowingArray(std::move(other)).swap(*this);
    return *this;
  }
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;
  ~GrowingArray() { std::free(data_); }

  void push_back(const T& value) {
    if (size_ == capacity_) reserve(size_ + 1);
    data_[size_++] = value;
  }
  /// Room for `more` values at the end; the caller writes them, then they count.
  T* extend(size_t more) {
    if (size_ + more > capacity_) reserve(size_ + more);
    T* at = data_ + size_;
    size_ += more;
    return at;
  }
  void reserve(size_t wanted) {
    if (wanted <= capacity_) return;
    const size_t capacity = std::max({wanted, capacity_ + capacity_ / 2, size_t{1024}});
    void* grown = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
    if (grown == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(grown);
    capacity_ = capacity;
  }
  void clear() noexcept { size_ = 0; }
  /// Keeps the first `size` values, which are there.
  void truncate(size_t size) noexcept { size_ = size; }
  void swap(GrowingArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T& operator[](size_t i) noexcept { return data_[i]; }
  const T& operator[](size_t i) const noexcept { return data_[i]; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace kr
