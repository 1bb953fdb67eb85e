#include "answer_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "anndata_answers.hpp"
#include "dataset/csv.hpp"
#include "format/atomic_file.hpp"
#include "format/npz.hpp"
#include "json_text.hpp"
#include "runtime/memory.hpp"
#include "runtime/parallel.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/decision.hpp"
#include "stkr/inference/inference.hpp"

namespace stkr::app {
namespace {

using nlohmann::json;

const ClassDecision* classes_of(const AnswerLayout& layout) {
  return std::get_if<ClassDecision>(&layout.decision);
}

Matrix probabilities_of(const AnswerLayout& layout, const Predictions& predictions) {
  return layout.probabilities ? class_probabilities(*classes_of(layout), predictions) : Matrix();
}

// What --coverage adds to the rows of a part.
struct Covered {
  Matrix sets;          // classes: 1 if the class is in the set, else 0
  Matrix lower, upper;  // numbers
};

Covered covered_of(const AnswerLayout& layout, const AnswerPart& part) {
  const Predictions& predictions = part.predictions;
  Covered result;
  if (!layout.coverage) return result;
  if (const ClassDecision* classes = classes_of(layout)) {
    const auto sets = prediction_sets(*classes->calibration,
                                      class_probabilities(*classes, predictions), *layout.coverage);
    result.sets = Matrix::Zero(predictions.scores.rows(), predictions.scores.cols());
    for (std::size_t i = 0; i < sets.size(); ++i) {
      for (const Index c : sets[i]) result.sets(static_cast<Index>(i), c) = 1.0;
    }
  } else if (part.certainty.lower.size() > 0) {
    result.lower = part.certainty.lower;
    result.upper = part.certainty.upper;
  } else {
    Intervals intervals = residual_intervals(
        predictions.scores, std::get<TargetDecision>(layout.decision).left_out_residuals,
        *layout.coverage);
    result.lower = std::move(intervals.lower);
    result.upper = std::move(intervals.upper);
  }
  return result;
}

const std::string& class_name(const AnswerLayout& layout, const Predictions& predictions, Index i) {
  return classes_of(layout)->names[predictions.class_index[i]];
}

// CSV or TSV.
class DelimitedAnswers final : public AnswerWriter {
 public:
  DelimitedAnswers(FileSink& sink, const AnswerLayout& layout)
      : sink_(sink), layout_(layout), separator_(layout.format == AnswerFormat::tsv ? '\t' : ',') {
    std::vector<std::string> head{"index"};
    if (!layout.name_column.empty()) head.push_back(csv_field(layout.name_column));
    for (const char* name : {"prediction", "evidence"}) head.emplace_back(name);
    if (classes_of(layout)) head.emplace_back("tie");
    const auto add = [&](const char* prefix) {
      for (const std::string& name : output_names(layout.decision)) {
        head.push_back(csv_field(prefix + name));
      }
    };
    add("score_");
    if (layout.probabilities) add("probability_");
    if (layout.deviations) add("deviation_");
    if (layout.coverage && classes_of(layout)) add("set_");
    if (layout.coverage && !classes_of(layout)) {
      add("lower_");
      add("upper_");
    }
    sink_.write(fmt::format("{}\n", fmt::join(head, std::string_view(&separator_, 1))));
  }

  void write(const AnswerPart& part) override {
    const Predictions& all = part.predictions;
    const Matrix probabilities = probabilities_of(layout_, all);
    const Covered covered = covered_of(layout_, part);
    const std::vector<const Matrix*> numbers{
        &all.scores,   &probabilities, &part.certainty.deviation,
        &covered.sets, &covered.lower, &covered.upper};
    // Texts are made on all threads and written in order, a few megabytes at a time.
    constexpr Index kRows = 512, kTexts = 64;
    std::vector<std::string> texts(kTexts);
    const Index count = all.scores.rows();
    for (Index first = 0; first < count; first += kRows * kTexts) {
      const Index used = std::min(kTexts, (count - first + kRows - 1) / kRows);
      parallel_tasks(used, layout_.threads, [&](Index task) {
        std::string& text = texts[static_cast<std::size_t>(task)];
        text.clear();
        const Index begin = first + task * kRows;
        for (Index i = begin; i < std::min(begin + kRows, count); ++i) {
          add_line(part, i, numbers, text);
        }
      });
      for (Index task = 0; task < used; ++task) sink_.write(texts[static_cast<std::size_t>(task)]);
    }
  }

