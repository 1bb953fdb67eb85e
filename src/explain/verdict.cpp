#include "explain/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stkr {
namespace {

constexpr double kSigns = 2.0;   // standard errors
constexpr double kSmall = 0.02;  // a difference worth a label, of the error

bool clearly(double difference, double error) { return difference > kSigns * error; }

const ComparedFit* find(const Explanation& found, const char* name) {
  for (const ComparedFit& fit : found.compared) {
    if (fit.name == name) return &fit;
  }
  return nullptr;
}

const ComparedFit* selected_fit(const Explanation& found) {
  const ComparedFit* selected = find(found, kSelectedFit);
  return selected ? selected : find(found, kGivenFit);
}

std::string text(double error, double standard_error, bool classes) {
  return error_text(error, standard_error, classes);
}

// "wrong answers" or "of the variance unexplained"
const char* unit(bool classes) { return classes ? "wrong" : "of the variance missed"; }

void say_what_to_expect(const Explanation& found, std::vector<std::string>& verdict) {
  const ComparedFit* best = find(found, kSuggestedFit);
  if (const ComparedFit* selected = selected_fit(found)) best = selected;
  if (!best) return;
  verdict.push_back(
      fmt::format("Expect about {} {}{}: each of the {} labels was predicted from the others.",
                  text(best->error, best->standard_error, found.classes), unit(found.classes),
                  best->name == kSuggestedFit ? " with the suggested fit" : "", found.labels_used));
}

void say_whether_unlabeled_help(const Explanation& found, std::vector<std::string>& verdict) {
  const ComparedFit* alone = find(found, kLabelsAlone);
  const ComparedFit* none = find(found, kNoFit);
  if (!alone) return;
  const std::string other = text(alone->error, alone->standard_error, found.classes);
  if (none && !clearly(none->more, none->more_error)) {
    verdict.push_back(fmt::format(
        "No fit is clearly better than {} ({} {}): either the labels do not follow the kernel, or "
        "there are too few of them.",
        found.classes ? "answering the most frequent class" : "answering the mean",
        text(none->error, none->standard_error, found.classes), unit(found.classes)));
  } else if (clearly(alone->more, alone->more_error)) {
    verdict.push_back(fmt::format(
        "Unlabeled samples help: kernel ridge regression on the labels alone has {} {}, {} more.",
        other, unit(found.classes), text(alone->more, alone->more_error, found.classes)));
  } else if (clearly(-alone->more, alone->more_error)) {
    verdict.push_back(fmt::format(
        "Unlabeled samples mislead: kernel ridge regression on the labels alone has {} {}, {} "
        "less. "
        "Use --method kernel-ridge, or another kernel.",
        other, unit(found.classes), text(-alone->more, alone->more_error, found.classes)));
  } else if (alone->more + kSigns * alone->more_error < kSmall) {
    verdict.push_back(
        fmt::format("Kernel ridge regression on the labels alone would do: {} {}, {} more.", other,
                    unit(found.classes), text(alone->more, alone->more_error, found.classes)));
  } else {
    verdict.push_back(fmt::format(
        "Whether unlabeled samples help is open: kernel ridge regression on the labels alone has "
        "{} "
        "{}, {} more.",
        other, unit(found.classes), text(alone->more, alone->more_error, found.classes)));
  }
}

void say_which_transform(const Explanation& found, std::vector<std::string>& verdict) {
  if (!found.suggestion) {
    if (!found.advice.unknown.empty()) {
      verdict.push_back(
          fmt::format("Nothing can be said about the transform: {}.", found.advice.unknown));
    }
    return;
  }
  // The smallest number of leading bands with most of the energy.
  double share = 0.0, variance = 0.0;
  Index last = 0;
  for (const EnergyBand& band : found.energy.bands) {
    share += band.share;
    variance += band.standard_error * band.standard_error;
    last = band.last;
    if (share >= 0.8) break;
  }
  const SuggestedFit& fit = *found.suggestion;
  const std::size_t others = found.advice.candidates.size() - 1;
  const std::string energy =
      fmt::format("{:.0f}% ± {:.0f}% of their variance is in the first {}of {} eigenvectors",
                  100.0 * share, 100.0 * std::sqrt(variance),
                  last == 1 ? "" : fmt::format("{} ", last), found.energy.rest.last);
  if (!found.advice.agrees) {
    verdict.push_back(fmt::format(
        "Transform: {} for want of a better one. No transform that was compared expects the labels "
        "where they are ({}): another kernel may suit them.",
        fit.transform.describe(), energy));
  } else {
    verdict.push_back(fmt::format(
        "Transform: {}, which expects the labels where they are: {}. {}", fit.transform.describe(),
        energy,
        others == 0 ? "No other transform that was compared does."
                    : fmt::format("{} labels do not tell it from {} other{} that {} compared.",
                                  found.energy.labels, others, others == 1 ? "" : "s",
                                  others == 1 ? "was" : "were")));
  }
  verdict.push_back(fmt::format(
      "Ridge: β = {:.3g} ({:g} of the kernel's mean diagonal), by leave-one-out. With n labels "
      "instead of {}, scale it by ({}/n)^{:.2f}: eigenvalues decay like i^(-1/p) with p = {:.2f}.",
      fit.beta, fit.ridge, found.labels_used, found.labels_used, 1.0 / (1.0 + fit.decay.p),
      fit.decay.p));
}

void say_what_to_buy(const Explanation& found, std::vector<std::string>& verdict) {
  const LearningCurve &labels = found.with_labels, &samples = found.with_samples;
  if (!labels.gain) {
    if (!labels.unknown.empty()) {
      verdict.push_back(
          fmt::format("Whether more labels would help is unknown: {}.", labels.unknown));
    }
    return;
  }
  const auto gain = [&](const LearningCurve& curve) {
    return text(*curve.gain, curve.gain_error, found.classes);
  };
  const bool by_labels = clearly(*labels.gain, labels.gain_error);
  const bool by_samples = samples.gain && clearly(*samples.gain, samples.gain_error);
  std::string advice;
  if (samples.gain) {
    const double difference = *labels.gain - *samples.gain;
    const double error = std::hypot(labels.gain_error, samples.gain_error);
    if (by_labels && clearly(difference, error)) {
      advice = "More labels are the better buy";
    } else if (by_samples && clearly(-difference, error)) {
      advice = "More unlabeled samples are the better buy";
    } else if (by_labels || by_samples) {
      advice = "Both help about as much";
    } else {
      const double worst = std::max(labels.gain_error, samples.gain_error);
      const Index needed = labels_to_see(kSmall, worst, found.labels_used);
      advice =
          needed <= found.labels_used
              ? "Neither helps any more"
              : fmt::format("Neither clearly helps; a gain of {} would show with about {} labels",
                            text(kSmall, 0.0, found.classes), needed);
    }
    verdict.push_back(fmt::format(
        "{}: the last doubling of the labels gained {}, that of the unlabeled samples {}{}.",
        advice, gain(labels), gain(samples),
        found.graph ? " (a node leaves with its edges, so that a smaller graph is also sparser)"
                    : ""));
  } else {
    verdict.push_back(fmt::format("More labels {}: the last doubling gained {}.",
                                  by_labels ? "help" : "do not clearly help", gain(labels)));
  }
}

void say_what_advice_costs(const Explanation& found, std::vector<std::string>& verdict) {
  const ComparedFit* selected = selected_fit(found);
  if (!selected || !find(found, kSuggestedFit)) return;
  const double cost = -selected->more;
  verdict.push_back(fmt::format(
      "Following this advice instead of the {} {} {}{}.", selected->name,
      cost >= 0.0 ? "costs" : "gains", text(std::abs(cost), selected->more_error, found.classes),
      clearly(std::abs(cost), selected->more_error) ? ""
                                                    : ", which the labels cannot tell from none"));
}

void say_what_is_wrong(const Explanation& found, std::vector<std::string>& verdict) {
  const KernelFacts& kernel = found.kernel;
  if (!kernel.definiteness.semidefinite) {
    verdict.push_back("Attention: " + kernel.definiteness.remedy + ".");
  }
  if (kernel.reach && found.labels > 0 && kernel.reach->samples_without_label() > 0) {
    verdict.push_back(fmt::format(
        "{} of {} samples are in {} components without a label and get the most frequent answer; "
        "a label in the largest of these helps most.",
        kernel.reach->samples_without_label(), kernel.samples,
        kernel.reach->components_without_label()));
  }
}

void say_what_bounds_say(const Explanation& found, std::vector<std::string>& verdict) {
  if (found.bounds.empty()) return;
  const auto vacuous =
      std::count_if(found.bounds.begin(), found.bounds.end(),
                    [](const Bound& bound) { return bound.vacuous() || bound.applies() == false; });
  std::string line = fmt::format("Of the paper's bounds, {} of {} say nothing about these data.",
                                 vacuous, found.bounds.size());
  if (found.cross_fit && found.suggestion) {
    line += fmt::format(
        " Measured instead: fits to disjoint parts of the unlabeled samples put the error from "
        "their finite number at {:.2g}% of the mean square of f.",
        100.0 * found.cross_fit->adjusted / found.suggestion->mean_square);
  }
  verdict.push_back(std::move(line));
}

}  // namespace

