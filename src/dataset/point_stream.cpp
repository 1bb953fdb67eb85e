#include "dataset/point_stream.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "dataset/anndata.hpp"
#include "dataset/csv.hpp"
#include "dataset/svmlight.hpp"
#include "format/csr_parts.hpp"
#include "format/csr_rows.hpp"
#include "format/file_format.hpp"
#include "format/utf8.hpp"
#include "parsed.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// Sparse points are held so many at a time.
constexpr Index kSparsePoints = 4096;

class CsvStream final : public PointStream {
 public:
  CsvStream(const std::filesystem::path& path, const LoadOptions& options)
      : PointStream(path.string()), reader_(open(path, options)) {
    feature_names_ = reader_.feature_names();
    notes_ = reader_.notes();
  }
  Index features() const override { return reader_.features(); }
  double progress() const override { return reader_.progress(); }
  std::span<const std::string> ids() const override { return ids_; }
  std::string id_column() const override { return reader_.id_column(); }
  std::vector<std::string> warnings() const override { return reader_.warnings(); }

 private:
  static CsvReader open(const std::filesystem::path& path, const LoadOptions& options) {
    const bool table = options.encoding != nullptr && !options.encoding->columns.empty();
    return table ? CsvReader(path, *options.encoding, options.header) : CsvReader(path, options);
  }
  PointBlock read(Index most) override {
    ids_.clear();
    return reader_.next_rows(most, nullptr, &ids_);
  }

  CsvReader reader_;
  std::vector<std::string> ids_;
};

// An .npy file, or one array of an .npz archive.
class ArrayStream final : public PointStream {
 public:
  explicit ArrayStream(const std::filesystem::path& path)
      : PointStream(path.string()), array_(open_npy(path)) {}
  ArrayStream(NpzReader archive, const std::string& name)
      : PointStream(fmt::format("{}: array {}", archive.shown_path(), name)),
        archive_(std::move(archive)),
        array_(archive_->array(name)) {
    feature_names_ = detail::optional_names(*archive_, "feature_names", array_.columns());
  }
  Index features() const override { return array_.columns(); }
  double progress() const override {
    return static_cast<double>(done_) / static_cast<double>(std::max<Index>(array_.rows(), 1));
  }

 private:
  PointBlock read(Index most) override {
    Matrix rows = array_.next_rows(most);
    done_ += rows.rows();
    return rows;
  }

  std::optional<NpzReader> archive_;
  NpyArray array_;
  Index done_ = 0;
};

// The CSR parts of an .npz archive.
class SparseStream final : public PointStream {
 public:
  SparseStream(NpzReader archive, const std::string& prefix)
      : PointStream(fmt::format("{}: matrix {}*", archive.shown_path(), prefix)),
        archive_(std::move(archive)),
        rows_(archive_, prefix) {
    feature_names_ = detail::optional_names(archive_, "feature_names", rows_.cols());
  }
  Index features() const override { return rows_.cols(); }
  Index at_a_time() const override { return kSparsePoints; }
  double progress() const override {
    return static_cast<double>(done_) / static_cast<double>(std::max<Index>(rows_.rows(), 1));
  }

 private:
  PointBlock read(Index most) override {
    CsrMatrix rows = detail::canonical(rows_.next(most));
    done_ += rows.rows;
    return rows;
  }

  NpzReader archive_;
  detail::CsrRows rows_;
  Index done_ = 0;
};

class SvmlightStream final : public PointStream {
 public:
  // With the first index of a model's file, the new file has the same.
  SvmlightStream(const std::filesystem::path& path, Index features, std::optional<int> first_index)
      : PointStream(path.string()),
        reader_(path),
        features_(features),
        known_(first_index.has_value()),
        first_index_(first_index.value_or(-1)) {}
  Index features() const override { return features_; }
  Index at_a_time() const override { return kSparsePoints; }
  double progress() const override { return reader_.progress(); }
  std::vector<std::string> warnings() const override {
    if (known_ || first_index_ != 1) return {};
    return {where() +
            ": no index is 0, so indices are read as counting from 1; if they count from "
            "0, add 0:0 to the first line"};
  }

