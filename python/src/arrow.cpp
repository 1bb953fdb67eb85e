// Columns of an Arrow stream (PyCapsule interface) as NumPy arrays and lists of texts.

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>
#include <cstring>
#include <string_view>

#include "arrow_abi.hpp"
#include "module.hpp"

namespace stkr::python {
namespace {

// Releases a structure that a producer has filled.
template <class T>
struct Owned : T {
  Owned() : T{} {}
  ~Owned() {
    if (this->release != nullptr) this->release(this);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
};

// Values [first, first + length) of an array, which may be a part of its buffers.
struct Slice {
  const ArrowArray& array;
  std::int64_t first;
  std::int64_t length;

  bool valid(std::int64_t i) const {
    if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return true;
    return bit(0, i);
  }
  bool bit(int buffer, std::int64_t i) const {
    const auto* bits = static_cast<const std::uint8_t*>(array.buffers[buffer]);
    return (bits[(first + i) / 8] >> ((first + i) % 8) & 1) != 0;
  }
  template <class T>
  T value(std::int64_t i) const {
    return static_cast<const T*>(array.buffers[1])[first + i];
  }
};

double half_precision(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int fraction = bits & 0x3ff;
  const double size = exponent == 0    ? std::ldexp(fraction, -24)
                      : exponent == 31 ? (fraction == 0 ? HUGE_VAL : NAN)
                                       : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

double number_at(const Slice& slice, char format, std::int64_t i) {
  switch (format) {
    case 'b':
      return slice.bit(1, i) ? 1.0 : 0.0;
    case 'c':
      return slice.value<std::int8_t>(i);
    case 'C':
      return slice.value<std::uint8_t>(i);
    case 's':
      return slice.value<std::int16_t>(i);
    case 'S':
      return slice.value<std::uint16_t>(i);
    case 'i':
      return slice.value<std::int32_t>(i);
    case 'I':
      return slice.value<std::uint32_t>(i);
    case 'l':
      return static_cast<double>(slice.value<std::int64_t>(i));
    case 'L':
      return static_cast<double>(slice.value<std::uint64_t>(i));
    case 'e':
      return half_precision(slice.value<std::uint16_t>(i));
    case 'f':
      return slice.value<float>(i);
    default:
      return slice.value<double>(i);
  }
}

std::string_view view_at(const Slice& slice, std::int64_t i) {
  struct View {
    std::int32_t length;
    char prefix[4];
    std::int32_t buffer;
    std::int32_t offset;
  };
  static_assert(sizeof(View) == 16);
  constexpr std::int32_t kInline = 12;
  const View& view = static_cast<const View*>(slice.array.buffers[1])[slice.first + i];
  const auto length = static_cast<std::size_t>(view.length);
  if (view.length <= kInline) return {reinterpret_cast<const char*>(&view) + 4, length};
  return {static_cast<const char*>(slice.array.buffers[2 + view.buffer]) + view.offset, length};
}

std::string_view text_at(const Slice& slice, std::string_view format, std::int64_t i) {
  if (format == "vu") return view_at(slice, i);
  const auto* text = static_cast<const char*>(slice.array.buffers[2]);
  const auto between = [&](auto begin, auto end) {
    return std::string_view(text + begin, static_cast<std::size_t>(end - begin));
  };
  if (format == "u") return between(slice.value<std::int32_t>(i), slice.value<std::int32_t>(i + 1));
  return between(slice.value<std::int64_t>(i), slice.value<std::int64_t>(i + 1));
}

bool is_number(std::string_view format) {
  return format.size() == 1 && std::string_view("bcCsSiIlLefg").find(format[0]) < 12;
}
bool is_text(std::string_view format) { return format == "u" || format == "U" || format == "vu"; }

// A column of all batches: numbers with NaN for nulls and their flags, or texts with None.
class Column {
 public:
  explicit Column(const ArrowSchema& schema)
      : name_(schema.name != nullptr ? schema.name : ""),
        index_(schema.dictionary != nullptr ? schema.format : ""),
        format_(schema.dictionary != nullptr ? schema.dictionary->format : schema.format) {
    if (!is_number(format_) && !is_text(format_) && format_ != "n") {
      throw py::type_error(
          fmt::format("column '{}' has the Arrow type '{}'; expected numbers, booleans or text",
                      name_, format_));
    }
  }

  void add(const Slice& slice, const Slice* parent) {
    for (std::int64_t i = 0; i < slice.length; ++i) {
      const bool valid =
          format_ != "n" && slice.valid(i) && (parent == nullptr || parent->valid(i));
      if (!valid) {
        add_missing();
      } else if (index_.empty()) {
        add_value(slice, i);
      } else {
        const auto at = static_cast<std::int64_t>(number_at(slice, index_[0], i));
        const ArrowArray& values = *slice.array.dictionary;
        const Slice dictionary{values, values.offset, values.length};
        if (at < 0 || at >= values.length || !dictionary.valid(at)) {
          add_missing();
        } else {
          add_value(dictionary, at);
        }
      }
    }
  }

  // (name, values, missing): numbers are int64 or bool if their type is and none is missing, else
  // float64 with NaN; texts are a list.
  py::tuple result() const {
    if (is_text(format_)) return py::make_tuple(name_, texts_, missing());
    py::array numbers =
        py::array_t<double>(static_cast<py::ssize_t>(numbers_.size()), numbers_.data());
    if (is_whole() && !any_missing_) {
      numbers =
          py::array_t<std::int64_t>(static_cast<py::ssize_t>(integers_.size()), integers_.data());
    } else if (format_ == "b" && !any_missing_) {
      numbers = numbers.attr("astype")("bool");
    }
    return py::make_tuple(name_, numbers, missing());
  }

 private:
  bool is_whole() const { return std::string_view("cCsSiIlL").find(format_[0]) < 8; }
  void add_missing() {
    any_missing_ = true;
    missing_.push_back(1);
    if (is_text(format_)) {
      texts_.append(py::none());
    } else {
      numbers_.push_back(std::nan(""));
    }
  }
  void add_value(const Slice& slice, std::int64_t i) {
    missing_.push_back(0);
    if (is_text(format_)) {
      const std::string_view text = text_at(slice, format_, i);
      texts_.append(py::str(text.data(), text.size()));
      return;
    }
    numbers_.push_back(number_at(slice, format_[0], i));
    if (!is_whole()) return;
    integers_.push_back(format_ == "l"   ? slice.value<std::int64_t>(i)
                        : format_ == "L" ? static_cast<std::int64_t>(slice.value<std::uint64_t>(i))
                                         : static_cast<std::int64_t>(numbers_.back()));
  }
  py::array missing() const {
    return py::array(py::array_t<std::uint8_t>(static_cast<py::ssize_t>(missing_.size()),
                                               missing_.data()))
        .attr("astype")("bool");
  }

  std::string name_;
  std::string index_;   // format of the codes of a dictionary; else empty
  std::string format_;  // of the values
  std::vector<double> numbers_;
  std::vector<std::int64_t> integers_;
  std::vector<std::uint8_t> missing_;
  bool any_missing_ = false;
  py::list texts_;
};

void check_stream(int status, ArrowArrayStream& stream) {
  if (status == 0) return;
  const char* reason = stream.get_last_error(&stream);
  throw std::runtime_error(fmt::format("the Arrow stream failed with code {}: {}", status,
                                       reason != nullptr ? reason : "no reason given"));
}

py::list arrow_columns(const py::capsule& capsule) {
  if (capsule.name() == nullptr || std::strcmp(capsule.name(), "arrow_array_stream") != 0) {
    throw py::type_error("expected a capsule named arrow_array_stream");
  }
  auto& stream = *capsule.get_pointer<ArrowArrayStream>();
  if (stream.release == nullptr) throw py::value_error("the Arrow stream was already consumed");
  Owned<ArrowSchema> schema;
  check_stream(stream.get_schema(&stream, &schema), stream);
  const bool table = std::string_view(schema.format) == "+s";
  std::vector<Column> columns;
  if (!table) columns.emplace_back(schema);
  for (std::int64_t k = 0; table && k < schema.n_children; ++k) {
    columns.emplace_back(*schema.children[k]);
  }
  for (;;) {
    Owned<ArrowArray> batch;
    check_stream(stream.get_next(&stream, &batch), stream);
    if (batch.release == nullptr) break;
    const Slice rows{batch, batch.offset, batch.length};
    if (!table) columns.front().add(rows, nullptr);
    for (std::size_t k = 0; table && k < columns.size(); ++k) {
      const ArrowArray& child = *batch.children[k];
      columns[k].add({child, batch.offset + child.offset, batch.length}, &rows);
    }
  }
  stream.release(&stream);
  py::list result;
  for (const Column& column : columns) result.append(column.result());
  return result;
}

}  // namespace

void bind_arrow(py::module_& module) {
  module.def("arrow_columns", &arrow_columns, py::arg("stream"),
             "Returns (name, values, missing) for each column of an Arrow stream, which it "
             "consumes.");
}

}  // namespace stkr::python
