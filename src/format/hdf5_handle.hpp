#pragma once

#include <hdf5.h>

#include <string>
#include <utility>
#include <vector>

namespace stkr::detail {

// Closes an HDF5 object. Negative: there is none.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }

  explicit operator bool() const { return id_ >= 0; }
  hid_t get() const { return id_; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// Keeps the HDF5 library from printing its own messages; restores that at the end.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

inline Hdf5Handle open_object(hid_t file, const std::string& path) {
  return {H5Oopen(file, path.empty() ? "/" : path.c_str(), H5P_DEFAULT), H5Oclose};
}

inline bool is_text(hid_t type) { return H5Tget_class(type) == H5T_STRING; }

// The type of texts in memory: pointers to UTF-8.
inline Hdf5Handle text_type() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

// Reads `count` texts of that type with read(memory type, buffer); false if that fails.
template <class Read>
bool read_texts(hid_t stored, std::size_t count, std::vector<std::string>& texts, Read&& read) {
  texts.clear();
  if (count == 0) return true;
  if (H5Tis_variable_str(stored) > 0) {
    const Hdf5Handle space(
        [&] {
          const hsize_t size = count;
          return H5Screate_simple(1, &size, nullptr);
        }(),
        H5Sclose);
    Hdf5Handle memory(H5Tcopy(stored), H5Tclose);
    std::vector<char*> pointers(count, nullptr);
    if (read(memory.get(), pointers.data()) < 0) return false;
    for (const char* text : pointers) texts.emplace_back(text != nullptr ? text : "");
    H5Dvlen_reclaim(memory.get(), space.get(), H5P_DEFAULT, pointers.data());
    return true;
  }
  const std::size_t size = H5Tget_size(stored);
  std::string bytes(size * count, '\0');
  if (read(stored, bytes.data()) < 0) return false;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text = bytes.substr(i * size, size);
    text.resize(std::min(text.find('\0'), text.size()));
    texts.push_back(std::move(text));
  }
  return true;
}

}  // namespace stkr::detail
