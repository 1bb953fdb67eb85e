#include "json_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stkr::app {
namespace {

TEST(JsonText, HasAnyPath) {
  const nlohmann::json document{{"model", "m\xe4nnlich.npz"}, {"class", "\x1b[31m ü"}};
  const std::string text = json_text(document);
  EXPECT_NE(text.find("m\xef\xbf\xbdnnlich.npz"), std::string::npos) << text;
  EXPECT_NE(text.find("\\u001b[31m ü"), std::string::npos) << text;
  EXPECT_EQ(nlohmann::json::parse(text)["class"], document["class"]);
}

}  // namespace
}  // namespace stkr::app
