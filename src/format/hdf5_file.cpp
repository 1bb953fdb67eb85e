#include "hdf5_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "hdf5_handle.hpp"
#include "stkr/error.hpp"
#include "utf8.hpp"

namespace stkr::detail {
namespace {

template <class T>
hid_t native_type() {
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  return H5T_NATIVE_INT32;
}

std::vector<hsize_t> extents(hid_t space) {
  const int dimensions = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(dimensions, 0)));
  if (!sizes.empty()) H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  return sizes;
}

herr_t add_member(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

}  // namespace

struct Hdf5File::State {
  QuietHdf5 quiet;
  std::string shown;
  std::uint64_t bytes = 0;
  Hdf5Handle file;

  [[noreturn]] void fail(const std::string& path, const std::string& what) const {
    throw DataError(
        fmt::format("{}: {}{}", shown, path.empty() ? "" : printable(path) + ": ", what));
  }

  Hdf5Handle open(const std::string& path) const {
    Hdf5Handle object = open_object(file.get(), path);
    if (!object) fail(path, "is missing or damaged");
    return object;
  }

  Hdf5Handle dataset(const std::string& path) const {
    Hdf5Handle object = open(path);
    if (H5Iget_type(object.get()) != H5I_DATASET) fail(path, "is a group, expected a dataset");
    return object;
  }

  std::vector<hsize_t> sizes(const std::string& path, hid_t dataset) const {
    const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
    const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
    if (!space || !type) fail(path, "is damaged");
    std::vector<hsize_t> found = extents(space.get());
    // Compression shrinks data by up to a factor of about a thousand.
    constexpr double kMostShrinking = 1100.0, kAlwaysFine = 1 << 22;
    double size = static_cast<double>(H5Tget_size(type.get()));
    for (const hsize_t each : found) size *= static_cast<double>(each);
    if (size > std::max(kAlwaysFine, kMostShrinking * static_cast<double>(bytes))) {
      fail(path, fmt::format("declares {:.0f} bytes, more than a file of {} bytes can contain",
                             size, bytes));
    }
    return found;
  }

  // The number of values of a dataset with one dimension.
  std::size_t count(const std::string& path, hid_t dataset) const {
    const std::vector<hsize_t> found = sizes(path, dataset);
    if (found.size() != 1) {
      fail(path, fmt::format("has {} dimensions, expected one", found.size()));
    }
    return found[0];
  }

  Hdf5Handle attribute(const Hdf5Handle& object, const char* name) const {
    if (H5Aexists(object.get(), name) <= 0) return {};
    return {H5Aopen(object.get(), name, H5P_DEFAULT), H5Aclose};
  }
};

