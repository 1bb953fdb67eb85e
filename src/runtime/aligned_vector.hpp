#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

namespace stkr {

// Vectors of numbers that start at a cache line. Loads of 64 bytes that straddle two lines made
// kernel products up to 1.5 times slower, depending on where an allocation happened to be. Lines
// are found in an ordinary allocation: glibc fragments its heap with aligned ones.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::size_t line = 64;
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= sizeof(void*));

  CacheLineAllocator() = default;
  template <class Other>
  CacheLineAllocator(const CacheLineAllocator<Other>&) {}

  T* allocate(std::size_t count) {
    auto* const whole = static_cast<std::byte*>(::operator new(count * sizeof(T) + line));
    std::byte* const start = whole + (line - reinterpret_cast<std::uintptr_t>(whole) % line);
    std::memcpy(start - sizeof(whole), &whole, sizeof(whole));  // for deallocate()
    return reinterpret_cast<T*>(start);
  }
  void deallocate(T* start, std::size_t) {
    std::byte* whole = nullptr;
    std::memcpy(&whole, reinterpret_cast<std::byte*>(start) - sizeof(whole), sizeof(whole));
    ::operator delete(whole);
  }

  bool operator==(const CacheLineAllocator&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace stkr
