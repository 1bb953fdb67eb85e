#include "selection/dictionary_blocks.hpp"

#include <gtest/gtest.h>

#include "gram/weighted_gram.hpp"
#include "gram_cases.hpp"
#include "transform_cases.hpp"

namespace stkr::dictionary_blocks_test {
namespace {

using namespace cases;
using reference::relative_error;

const std::vector<Index> kSome{17, 2, 5, 11, 0, 22, 8, 14};

class DictionaryOfEveryGram : public testing::TestWithParam<GramCase> {};

INSTANTIATE_TEST_SUITE_P(Grams, DictionaryOfEveryGram, testing::ValuesIn(gram_cases()), CaseName());

TEST_P(DictionaryOfEveryGram, BlocksAreThoseOfTheReference) {
  const auto gram = GetParam().make(1);
  const reference::Dense dense = GetParam().dense();
  std::vector<TransformCase> terms;
  std::vector<SpectralTransform> dictionary;
  for (const TransformCase& t : transform_cases(*gram, dense)) {
    if (t.name == "truncation" || t.name.starts_with("poisson")) continue;  // no functions of λ
    terms.push_back(t);
    dictionary.push_back(t.transform);
  }
  const auto exact = [&](const TransformCase& t) {
    return reference::columns_of(reference::rows_of(dense.transformed(t.exact), kSome), kSome);
  };
  // At once, and column by column.
  for (const std::size_t bytes : {std::size_t{1} << 30, std::size_t{1}}) {
    const DictionaryBlocks found =
        dictionary_blocks(*gram, kSome, dictionary, {.tolerance = 1e-11, .block_bytes = bytes});
    EXPECT_TRUE(found.warnings.empty()) << found.warnings.front();
    EXPECT_GT(found.products, 0);
    for (std::size_t k = 0; k < terms.size(); ++k) {
      SCOPED_TRACE(terms[k].name);
      const Matrix wanted = exact(terms[k]);
      EXPECT_LT((found.blocks[k] - wanted).norm(), 1e-8 * wanted.norm());
      EXPECT_EQ(found.blocks[k], Matrix(found.blocks[k].transpose()));
    }
  }
}

}  // namespace
}  // namespace stkr::dictionary_blocks_test
