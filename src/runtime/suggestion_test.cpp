#include "runtime/suggestion.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "stkr/error.hpp"

namespace stkr::suggestion_test {
namespace {

const std::vector<std::string> kNames{"eta",    "beta", "power",     "labels",
                                      "target", "fit",  "lazy-walk", "predict"};

TEST(Suggestion, FindsTypingErrors) {
  EXPECT_EQ(closest("etta", kNames), "eta");          // one too many
  EXPECT_EQ(closest("bta", kNames), "eta");           // the first of two that are as close
  EXPECT_EQ(closest("powre", kNames), "power");       // exchanged
  EXPECT_EQ(closest("lables", kNames), "labels");     // exchanged
  EXPECT_EQ(closest("targit", kNames), "target");     // replaced
  EXPECT_EQ(closest("perdicts", kNames), "predict");  // two errors
}

TEST(Suggestion, IgnoresCaseAndTheKindOfHyphen) {
  EXPECT_EQ(closest("Target", kNames), "target");
  EXPECT_EQ(closest("lazy_walk", kNames), "lazy-walk");
  EXPECT_EQ(closest("Lazy Walk", kNames), "lazy-walk");
  const std::vector<std::string> close{"tarset", "TARGET"};
  EXPECT_EQ(closest("target", close), "TARGET") << "equal but for case is closer than any error";
}

TEST(Suggestion, IsSilentIfNothingIsClose) {
  for (const char* text : {"", "lambda", "x", "ab", "frobnicate"}) {
    EXPECT_EQ(closest(text, kNames), std::nullopt) << text;
  }
  EXPECT_EQ(closest("eta", {}), std::nullopt);
  const std::vector<std::string> single{"x", "ab"};
  EXPECT_EQ(closest("y", single), std::nullopt) << "every letter would be close to every other";
}

TEST(Suggestion, DoesNotMeasureVeryLongNames) {
  const std::string name(1'000'000, 'a');
  const std::vector<std::string> names{name + "b", name};
  EXPECT_EQ(closest(name + "c", names), std::nullopt);
  EXPECT_EQ(closest(name, names), name);
}

TEST(Suggestion, NamesMayBeWrittenWithHyphensOrUnderscores) {
  EXPECT_EQ(same_name("lazy_walk", kNames), "lazy-walk");
  EXPECT_EQ(same_name("lazy-walk", kNames), "lazy-walk");
  EXPECT_EQ(same_name("Lazy-walk", kNames), std::nullopt);
  EXPECT_EQ(same_name("lazy", kNames), std::nullopt);
  EXPECT_EQ(known_name("lazy_walk", kNames, "kernel"), "lazy-walk");
}

TEST(Suggestion, UnknownNamesAreListedWithTheClosest) {
  const std::vector<std::string> names{"rbf", "laplacian"};
  EXPECT_EQ(unknown_name("rbff", names),
            "'rbff' is unknown; expected one of rbf, laplacian; did you mean rbf?");
  EXPECT_EQ(unknown_name("cosine", names), "'cosine' is unknown; expected one of rbf, laplacian");
  try {
    known_name("rbff", names, "kernel");
    ADD_FAILURE() << "an unknown name was accepted";
  } catch (const ParameterError& error) {
    EXPECT_EQ(std::string(error.what()), "kernel " + unknown_name("rbff", names));
  }
}

TEST(Suggestion, IsTheEndOfASentence) {
  EXPECT_EQ(suggestion("etta", kNames, "--"), "; did you mean --eta?");
  EXPECT_EQ(suggestion("Target", kNames), "; did you mean target?");
  EXPECT_EQ(suggestion("nothing", kNames), "");
}

}  // namespace
}  // namespace stkr::suggestion_test