Hdf5File::Hdf5File(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  state_->shown = path.string();
  std::error_code failed;
  state_->bytes = std::filesystem::file_size(path, failed);
  state_->file = {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
  if (!state_->file) {
    throw DataError(
        fmt::format("{}: cannot be opened as HDF5: it is damaged, truncated, or "
                    "another program is writing to it",
                    state_->shown));
  }
}

Hdf5File::~Hdf5File() = default;
Hdf5File::Hdf5File(Hdf5File&&) noexcept = default;

const std::string& Hdf5File::shown_path() const { return state_->shown; }

bool Hdf5File::has(const std::string& path) const {
  for (std::size_t end = 0; end != path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    if (H5Lexists(state_->file.get(), path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    const Hdf5Handle object = open_object(state_->file.get(), path.substr(0, end));
    if (!object || (end != path.size() && H5Iget_type(object.get()) != H5I_GROUP)) return false;
  }
  return true;
}

bool Hdf5File::is_group(const std::string& path) const {
  const Hdf5Handle object = state_->open(path);
  return H5Iget_type(object.get()) == H5I_GROUP;
}

std::vector<std::string> Hdf5File::members(const std::string& group) const {
  std::vector<std::string> names;
  if ((!group.empty() && !has(group)) || !is_group(group)) return names;
  const Hdf5Handle object = state_->open(group);
  hsize_t start = 0;
  if (H5Literate(object.get(), H5_INDEX_NAME, H5_ITER_INC, &start, add_member, &names) < 0) {
    state_->fail(group, "is damaged");
  }
  return names;
}

Hdf5File::Type Hdf5File::type(const std::string& dataset) const {
  const Hdf5Handle object = state_->dataset(dataset);
  const Hdf5Handle type(H5Dget_type(object.get()), H5Tclose);
  switch (H5Tget_class(type.get())) {
    case H5T_INTEGER:
      return Type::integer;
    case H5T_FLOAT:
      return Type::floating;
    case H5T_STRING:
      return Type::text;
    case H5T_ENUM:
      return Type::boolean;
    default:
      return Type::other;
  }
}

std::vector<Index> Hdf5File::shape(const std::string& dataset) const {
  const std::vector<hsize_t> found = state_->sizes(dataset, state_->dataset(dataset).get());
  return {found.begin(), found.end()};
}

template <class T>
std::vector<T> Hdf5File::values(const std::string& dataset) const {
  const Type found = type(dataset);
  if (found == Type::text || found == Type::other) {
    state_->fail(dataset, "holds no numbers");
  }
  const Hdf5Handle object = state_->dataset(dataset);
  std::vector<T> result(state_->count(dataset, object.get()));
  // Booleans are an enumeration of 8 bits, which HDF5 converts to no other type.
  if (found == Type::boolean) {
    const Hdf5Handle type(H5Dget_type(object.get()), H5Tclose);
    std::vector<std::int8_t> flags(result.size());
    if (H5Tget_size(type.get()) != 1 ||
        H5Dread(object.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, flags.data()) < 0) {
      state_->fail(dataset, "is damaged, or holds no booleans");
    }
    std::copy(flags.begin(), flags.end(), result.begin());
    return result;
  }
  if (H5Dread(object.get(), native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, result.data()) < 0) {
    state_->fail(dataset, "cannot be read: it is damaged or truncated");
  }
  return result;
}

template std::vector<double> Hdf5File::values(const std::string&) const;
template std::vector<std::int64_t> Hdf5File::values(const std::string&) const;
template std::vector<std::int32_t> Hdf5File::values(const std::string&) const;

std::vector<std::string> Hdf5File::texts(const std::string& dataset) const {
  if (type(dataset) != Type::text) state_->fail(dataset, "holds no text");
  const Hdf5Handle object = state_->dataset(dataset);
  const Hdf5Handle stored(H5Dget_type(object.get()), H5Tclose);
  std::vector<std::string> result;
  const bool fine = read_texts(
      stored.get(), state_->count(dataset, object.get()), result, [&](hid_t memory, void* buffer) {
        return H5Dread(object.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
      });
  if (!fine) state_->fail(dataset, "cannot be read: it is damaged or truncated");
  for (const std::string& text : result) {
    if (!is_utf8(text)) check_name(text, fmt::format("{}: {}", state_->shown, dataset));
  }
  return result;
}

Matrix Hdf5File::rows(const std::string& dataset, Index first, Index count) const {
  const Hdf5Handle object = state_->dataset(dataset);
  const std::vector<hsize_t> size = state_->sizes(dataset, object.get());
  const Type found = type(dataset);
  if (size.size() != 2 || (found != Type::integer && found != Type::floating)) {
    state_->fail(dataset, "expected an array of numbers with two dimensions");
  }
  Matrix result(count, static_cast<Index>(size[1]));
  if (result.size() == 0) return result;
  const hsize_t from[] = {static_cast<hsize_t>(first), 0};
  const hsize_t extent[] = {static_cast<hsize_t>(count), size[1]};
  const Hdf5Handle space(H5Dget_space(object.get()), H5Sclose);
  const Hdf5Handle memory(H5Screate_simple(2, extent, nullptr), H5Sclose);
  if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, from, nullptr, extent, nullptr) < 0 ||
      H5Dread(object.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT,
              result.data()) < 0) {
    state_->fail(dataset, "cannot be read: it is damaged or truncated");
  }
  return result;
}

std::vector<std::string> Hdf5File::texts_attribute(const std::string& path,
                                                   const char* name) const {
  std::vector<std::string> result;
  const Hdf5Handle attribute = state_->attribute(state_->open(path), name);
  if (!attribute) return result;
  const Hdf5Handle stored(H5Aget_type(attribute.get()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  constexpr hssize_t kMost = 1 << 24;
  if (!is_text(stored.get()) || count <= 0 || count > kMost) return result;
  const bool fine = read_texts(
      stored.get(), static_cast<std::size_t>(count), result,
      [&](hid_t memory, void* buffer) { return H5Aread(attribute.get(), memory, buffer); });
  if (!fine) state_->fail(path, fmt::format("the attribute {} is damaged", name));
  return result;
}

std::optional<std::string> Hdf5File::text_attribute(const std::string& path,
                                                    const char* name) const {
  std::vector<std::string> found = texts_attribute(path, name);
  return found.size() == 1 ? std::optional(std::move(found.front())) : std::nullopt;
}

std::vector<std::int64_t> Hdf5File::integers_attribute(const std::string& path,
                                                       const char* name) const {
  const Hdf5Handle attribute = state_->attribute(state_->open(path), name);
  if (!attribute) return {};
  const Hdf5Handle stored(H5Aget_type(attribute.get()), H5Tclose);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  constexpr hssize_t kMost = 1 << 10;
  if (H5Tget_class(stored.get()) != H5T_INTEGER || count <= 0 || count > kMost) return {};
  std::vector<std::int64_t> result(static_cast<std::size_t>(count));
  if (H5Aread(attribute.get(), H5T_NATIVE_INT64, result.data()) < 0) {
    state_->fail(path, fmt::format("the attribute {} is damaged", name));
  }
  return result;
}

}  // namespace stkr::detail