std::string error_text(double error, double standard_error, bool classes) {
  const char* sign = error < 0.0 ? "-" : "";
  const double size = std::abs(error);
  if (classes) {
    return standard_error > 0.0
               ? fmt::format("{}{:.1f}% ± {:.1f}%", sign, 100.0 * size, 100.0 * standard_error)
               : fmt::format("{}{:.1f}%", sign, 100.0 * size);
  }
  if (size < 1e-9) return "0";
  return standard_error > 0.0 ? fmt::format("{}{:.3g} ± {:.2g}", sign, size, standard_error)
                              : fmt::format("{}{:.3g}", sign, size);
}

Index labels_to_see(double difference, double standard_error, Index labels) {
  const double ratio = kSigns * standard_error / difference;
  return static_cast<Index>(std::ceil(static_cast<double>(labels) * ratio * ratio));
}

std::vector<std::string> verdict_of(const Explanation& found) {
  std::vector<std::string> verdict;
  say_what_to_expect(found, verdict);
  say_whether_unlabeled_help(found, verdict);
  say_which_transform(found, verdict);
  say_what_to_buy(found, verdict);
  say_what_advice_costs(found, verdict);
  say_what_is_wrong(found, verdict);
  say_what_bounds_say(found, verdict);
  return verdict;
}

}  // namespace stkr
