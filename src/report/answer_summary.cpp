#include "report/answer_summary.hpp"

#include <algorithm>

namespace stkr::report {
namespace {

double margin(const DoubtfulSample& sample) { return sample.first_share - sample.second_share; }

}  // namespace

AnswerSummary::AnswerSummary(const Decision& decision, std::size_t most_doubtful)
    : most_doubtful_(most_doubtful) {
  if (const auto* classes = std::get_if<ClassDecision>(&decision)) {
    answers_.assign(classes->names.size(), 0);
  } else {
    ranges_.resize(std::get<TargetDecision>(decision).names.size());
  }
}

void AnswerSummary::add(const Predictions& predictions, std::span<const std::string> names,
                        std::span<const char> skip, const std::function<Vector(Index)>& features) {
  const Index first_index = samples_;
  const Index count = predictions.scores.rows();
  for (Index k = 0; k < count; ++k, ++samples_) {
    without_evidence_ += predictions.evidence[k] == 0;
    if (predictions.class_index.empty()) {
      for (std::size_t t = 0; t < ranges_.size(); ++t) {
        const double value = predictions.scores(k, static_cast<Index>(t));
        Range& range = ranges_[t];
        range.low = samples_ == 0 ? value : std::min(range.low, value);
        range.high = samples_ == 0 ? value : std::max(range.high, value);
        range.sum += value;
      }
      continue;
    }
    tied_ += predictions.tied[k] != 0;
    const Index chosen = predictions.class_index[k];
    ++answers_[chosen];
    if (!predictions.evidence[k] || (!skip.empty() && skip[k]) || predictions.scores.cols() < 2) {
      continue;
    }
    const auto scores = predictions.scores.row(k).cwiseMax(0.0).eval();
    const double total = scores.sum();
    if (!(total > 0.0)) continue;
    DoubtfulSample sample{.index = first_index + k, .name = {}, .first = chosen};
    sample.second = chosen == 0 ? 1 : 0;
    for (Index c = 0; c < scores.size(); ++c) {
      if (c != chosen && scores[c] > scores[sample.second]) sample.second = c;
    }
    sample.first_share = scores[chosen] / total;
    sample.second_share = scores[sample.second] / total;
    if (doubtful_.size() >= most_doubtful_ &&
        (most_doubtful_ == 0 || margin(sample) >= margin(doubtful_.back()))) {
      continue;
    }
    if (!names.empty()) sample.name = names[k];
    if (features) sample.features = features(k);
    doubt(std::move(sample));
  }
}

void AnswerSummary::doubt(DoubtfulSample sample) {
  const auto place =
      std::upper_bound(doubtful_.begin(), doubtful_.end(), margin(sample),
                       [](double value, const DoubtfulSample& one) { return value < margin(one); });
  doubtful_.insert(place, std::move(sample));
  if (doubtful_.size() > most_doubtful_) doubtful_.pop_back();
}

}  // namespace stkr::report
