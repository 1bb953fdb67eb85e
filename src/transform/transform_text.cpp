#include "transform/transform_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "stkr/error.hpp"
#include "stkr/transform/spectral_transform.hpp"
#include "transform/transform_names.hpp"

namespace stkr {
namespace {

std::string example() {
  return fmt::format("0.4*{}(0.99) + 0.6*{}(2)", transform_name(TransformKind::inverse_laplacian),
                     transform_name(TransformKind::power));
}

std::string arguments_of(const SpectralTransform& transform) {
  const SpectralTransform::Form& form = transform.form();
  if (const auto* t = std::get_if<PowerTransform>(&form)) return fmt::format("({})", t->exponent);
  if (const auto* t = std::get_if<PolynomialTransform>(&form)) {
    return fmt::format("({})", fmt::join(t->coefficients, ", "));
  }
  if (const auto* t = std::get_if<InverseLaplacianTransform>(&form)) {
    return fmt::format("({})", t->eta);
  }
  if (const auto* t = std::get_if<ReciprocalTransform>(&form)) {
    return fmt::format("({}, {})", t->r, fmt::join(t->coefficients, ", "));
  }
  if (const auto* t = std::get_if<DiffusionTransform>(&form)) return fmt::format("({})", t->time);
  if (const auto* t = std::get_if<TruncationTransform>(&form)) {
    return fmt::format("({})", t->dimension);
  }
  if (const auto* t = std::get_if<PoissonTransform>(&form)) return fmt::format("({})", t->eta);
  if (const auto* t = std::get_if<SmoothStepTransform>(&form)) {
    return fmt::format("({}, {})", t->position, t->sharpness);
  }
  return "";
}

// Reads the text from left to right.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  SpectralTransform sum() {
    std::vector<TransformTerm> terms;
    do {
      terms.push_back(term());
    } while (take('+'));
    if (at_ != text_.size()) fail("'+' or the end");
    if (terms.size() == 1 && terms.front().weight == 1.0) return terms.front().transform;
    return SpectralTransform::sum(std::move(terms));
  }

  std::vector<WrittenFit> average() {
    std::vector<WrittenFit> fits;
    do {
      TransformTerm one = term();
      if (!take('@')) fail("'@' and the ridge of this term");
      fits.push_back({one.weight, std::move(one.transform), number("a ridge")});
    } while (take('+'));
    if (at_ != text_.size()) fail("'+' or the end");
    return fits;
  }

 private:
  TransformTerm term() {
    double weight = 1.0;
    skip_spaces();
    if (at_ < text_.size() && !std::isalpha(static_cast<unsigned char>(text_[at_]))) {
      weight = number("a weight or the name of a transform");
      if (!take('*')) fail("'*' after the weight");
    }
    return {weight, transform()};
  }

  SpectralTransform transform() {
    skip_spaces();
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '-' || text_[at_] == '_')) {
      ++at_;
    }
    std::string name = text_.substr(start, at_ - start);
    std::replace(name.begin(), name.end(), '_', '-');
    const std::size_t after_name = at_;
    if (name.empty()) fail("the name of a transform");
    if (!take('(')) fail(fmt::format("'(' and the parameters of {}", name));
    const bool through = name == kThroughPairs;
    std::vector<double> values;
    std::vector<TransformPair> pairs;
    do {
      values.push_back(number("a number"));
      if (!through) continue;
      if (!take(':')) fail("':' and the value of s");
      pairs.push_back({values.back(), number("the value of s")});
    } while (take(','));
    if (!take(')')) fail("',' or ')'");
    const std::size_t end = std::exchange(at_, after_name);
    SpectralTransform result = through ? transform_through(pairs) : make(name, values);
    at_ = end;
    return result;
  }

  SpectralTransform make(const std::string& name, const std::vector<double>& values) const {
    const auto kind = find_transform_kind(name);
    if (!kind) {
      throw ParameterError(fmt::format("transform '{}': '{}' is unknown; expected {} or {}", text_,
                                       name, fmt::join(kTransformNames, ", "), kThroughPairs));
    }
    // `form` shows the parameters; {0} in it stands for the name.
    const auto count = [&](std::size_t least, std::size_t most, const char* form) {
      if (values.size() < least || values.size() > most) {
        throw ParameterError(fmt::format("transform '{}': {} numbers in {}(...); expected {}",
                                         text_, values.size(), name,
                                         fmt::format(fmt::runtime(form), name)));
      }
    };
    constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
    switch (*kind) {
      case TransformKind::power:
        count(1, 1, "{0}(p)");
        return SpectralTransform::power(values[0]);
      case TransformKind::polynomial:
        return SpectralTransform::polynomial(values);
      case TransformKind::inverse_laplacian:
        count(1, 1, "{0}(eta)");
        return SpectralTransform::inverse_laplacian(values[0]);
      case TransformKind::reciprocal:
        count(2, kAny, "{0}(r, xi_0, xi_1, ...)");
        return SpectralTransform::reciprocal({values.begin() + 1, values.end()}, whole(values[0]));
      case TransformKind::diffusion:
        count(1, 1, "{0}(t)");
        return SpectralTransform::diffusion(values[0]);
      case TransformKind::truncation:
        count(1, 1, "{0}(d)");
        return SpectralTransform::truncation(whole(values[0]));
      case TransformKind::poisson:
        count(1, 1, "{0}(eta)");
        return SpectralTransform::poisson(values[0]);
      case TransformKind::smooth_step:
        break;
    }
    count(1, 2, "{0}(c) or {0}(c, p)");
    return values.size() == 1 ? SpectralTransform::smooth_step(values[0])
                              : SpectralTransform::smooth_step(values[0], whole(values[1]));
  }

  int whole(double value) const {
    if (value != std::floor(value) || std::abs(value) > std::numeric_limits<int>::max()) {
      throw ParameterError(
          fmt::format("transform '{}': found {}; expected a whole number", text_, value));
    }
    return static_cast<int>(value);
  }

  double number(const char* what) {
    skip_spaces();
    double value = 0.0;
    const char* end = text_.data() + text_.size();
    const auto [rest, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc() || !std::isfinite(value)) fail(what);
    at_ = static_cast<std::size_t>(rest - text_.data());
    return value;
  }

  bool take(char wanted) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void skip_spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string found =
        at_ < text_.size() ? fmt::format("'{}'", text_.substr(at_, 12)) : "the end";
    throw ParameterError(
        fmt::format("transform '{}': found {} at character {}; expected {}, as in {}", text_, found,
                    at_ + 1, expected, example()));
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string to_text(const SpectralTransform& transform) {
  std::string text;
  for (const TransformTerm& term : terms_of(transform)) {
    if (!text.empty()) text += " + ";
    if (term.weight != 1.0) text += fmt::format("{}*", term.weight);
    text += term.transform.name() + arguments_of(term.transform);
  }
  return text;
}

std::string to_text(const std::vector<WrittenFit>& fits) {
  std::string text;
  for (const WrittenFit& fit : fits) {
    text += fmt::format("{}{}*{}{}@{}", text.empty() ? "" : " + ", fit.weight, fit.transform.name(),
                        arguments_of(fit.transform), fit.ridge);
  }
  return text;
}

std::vector<WrittenFit> average_from_text(const std::string& text) {
  return Reader(text).average();
}

SpectralTransform transform_from_text(const std::string& text) { return Reader(text).sum(); }

}  // namespace stkr
