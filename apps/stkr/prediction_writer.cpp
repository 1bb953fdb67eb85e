#include "prediction_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dataset/csv.hpp"

namespace stkr::app {
namespace {

// The prediction for sample i: a class name, a number, or one number per target.
std::string answer(const Decision& decision, const Predictions& predictions, Index i) {
  if (const auto* classes = std::get_if<ClassDecision>(&decision)) {
    return csv_field(classes->names[predictions.class_index[i]]);
  }
  return fmt::format("{}", fmt::join(predictions.scores.row(i), ";"));
}

}  // namespace

const std::vector<std::string>& output_names(const Decision& decision) {
  return std::visit([](const auto& d) -> const std::vector<std::string>& { return d.names; },
                    decision);
}

PredictionWriter::PredictionWriter(FileSink& sink, const Decision& decision,
                                   const PredictionOptions& options)
    : sink_(sink),
      decision_(decision),
      options_(options),
      classes_(std::holds_alternative<ClassDecision>(decision)) {
  std::string line = options.named ? "index,node,prediction,evidence" : "index,prediction,evidence";
  if (classes_) line += ",tie";
  for (const std::string& name : output_names(decision)) {
    line += fmt::format(",{}", csv_field("score_" + name));
  }
  sink_.write(line + "\n");
}

void PredictionWriter::write(const Predictions& part, std::span<const std::string> names) {
  for (Index i = 0; i < part.scores.rows(); ++i) {
    std::string line = std::to_string(written_.rows++);
    if (options_.named) {
      line += fmt::format(",{}", csv_field(names[static_cast<std::size_t>(i)]));
    }
    line += fmt::format(",{},{}", answer(decision_, part, i), static_cast<int>(part.evidence[i]));
    if (classes_) line += part.tied[i] ? ",1" : ",0";
    for (const double score : part.scores.row(i)) line += fmt::format(",{}", score);
    sink_.write(line + "\n");
  }
  written_.tally.add(part);
  written_.without_evidence += std::count(part.evidence.begin(), part.evidence.end(), 0);
  written_.tied += std::count(part.tied.begin(), part.tied.end(), 1);
  if (!options_.keep_evidence) return;
  written_.evidence.insert(written_.evidence.end(), part.evidence.begin(), part.evidence.end());
  written_.names.insert(written_.names.end(), names.begin(), names.end());
}

}  // namespace stkr::app
