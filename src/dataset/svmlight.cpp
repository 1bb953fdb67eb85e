#include "dataset/svmlight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "format/atomic_file.hpp"
#include "format/number_text.hpp"
#include "format/text_file.hpp"
#include "stkr/dataset/dataset.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// The label of each sample as written to the file.
std::vector<std::string> label_texts(const Labels& labels, Index count) {
  const auto refuse = [](const std::string& what) {
    throw ValueError(
        fmt::format("svmlight cannot store these labels: {}; use .npz or .csv instead", what));
  };
  std::vector<std::string> texts(static_cast<std::size_t>(count), "-1");
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    for (const std::string& name : classes->names) {
      if (!detail::parse_integer(name)) refuse(fmt::format("class '{}' is not an integer", name));
    }
    const bool missing = static_cast<Index>(labeled_indices(labels).size()) < count;
    const bool minus_one =
        std::find(classes->names.begin(), classes->names.end(), "-1") != classes->names.end();
    if (missing && minus_one) refuse("class -1 would be read as unlabeled");
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::int32_t code = classes->code[i];
      if (code != kUnlabeled) texts[i] = classes->names[static_cast<std::size_t>(code)];
    }
  } else if (const auto* targets = std::get_if<TargetValues>(&labels)) {
    if (targets->values.cols() != 1) refuse("samples have several targets");
    for (std::size_t i = 0; i < texts.size(); ++i) {
      texts[i] = detail::target_text(targets->values(static_cast<Index>(i), 0));
    }
  }
  return texts;
}

}  // namespace

SvmlightReader::SvmlightReader(const std::filesystem::path& path)
    : lines_(std::make_unique<detail::LineReader>(path)) {}

SvmlightReader::~SvmlightReader() = default;

double SvmlightReader::progress() const {
  return static_cast<double>(lines_->bytes_read()) / static_cast<double>(lines_->file_size());
}

void SvmlightReader::fail(const std::string& what) const {
  throw DataError(fmt::format("{}: line {}: {}", lines_->shown_path(), lines_->number(), what));
}

bool SvmlightReader::next() {
  std::vector<std::string_view> words;
  while (words.empty()) {
    if (!lines_->next()) return false;
    words = detail::split_words(lines_->line().substr(0, lines_->line().find('#')));
  }
  if (!detail::parse_number(words[0])) {
    fail(fmt::format("starts with '{}', expected a number as the label", words[0].substr(0, 40)));
  }
  label_ = words[0];
  index_.clear();
  value_.clear();
  std::int64_t previous = -1;
  for (const std::string_view word : std::span(words).subspan(1)) {
    if (word.starts_with("qid:")) continue;
    const std::size_t colon = word.find(':');
    const auto index = detail::parse_integer(word.substr(0, colon));
    const auto value = colon == std::string_view::npos
                           ? std::nullopt
                           : detail::parse_number(word.substr(colon + 1));
    if (!index || !value || !std::isfinite(*value)) {
      fail(fmt::format("'{}' is not index:value with a finite number", word.substr(0, 40)));
    }
    if (*index <= previous || *index >= std::numeric_limits<std::int32_t>::max()) {
      fail(fmt::format("index {} follows {}, expected ascending indices", *index, previous));
    }
    previous = *index;
    zero_based_ = zero_based_ || *index == 0;
    index_.push_back(static_cast<std::int32_t>(*index));
    value_.push_back(*value);
  }
  return true;
}

SvmlightData load_svmlight(const std::filesystem::path& path) {
  SvmlightReader reader(path);
  SvmlightData data;
  CsrMatrix& points = data.points;
  points.row_start.push_back(0);
  std::int32_t largest = 0;
  while (reader.next()) {
    data.label.push_back(reader.label());
    if (!reader.index().empty()) largest = std::max(largest, reader.index().back());
    points.column.insert(points.column.end(), reader.index().begin(), reader.index().end());
    points.value.insert(points.value.end(), reader.value().begin(), reader.value().end());
    points.row_start.push_back(static_cast<std::int64_t>(points.column.size()));
  }
  if (data.label.empty()) throw DataError(fmt::format("{}: has no data", path.string()));
  points.rows = static_cast<Index>(data.label.size());
  data.first_index = reader.zero_based() ? 0 : 1;
  points.cols = largest + 1 - data.first_index;
  for (std::int32_t& column : points.column) column -= data.first_index;
  return data;
}

void save_svmlight(const std::filesystem::path& path, const FeatureMatrix& points,
                   const Labels& labels) {
  check_label_count(labels, points.rows(), path.string());
  const std::vector<std::string> texts = label_texts(labels, points.rows());
  write_atomically(path, [&](FileSink& sink) {
    for (Index i = 0; i < points.rows(); ++i) {
      std::string line = texts[static_cast<std::size_t>(i)];
      const auto write = [&](Index c, double value) {
        line += fmt::format(" {}:{}", c + 1, detail::number_text(value));
      };
      if (const auto& sparse = points.sparse()) {
        for (auto p = sparse->row_start[i]; p < sparse->row_start[i + 1]; ++p) {
          if (i > 0 || sparse->column[p] + 1 < points.cols()) {
            write(sparse->column[p], sparse->value[p]);
          }
        }
      } else {
        for (Index c = 0; c + (i == 0) < points.cols(); ++c) {
          if (points(i, c) != 0.0) write(c, points(i, c));
        }
      }
      // The last feature of the first sample is written even if it is zero: it determines the
      // number of features.
      if (i == 0) write(points.cols() - 1, points(0, points.cols() - 1));
      sink.write(line + "\n");
    }
  });
}

}  // namespace stkr