 private:
  void add_line(const AnswerPart& part, Index i, const std::vector<const Matrix*>& numbers,
                std::string& text) const {
    const Predictions& all = part.predictions;
    const auto at = static_cast<std::size_t>(i);
    const auto add = [&](std::string_view cell) {
      text += separator_;
      text += cell;
    };
    text += std::to_string(part.index[at]);
    if (!layout_.name_column.empty()) add(csv_field(part.names[at]));
    add(classes_of(layout_) ? csv_field(class_name(layout_, all, i))
                            : fmt::format("{}", fmt::join(all.scores.row(i), ";")));
    add(all.evidence[at] ? "1" : "0");
    if (classes_of(layout_)) add(all.tied[at] ? "1" : "0");
    for (const Matrix* columns : numbers) {
      for (Index c = 0; c < columns->cols(); ++c) {
        text += separator_;
        fmt::format_to(std::back_inserter(text), "{}", (*columns)(i, c));
      }
    }
    text += '\n';
  }

  FileSink& sink_;
  const AnswerLayout& layout_;
  char separator_;
};

// One JSON object per line, with the names of the CSV columns.
class JsonLineAnswers final : public AnswerWriter {
 public:
  JsonLineAnswers(FileSink& sink, const AnswerLayout& layout) : sink_(sink), layout_(layout) {}

  void write(const AnswerPart& part) override {
    const Predictions& all = part.predictions;
    const Matrix probabilities = probabilities_of(layout_, all);
    const Covered covered = covered_of(layout_, part);
    const std::vector<std::string>& names = output_names(layout_.decision);
    for (Index i = 0; i < all.scores.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      nlohmann::ordered_json line{{"index", part.index[at]}};
      if (!layout_.name_column.empty()) line[layout_.name_column] = part.names[at];
      if (classes_of(layout_)) {
        line["prediction"] = class_name(layout_, all, i);
      } else if (names.size() == 1) {
        line["prediction"] = all.scores(i, 0);
      } else {
        line["prediction"] =
            std::vector<double>(all.scores.row(i).begin(), all.scores.row(i).end());
      }
      line["evidence"] = all.evidence[at] != 0;
      if (classes_of(layout_)) line["tie"] = all.tied[at] != 0;
      for (Index c = 0; c < all.scores.cols(); ++c) line["score_" + names[c]] = all.scores(i, c);
      for (Index c = 0; c < probabilities.cols(); ++c) {
        line["probability_" + names[c]] = probabilities(i, c);
      }
      for (Index c = 0; c < part.certainty.deviation.cols(); ++c) {
        line["deviation_" + names[c]] = part.certainty.deviation(i, c);
      }
      if (covered.sets.size() > 0) {
        json set = json::array();
        for (Index c = 0; c < covered.sets.cols(); ++c) {
          if (covered.sets(i, c) > 0.0) set.push_back(names[c]);
        }
        line["set"] = std::move(set);
      }
      for (Index c = 0; c < covered.lower.cols(); ++c) {
        line["lower_" + names[c]] = covered.lower(i, c);
        line["upper_" + names[c]] = covered.upper(i, c);
      }
      sink_.write(line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
    }
  }

 private:
  FileSink& sink_;
  const AnswerLayout& layout_;
};

// Arrays: index, the names, prediction, evidence, tie, scores, probabilities, deviations, sets or
// lower and upper ends, and classes or targets, which name the columns of the scores.
class NpzAnswers final : public AnswerWriter {
 public:
  NpzAnswers(const AnswerLayout& layout, std::uint64_t memory) : layout_(layout), memory_(memory) {}

  void write(const AnswerPart& part) override {
    const Predictions& all = part.predictions;
    const Matrix probabilities = probabilities_of(layout_, all);
    const Covered covered = covered_of(layout_, part);
    for (Index i = 0; i < all.scores.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      index_.push_back(part.index[at]);
      evidence_.push_back(all.evidence[at] ? 1 : 0);
      if (classes_of(layout_)) {
        class_index_.push_back(all.class_index[at]);
        tied_.push_back(all.tied[at] ? 1 : 0);
      }
      scores_.insert(scores_.end(), all.scores.row(i).begin(), all.scores.row(i).end());
      for (Index c = 0; c < probabilities.cols(); ++c) {
        probabilities_.push_back(probabilities(i, c));
      }
      for (Index c = 0; c < part.certainty.deviation.cols(); ++c) {
        deviations_.push_back(part.certainty.deviation(i, c));
      }
      for (Index c = 0; c < covered.sets.cols(); ++c) {
        sets_.push_back(covered.sets(i, c) > 0.0 ? 1 : 0);
      }
      for (Index c = 0; c < covered.lower.cols(); ++c) {
        lower_.push_back(covered.lower(i, c));
        upper_.push_back(covered.upper(i, c));
      }
      if (layout_.name_column.empty()) continue;
      names_.push_back(part.names[at]);
      longest_name_ = std::max(longest_name_, part.names[at].size());
    }
    check_memory();
  }

