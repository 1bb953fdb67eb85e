#include "dataset/point_stream.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "dataset/csv.hpp"
#include "dataset/svmlight.hpp"
#include "format/csr_parts.hpp"
#include "format/csr_rows.hpp"
#include "format/file_format.hpp"
#include "format/row_buffer.hpp"
#include "format/utf8.hpp"
#include "parsed.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

class CsvStream final : public PointStream {
 public:
  CsvStream(const std::filesystem::path& path, const LoadOptions& options)
      : PointStream(path.string()), reader_(path, options.labels, options.feature_names) {
    feature_names_ = reader_.feature_names();
    notes_ = reader_.notes();
  }
  Index features() const override { return reader_.features(); }
  double progress() const override { return reader_.progress(); }

 private:
  Matrix read(Index most) override { return reader_.next_rows(most); }

  CsvReader reader_;
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
  Matrix read(Index most) override {
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
  SparseStream(NpzReader archive, const std::string& prefix, std::uint64_t most_bytes)
      : PointStream(fmt::format("{}: matrix {}*", archive.shown_path(), prefix)),
        archive_(std::move(archive)),
        rows_(archive_, prefix),
        most_bytes_(most_bytes) {
    feature_names_ = detail::optional_names(archive_, "feature_names", rows_.cols());
  }
  Index features() const override { return rows_.cols(); }
  double progress() const override {
    return static_cast<double>(done_) / static_cast<double>(std::max<Index>(rows_.rows(), 1));
  }

 private:
  Matrix read(Index most) override {
    Matrix dense = detail::densified(rows_.next(most), most_bytes_, where());
    done_ += dense.rows();
    return dense;
  }

  NpzReader archive_;
  detail::CsrRows rows_;
  std::uint64_t most_bytes_;
  Index done_ = 0;
};

class SvmlightStream final : public PointStream {
 public:
  SvmlightStream(const std::filesystem::path& path, Index features)
      : PointStream(path.string()), reader_(path), features_(features) {}
  Index features() const override { return features_; }
  double progress() const override { return reader_.progress(); }

 private:
  Matrix read(Index most) override {
    std::vector<Triplet> entries;
    Index rows = 0;
    while (rows < most && reader_.next()) {
      for (std::size_t k = 0; k < reader_.index().size(); ++k) {
        entries.push_back(
            {static_cast<std::int32_t>(rows), reader_.index()[k], reader_.value()[k]});
      }
      if (reader_.zero_based() && first_index_ == 1) {
        reader_.fail(
            "has index 0, but the preceding lines were read with indices from 1; put a line with "
            "index 0 first, or use indices from 1 throughout");
      }
      ++rows;
    }
    // Decided by the first lines: a file that starts with thousands of lines without index 0 has
    // indices from 1.
    if (first_index_ < 0) first_index_ = reader_.zero_based() ? 0 : 1;
    Matrix points = Matrix::Zero(rows, features_);
    for (const Triplet& entry : entries) {
      const Index column = entry.column - first_index_;
      if (column >= features_) {
        throw DataError(fmt::format("{}: has a feature {}, expected at most {}", where(),
                                    entry.column, features_ - 1 + first_index_));
      }
      points(entry.row, column) = entry.value;
    }
    return points;
  }

  SvmlightReader reader_;
  Index features_;
  Index first_index_ = -1;
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
  Matrix read(Index most) override {
    const Index count = std::min(most, values_.rows() - done_);
    done_ += count;
    return values_.visit([&](const auto& values) -> Matrix {
      return values.middleRows(done_ - count, count).template cast<double>();
    });
  }

  SharedMatrix values_;
  Index done_ = 0;
};

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

Matrix PointStream::next(Index most) {
  Matrix points = read(most);
  if (done_ == 0 && points.size() == 0) {
    throw DataError(fmt::format("{}: has {} samples and {} features, expected at least one of each",
                                where_, points.rows(), features()));
  }
  check_finite(points, where_, done_);
  done_ += points.rows();
  return points;
}

std::unique_ptr<PointStream> open_points(const std::filesystem::path& path,
                                         const LoadOptions& options) {
  LoadOptions points_only = options;
  points_only.kind = DatasetKind::points;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return hold(path, points_only);  // a shipped data set
  switch (detect_format(path)) {
    case FileFormat::npz: {
      NpzReader archive(path);
      const std::string name = detail::dense_points(archive);
      if (!name.empty()) return std::make_unique<ArrayStream>(std::move(archive), name);
      const auto prefix = detail::sparse_points(archive);
      if (!prefix) break;
      return std::make_unique<SparseStream>(std::move(archive), *prefix, options.most_dense_bytes);
    }
    case FileFormat::npy:
      return std::make_unique<ArrayStream>(path);
    case FileFormat::csv:
    case FileFormat::edge_list:  // .txt and similar, read as a table
      return std::make_unique<CsvStream>(path, options);
    case FileFormat::svmlight:
      if (!options.features) break;
      return std::make_unique<SvmlightStream>(path, *options.features);
    case FileFormat::matrix_market:
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
  const Index part = points_at_a_time(stream->features());
  Matrix values = stream->next(part);
  Index rows = values.rows();
  for (Matrix more = stream->next(part); more.rows() > 0; more = stream->next(part)) {
    detail::append_rows(values, rows, more);
  }
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