 private:
  PointBlock read(Index most) override {
    CsrMatrix points{0, features_, {0}, {}, {}};
    while (points.rows < most && reader_.next()) {
      points.column.insert(points.column.end(), reader_.index().begin(), reader_.index().end());
      points.value.insert(points.value.end(), reader_.value().begin(), reader_.value().end());
      points.row_start.push_back(points.entries());
      ++points.rows;
      if (reader_.zero_based() && first_index_ == 1) {
        reader_.fail(known_
                         ? "has index 0, but the file that the model was fitted on was read with "
                           "indices from 1, because no index was 0; use indices from 1, or fit "
                           "with 0:0 in the first line"
                         : "has index 0, but the preceding lines were read with indices from 1; "
                           "put a line with index 0 first, or use indices from 1 throughout");
      }
    }
    // Decided by the first lines: a file that starts with thousands of lines without index 0 has
    // indices from 1.
    if (first_index_ < 0) first_index_ = reader_.zero_based() ? 0 : 1;
    for (std::int32_t& column : points.column) {
      column -= first_index_;
      if (column < features_) continue;
      throw DataError(fmt::format("{}: has a feature {}, expected at most {}", where(),
                                  column + first_index_, features_ - 1 + first_index_));
    }
    return without_zeros(std::move(points));
  }

  SvmlightReader reader_;
  Index features_;
  bool known_;
  std::int32_t first_index_;  // -1 before the first part
};

// An array of AnnData.
class AnnDataStream final : public PointStream {
 public:
  AnnDataStream(AnnDataFile file, AnnDataFile::Place place)
      : PointStream(fmt::format("{}: {}", file.shown_path(), place.path)),
        file_(std::move(file)),
        place_(std::move(place)),
        features_(file_.features(place_)) {
    feature_names_ = file_.feature_names(place_);
    notes_.push_back(fmt::format("reads {}", place_.path));
    names_ = file_.names();
  }
  std::span<const std::string> ids() const override {
    return std::span(names_).subspan(static_cast<std::size_t>(done_ - last_),
                                     static_cast<std::size_t>(last_));
  }
  std::string id_column() const override { return "cell"; }
  Index features() const override { return features_; }
  double progress() const override {
    return static_cast<double>(done_) / static_cast<double>(file_.size());
  }

 private:
  PointBlock read(Index most) override {
    last_ = std::min(most, file_.size() - done_);
    done_ += last_;
    return file_.dense_rows(place_, done_ - last_, last_);
  }

  AnnDataFile file_;
  AnnDataFile::Place place_;
  Index features_;
  std::vector<std::string> names_;
  Index done_ = 0;
  Index last_ = 0;  // number of points of the last part
};

// Points that must be loaded completely.
class HeldPoints final : public PointStream {
 public:
  HeldPoints(const std::filesystem::path& path, Points points)
      : PointStream(path.string()), values_(std::move(points.values)) {
    feature_names_ = std::move(points.feature_names);
  }
  Index features() const override { return values_.cols(); }
  double progress() const override {
    return static_cast<double>(done_) / static_cast<double>(values_.rows());
  }

 private:
  PointBlock read(Index most) override {
    const Index count = std::min(most, values_.rows() - done_);
    done_ += count;
    if (values_.sparse()) return row_slice(*values_.sparse(), done_ - count, count);
    return values_.dense().visit([&](const auto& values) -> Matrix {
      return values.middleRows(done_ - count, count).template cast<double>();
    });
  }

  FeatureMatrix values_;
  Index done_ = 0;
};

// An array has no texts, so it cannot stand for a table with categories.
void refuse_categories(const std::filesystem::path& path, const LoadOptions& options) {
  if (options.encoding == nullptr || options.encoding->numbers_only()) return;
  throw DataError(fmt::format(
      "{}: the model was fitted on a table with text or truth values; give new samples as a table "
      "with the same columns (.csv)",
      path.string()));
}

std::unique_ptr<PointStream> hold(const std::filesystem::path& path, const LoadOptions& options) {
  Dataset dataset = load_dataset(path, options);
  return std::make_unique<HeldPoints>(path, std::get<Points>(std::move(dataset.samples)));
}

std::string quoted(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + std::min(names.size(), kShown));
  return fmt::format(
      "'{}'{}", printable(fmt::format("{}", fmt::join(shown, "', '"))),
      names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : "");
}

}  // namespace

PointBlock PointStream::next(Index most) {
  PointBlock points = read(most);
  if (done_ == 0 && (rows_of(points) == 0 || features() == 0)) {
    throw DataError(fmt::format("{}: has {} samples and {} features, expected at least one of each",
                                where_, rows_of(points), features()));
  }
  if (const auto* sparse = std::get_if<CsrMatrix>(&points)) {
    check_finite(*sparse, where_, done_);
  } else {
    check_finite(std::get<Matrix>(points), where_, done_);
  }
  done_ += rows_of(points);
  return points;
}

