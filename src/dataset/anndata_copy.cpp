#include "dataset/anndata_copy.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "dataset/anndata.hpp"
#include "format/atomic_file.hpp"
#include "format/hdf5_handle.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

using detail::Hdf5Handle;

void copy_bytes(const std::filesystem::path& source, FileSink& sink) {
  std::ifstream in(source, std::ios::binary);
  std::vector<char> part(std::size_t{1} << 20);
  while (in) {
    in.read(part.data(), static_cast<std::streamsize>(part.size()));
    sink.write({part.data(), static_cast<std::size_t>(in.gcount())});
  }
  if (in.bad() || !in.eof()) {
    throw DataError(fmt::format("{}: cannot be read to its end", source.string()));
  }
}

// Writes into the obs of an open file. Every function throws WriteError if HDF5 reports a failure.
class ObsWriter {
 public:
  ObsWriter(hid_t file, std::string shown)
      : shown_(std::move(shown)), obs_(detail::open_object(file, "obs")) {
    check(obs_.get());
  }

  void write(const ObsColumn& column) {
    if (H5Lexists(obs_.get(), column.name.c_str(), H5P_DEFAULT) > 0) {
      check(H5Ldelete(obs_.get(), column.name.c_str(), H5P_DEFAULT));
    }
    if (const auto* classes = std::get_if<CategoricalColumn>(&column.values)) {
      write_categorical(column.name, *classes);
    } else if (const auto* numbers = std::get_if<std::vector<double>>(&column.values)) {
      write_array(obs_.get(), column.name, numbers->data(), numbers->size(), H5T_NATIVE_DOUBLE,
                  H5T_IEEE_F64LE);
    } else {
      const auto& flags = std::get<std::vector<char>>(column.values);
      const Hdf5Handle type = boolean_type();
      write_array(obs_.get(), column.name, flags.data(), flags.size(), type.get(), type.get());
    }
  }

  // The order in which anndata shows the columns.
  void set_order(const std::vector<std::string>& names) {
    if (H5Aexists(obs_.get(), "column-order") > 0) check(H5Adelete(obs_.get(), "column-order"));
    std::vector<const char*> texts;
    for (const std::string& name : names) texts.push_back(name.c_str());
    const Hdf5Handle type = detail::text_type(), space = vector_space(texts.size());
    const Hdf5Handle attribute(
        H5Acreate2(obs_.get(), "column-order", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    check(attribute.get());
    check(H5Awrite(attribute.get(), type.get(), texts.data()));
  }

 private:
  template <class Status>
  void check(Status status) const {
    if (status >= 0) return;
    throw WriteError(fmt::format("{}: HDF5 cannot write to it; is the disk full?", shown_));
  }

  static Hdf5Handle vector_space(std::size_t count) {
    const hsize_t size = count;
    return {H5Screate_simple(1, &size, nullptr), H5Sclose};
  }

  // Booleans as h5py stores them.
  static Hdf5Handle boolean_type() {
    Hdf5Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
    for (const auto& [name, number] : {std::pair("FALSE", 0), std::pair("TRUE", 1)}) {
      const auto value = static_cast<std::int8_t>(number);
      H5Tenum_insert(type.get(), name, &value);
    }
    return type;
  }

  void set_text(hid_t object, const char* name, const char* text) {
    const Hdf5Handle type = detail::text_type(), space(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Handle attribute(
        H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(attribute.get());
    check(H5Awrite(attribute.get(), type.get(), &text));
  }

  void set_encoding(hid_t object, const char* type) {
    set_text(object, "encoding-type", type);
    set_text(object, "encoding-version", "0.2.0");
  }

  void write_array(hid_t group, const std::string& name, const void* values, std::size_t count,
                   hid_t memory, hid_t stored, const char* encoding = "array") {
    const Hdf5Handle space = vector_space(count);
    const Hdf5Handle dataset(
        H5Dcreate2(group, name.c_str(), stored, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Dclose);
    check(dataset.get());
    check(H5Dwrite(dataset.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    set_encoding(dataset.get(), encoding);
  }

  void write_categorical(const std::string& name, const CategoricalColumn& column) {
    const Hdf5Handle group(
        H5Gcreate2(obs_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    check(group.get());
    set_encoding(group.get(), "categorical");
    const Hdf5Handle type = boolean_type(), scalar(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Handle ordered(
        H5Acreate2(group.get(), "ordered", type.get(), scalar.get(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    check(ordered.get());
    const std::int8_t no = 0;
    check(H5Awrite(ordered.get(), type.get(), &no));
    // The smallest codes, as pandas chooses them.
    const std::size_t classes = column.categories.size();
    const hid_t stored = classes <= 127     ? H5T_STD_I8LE
                         : classes <= 32767 ? H5T_STD_I16LE
                                            : H5T_STD_I32LE;
    write_array(group.get(), "codes", column.codes.data(), column.codes.size(), H5T_NATIVE_INT32,
                stored);
    std::vector<const char*> texts;
    for (const std::string& category : column.categories) texts.push_back(category.c_str());
    const Hdf5Handle text = detail::text_type();
    write_array(group.get(), "categories", texts.data(), texts.size(), text.get(), text.get(),
                "string-array");
  }

  std::string shown_;
  Hdf5Handle obs_;
};

std::size_t column_size(const ObsColumn& column) {
  if (const auto* classes = std::get_if<CategoricalColumn>(&column.values)) {
    return classes->codes.size();
  }
  return std::visit(
      [](const auto& values) -> std::size_t {
        if constexpr (requires { values.size(); }) return values.size();
        return 0;
      },
      column.values);
}

}  // namespace

void copy_anndata(const std::filesystem::path& source, const std::filesystem::path& target,
                  std::span<const ObsColumn> columns) {
  std::vector<std::string> order;
  {
    const AnnDataFile original(source);
    order = original.columns();
    for (const ObsColumn& column : columns) {
      if (static_cast<Index>(column_size(column)) != original.size()) {
        throw DataError(fmt::format("{}: has {} cells, but there are {} predictions",
                                    source.string(), original.size(), column_size(column)));
      }
      if (std::find(order.begin(), order.end(), column.name) == order.end()) {
        order.push_back(column.name);
      }
    }
  }
  AtomicFile file(target, /*named=*/true);
  {
    FileSink sink(file.descriptor(), target.string());
    copy_bytes(source, sink);
    sink.close();
  }
  {
    const detail::QuietHdf5 quiet;
    // HDF5 resolves this link. The file is ours alone, and locked already.
    const std::string open_file = fmt::format("/proc/self/fd/{}", file.descriptor());
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_file_locking(access.get(), false, true);
    Hdf5Handle copy(H5Fopen(open_file.c_str(), H5F_ACC_RDWR, access.get()), H5Fclose);
    if (!copy) {
      throw WriteError(fmt::format("{}: HDF5 cannot open the copy for writing", target.string()));
    }
    {
      ObsWriter writer(copy.get(), target.string());
      for (const ObsColumn& column : columns) writer.write(column);
      writer.set_order(order);
    }
    if (H5Fflush(copy.get(), H5F_SCOPE_GLOBAL) < 0) {
      throw WriteError(
          fmt::format("{}: HDF5 cannot write to it; is the disk full?", target.string()));
    }
  }
  file.commit();
}

}  // namespace stkr
