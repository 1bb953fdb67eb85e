#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>

#include "format/npz.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

struct NamedSet {
  const char* name;
  std::vector<Index> FourWaySplit::*samples;
};
constexpr std::array<NamedSet, 4> kSets = {{{"train", &FourWaySplit::train},
                                            {"val", &FourWaySplit::val},
                                            {"test", &FourWaySplit::test},
                                            {"other", &FourWaySplit::other}}};

// Which of kSets each sample is in; -1 for none.
std::vector<signed char> set_of_each(const FourWaySplit& split, Index size,
                                     const std::string& where) {
  std::vector<signed char> owner(static_cast<std::size_t>(size), -1);
  for (std::size_t k = 0; k < kSets.size(); ++k) {
    for (const Index sample : split.*kSets[k].samples) {
      if (sample < 0 || sample >= size) {
        throw DataError(
            fmt::format("{}: {} contains the index {}, but the data has {} samples; expected "
                        "indices from 0 to {}",
                        where, kSets[k].name, sample, size, size - 1));
      }
      signed char& set = owner[static_cast<std::size_t>(sample)];
      if (set >= 0) {
        const char* other = kSets[static_cast<std::size_t>(set)].name;
        throw DataError(
            other == kSets[k].name
                ? fmt::format("{}: {} contains the index {} twice; keep it once", where, other,
                              sample)
                : fmt::format("{}: index {} is in both {} and {}; keep it in one of them", where,
                              sample, other, kSets[k].name));
      }
      set = static_cast<signed char>(k);
    }
  }
  return owner;
}

// A 1-d integer array, or nullopt if the archive has none of that name.
std::optional<std::vector<Index>> read_set(const NpzReader& reader, const char* name) {
  if (!reader.has_array(name)) return std::nullopt;
  NpyArray array = reader.array(name);
  // NumPy converts an empty list to a floating-point array.
  const bool whole =
      (array.is_integer() && array.header().kind != 'b') || array.header().elements == 0;
  if (!whole || array.shape().size() != 1) {
    throw DataError(
        fmt::format("{}: has shape ({}) and type '{}'; expected a vector of integers, the indices "
                    "of the samples in this set",
                    array.where(), fmt::join(array.shape(), ", "), array.header().descr));
  }
  if (array.header().elements == 0) return std::vector<Index>();
  const std::vector<std::int64_t> values = array.as_integers();
  return std::vector<Index>(values.begin(), values.end());
}

}  // namespace

void check_split(const FourWaySplit& split, Index size, const std::string& where) {
  for (const NamedSet& set : {kSets[0], kSets[1]}) {
    if ((split.*set.samples).empty()) {
      throw DataError(
          fmt::format("{}: {} is empty; both train and val need labeled samples, for fitting and "
                      "for selection",
                      where, set.name));
    }
  }
  const auto owner = set_of_each(split, size, where);
  Index missing = 0;
  Index first = -1;
  for (Index i = 0; i < size; ++i) {
    if (owner[static_cast<std::size_t>(i)] >= 0) continue;
    if (missing++ == 0) first = i;
  }
  if (missing > 0) {
    throw DataError(
        fmt::format("{}: {} of {} samples are in no set, the first is {}; put them into other, or "
                    "omit other from the file to make it the remaining samples",
                    where, missing, size, first));
  }
}

FourWaySplit load_split(const std::filesystem::path& path, Index size) {
  const NpzReader reader(path);
  const std::string& where = reader.shown_path();
  FourWaySplit split;
  bool has_other = false;
  for (const NamedSet& set : kSets) {
    auto samples = read_set(reader, set.name);
    const bool required = set.samples == &FourWaySplit::train || set.samples == &FourWaySplit::val;
    if (!samples && required) {
      std::vector<std::string> names;
      for (const NpzMember& member : reader.members()) names.push_back(member.name);
      throw DataError(
          fmt::format("{}: has no array {}; a split has the arrays train, val, test and "
                      "other, found: {}",
                      where, set.name, fmt::join(names, ", ")));
    }
    if (!samples) continue;
    split.*set.samples = std::move(*samples);
    if (set.samples == &FourWaySplit::other) has_other = true;
  }
  if (!has_other) {
    const auto owner = set_of_each(split, size, where);
    for (Index i = 0; i < size; ++i) {
      if (owner[static_cast<std::size_t>(i)] < 0) split.other.push_back(i);
    }
  }
  check_split(split, size, where);
  return split;
}

void save_split(const std::filesystem::path& path, const FourWaySplit& split) {
  NpzWriter writer;
  for (const NamedSet& set : kSets) {
    writer.add<std::int64_t>(set.name, std::span<const std::int64_t>(split.*set.samples));
  }
  writer.write(path);
}

}  // namespace stkr