  void finish(const std::string& path) const {
    NpzWriter archive;
    const std::vector<std::string>& outputs = output_names(layout_.decision);
    const auto columns = static_cast<Index>(outputs.size());
    const auto rows = static_cast<Index>(index_.size());
    archive.add("index", index_);
    if (!layout_.name_column.empty()) archive.add_strings(layout_.name_column, names_);
    if (classes_of(layout_)) {
      std::vector<std::string> predicted;
      predicted.reserve(class_index_.size());
      for (const Index c : class_index_) predicted.push_back(outputs[c]);
      archive.add_strings("prediction", predicted);
      archive.add("tie", tied_);
    } else {
      archive.add("prediction", std::span<const double>(scores_),
                  columns == 1 ? std::vector<Index>{rows} : std::vector<Index>{rows, columns});
    }
    archive.add("evidence", evidence_);
    archive.add("scores", std::span<const double>(scores_), {rows, columns});
    if (layout_.probabilities) {
      archive.add("probabilities", std::span<const double>(probabilities_), {rows, columns});
    }
    if (layout_.deviations) {
      archive.add("deviations", std::span<const double>(deviations_), {rows, columns});
    }
    if (layout_.coverage && classes_of(layout_)) {
      archive.add("sets", std::span<const std::uint8_t>(sets_), {rows, columns});
    } else if (layout_.coverage) {
      archive.add("lower", std::span<const double>(lower_), {rows, columns});
      archive.add("upper", std::span<const double>(upper_), {rows, columns});
    }
    archive.add_strings(classes_of(layout_) ? "classes" : "targets", outputs);
    archive.write(path);
  }

 private:
  // Vectors grow by doubling. Texts are copied into arrays of equally long texts, 4 bytes a
  // character.
  void check_memory() const {
    std::size_t longest_class = 0;
    if (classes_of(layout_)) {
      for (const std::string& name : output_names(layout_.decision)) {
        longest_class = std::max(longest_class, name.size());
      }
    }
    const std::uint64_t rows = index_.size();
    const std::uint64_t numbers = 16 * (scores_.size() + probabilities_.size() +
                                        deviations_.size() + lower_.size() + upper_.size()) +
                                  2 * sets_.size() + 40 * rows;
    const std::uint64_t texts = rows * (sizeof(std::string) + 5 * longest_class) +
                                names_.size() * (2 * sizeof(std::string) + 6 * longest_name_);
    if (numbers + texts <= memory_) return;
    throw MemoryError(
        fmt::format("an .npz archive of {} predictions needs about {}, but {} are left of the "
                    "memory budget; write .csv, .tsv or .jsonl, which are not held in memory, or "
                    "raise the budget (--memory)",
                    rows, format_bytes(numbers + texts), format_bytes(memory_)));
  }

  const AnswerLayout& layout_;
  std::uint64_t memory_;
  std::vector<std::int64_t> index_;
  std::vector<std::string> names_;
  std::size_t longest_name_ = 0;
  std::vector<Index> class_index_;
  std::vector<std::uint8_t> evidence_, tied_, sets_;
  std::vector<double> scores_, probabilities_, deviations_, lower_, upper_;
};

}  // namespace

const std::vector<std::string>& output_names(const Decision& decision) {
  return std::visit([](const auto& d) -> const std::vector<std::string>& { return d.names; },
                    decision);
}

void write_answers(const std::string& path, const AnswerLayout& layout, std::uint64_t memory,
                   const std::function<void(AnswerWriter&)>& fill) {
  if (layout.format == AnswerFormat::h5ad) {
    AnnDataAnswers writer(layout.decision, layout.copied, layout.deviations);
    fill(writer);
    writer.finish(path);
    return;
  }
  if (layout.format != AnswerFormat::npz) {
    write_atomically(path, [&](FileSink& sink) {
      if (layout.format == AnswerFormat::json_lines) {
        JsonLineAnswers writer(sink, layout);
        fill(writer);
      } else {
        DelimitedAnswers writer(sink, layout);
        fill(writer);
      }
    });
    return;
  }
  NpzAnswers writer(layout, memory);
  fill(writer);
  writer.finish(path);
}

}  // namespace stkr::app