Index PointStream::at_a_time() const { return points_at_a_time(features()); }

std::unique_ptr<PointStream> open_points(const std::filesystem::path& path,
                                         const LoadOptions& options) {
  LoadOptions points_only = options;
  points_only.kind = DatasetKind::points;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return hold(path, points_only);  // a shipped data set
  switch (detail::sample_format(path, options)) {
    case FileFormat::npz: {
      refuse_categories(path, options);
      NpzReader archive(path);
      const std::string name = detail::dense_points(archive);
      if (!name.empty()) return std::make_unique<ArrayStream>(std::move(archive), name);
      const auto prefix = detail::sparse_points(archive);
      if (!prefix) break;
      return std::make_unique<SparseStream>(std::move(archive), *prefix);
    }
    case FileFormat::npy:
      refuse_categories(path, options);
      return std::make_unique<ArrayStream>(path);
    case FileFormat::csv:
    case FileFormat::edge_list:  // .txt and similar, read as a table
      return std::make_unique<CsvStream>(path, options);
    case FileFormat::svmlight:
      if (!options.features) break;
      return std::make_unique<SvmlightStream>(
          path, *options.features, options.encoding ? options.encoding->first_index : std::nullopt);
    case FileFormat::h5ad: {
      AnnDataFile file(path);
      AnnDataFile::Place place = file.place(points_only);
      if (file.is_sparse(place)) break;
      return std::make_unique<AnnDataStream>(std::move(file), std::move(place));
    }
    case FileFormat::matrix_market:
    case FileFormat::graphml:
    case FileFormat::parts:
      break;
  }
  return hold(path, points_only);
}

Index points_at_a_time(Index features) {
  constexpr Index kMost = 4096;
  constexpr Index kMostNumbers = 1 << 22;
  return std::clamp<Index>(kMostNumbers / std::max<Index>(features, 1), 1, kMost);
}

Points load_points(const std::filesystem::path& path, const LoadOptions& options) {
  const auto stream = open_points(path, options);
  const Index part = stream->at_a_time();
  PointBlock points = stream->next(part);
  Index rows = rows_of(points);
  for (PointBlock more = stream->next(part); rows_of(more) > 0; more = stream->next(part)) {
    append_rows(points, rows, more);
  }
  if (auto* sparse = std::get_if<CsrMatrix>(&points)) {
    return points_from_sparse(std::move(*sparse), stream->feature_names());
  }
  auto& values = std::get<Matrix>(points);
  values.conservativeResize(rows, Eigen::NoChange);
  return {.values = std::move(values), .feature_names = stream->feature_names()};
}

std::vector<Index> feature_order(Index expected, std::span<const std::string> expected_names,
                                 const PointStream& found) {
  const std::vector<std::string>& names = found.feature_names();
  std::unordered_map<std::string_view, Index> place;
  for (std::size_t i = 0; i < names.size(); ++i) place.emplace(names[i], static_cast<Index>(i));
  // Duplicate names do not identify columns.
  if (expected_names.empty() || names.empty() || place.size() < names.size()) {
    if (found.features() == expected) return {};
    throw DataError(fmt::format(
        "{}: has {} features, expected the {} that the model was fitted on, in the same order",
        found.where(), found.features(), expected));
  }
  std::vector<Index> order;
  std::vector<std::string> missing;
  for (const std::string& name : expected_names) {
    const auto at = place.find(name);
    if (at == place.end()) {
      missing.push_back(name);
    } else {
      order.push_back(at->second);
      place.erase(at);
    }
  }
  std::vector<std::string> unknown;
  for (const std::string& name : names) {
    if (place.contains(name)) unknown.push_back(name);
  }
  if (!missing.empty() || !unknown.empty()) {
    std::vector<std::string> findings;
    if (!missing.empty()) findings.push_back(fmt::format("lacks the feature {}", quoted(missing)));
    if (!unknown.empty()) {
      findings.push_back(fmt::format("has {}, unknown to the model", quoted(unknown)));
    }
    throw DataError(fmt::format(
        "{}: {}; expected the {} features that the model was fitted on, in any order: add, remove "
        "or rename columns",
        found.where(), fmt::join(findings, " and "), expected));
  }
  return std::is_sorted(order.begin(), order.end()) ? std::vector<Index>() : order;
}

}  // namespace stkr
