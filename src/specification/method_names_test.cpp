#include "specification/method_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "specification/kernel_names.hpp"
#include "temporary_folder.hpp"

namespace stkr::method_names_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

// One of each, with every parameter that it needs.
std::vector<MethodOptions> complete() {
  return {
      {.transform = "power", .power = 2.5, .ridge = 0.5},
      {.transform = "polynomial", .coefficients = {1.0, 0.5}, .beta = 0.1},
      {.transform = "inverse-laplacian", .eta = 0.9, .solver = "cg"},
      {.transform = "reciprocal", .coefficients = {1.0, -0.5}, .r = 2},
      {.transform = "diffusion", .time = 2.0},
      {.transform = "truncation", .dimension = 4, .literal_top_d = true},
      {.transform = "poisson", .eta = 0.9},
      {.transform = "smooth-step(0.5, 8)"},
      {.transform = "learned", .ridge = 0.3},
      {.method = "kernel-pca", .dimension = 4, .ridge = 0.2, .pca_of_all = true},
      {.method = "kernel-ridge", .beta = 0.1},
      {.method = "label-propagation", .eta = 0.7, .iterations = 5},
  };
}

TEST(MethodNames, OptionsAndMethodsAreInverse) {
  for (MethodOptions options : complete()) {
    const MethodOptions back = options_of(method_spec(options));
    if (options.method.empty()) options.method = "stkr";
    EXPECT_EQ(back.method, options.method);
    EXPECT_EQ(back.transform, options.transform);
    EXPECT_EQ(back.eta, options.eta);
    EXPECT_EQ(back.power, options.power);
    EXPECT_EQ(back.coefficients, options.coefficients);
    EXPECT_EQ(back.r, options.r);
    EXPECT_EQ(back.time, options.time);
    EXPECT_EQ(back.dimension, options.dimension);
    EXPECT_EQ(back.ridge, options.ridge);
    EXPECT_EQ(back.beta, options.beta);
    EXPECT_EQ(back.solver, options.solver);
    EXPECT_EQ(back.iterations, options.iterations);
    EXPECT_EQ(back.literal_top_d, options.literal_top_d);
    EXPECT_EQ(back.pca_of_all, options.pca_of_all);
  }
}

TEST(MethodNames, AreThoseOfTheMethodsAndTransforms) {
  std::vector<std::string> methods, transforms;
  for (const MethodOptions& options : complete()) {
    const MethodSpec method = method_spec(options);
    if (methods.empty() || methods.back() != name_of(method)) methods.push_back(name_of(method));
    if (const auto* stkr = std::get_if<StkrSpec>(&method)) {
      transforms.push_back(stkr->learned ? "learned" : stkr->transform->name());
      EXPECT_EQ(options.transform.rfind(transforms.back(), 0), 0u) << options.transform;
    }
  }
  EXPECT_EQ(methods, method_names());
  EXPECT_EQ(transforms, transform_names());
  for (const std::string& solver : solver_names()) {
    EXPECT_EQ(to_string(std::get<StkrSpec>(method_spec({.solver = solver})).solver), solver);
  }
}

TEST(MethodNames, AParameterImpliesItsTransform) {
  const auto implied = [](const MethodOptions& options) {
    return std::get<StkrSpec>(method_spec(options)).transform->name();
  };
  EXPECT_EQ(implied({.power = 2}), "power");
  EXPECT_EQ(implied({.time = 2}), "diffusion");
  EXPECT_EQ(implied({.dimension = 2}), "truncation");
  EXPECT_EQ(implied({.eta = 0.5}), "inverse-laplacian");
  // Without η, it is chosen from the data.
  EXPECT_FALSE(std::get<StkrSpec>(method_spec({})).transform);
  EXPECT_FALSE(std::get<StkrSpec>(method_spec({.transform = "inverse-laplacian"})).transform);
}

TEST(MethodNames, TransformsMayBeWrittenWithTheirParameters) {
  const std::string sum = "0.4*inverse-laplacian(0.99) + 0.6*power(2)";
  const auto method = std::get<StkrSpec>(method_spec({.transform = sum, .ridge = 0.2}));
  EXPECT_EQ(method.transform->describe(), sum);
  EXPECT_EQ(options_of(method).transform, sum);
  EXPECT_EQ(options_of(method).ridge, 0.2);
  // One term is the transform itself, with its options.
  const MethodOptions power = options_of(method_spec({.transform = "power(8)"}));
  EXPECT_EQ(power.transform, "power");
  EXPECT_EQ(power.power, 8.0);
  EXPECT_THAT(message_of<ValueError>([&] { method_spec({.transform = sum, .eta = 0.5}); }),
              HasSubstr("eta applies only to"));
  EXPECT_THAT(message_of<ValueError>([] { method_spec({.transform = "smooth-step"}); }),
              HasSubstr("smooth-step(0.5)"));
  for (const std::string& name : transform_names()) EXPECT_NO_THROW(check_transform_name(name));
  EXPECT_NO_THROW(check_transform_name(sum));
  const std::string pairs = "through(0.1:0.01, 1:1)";
  EXPECT_EQ(options_of(method_spec({.transform = pairs})).transform, pairs);
  EXPECT_THAT(message_of<ValueError>([] { method_spec({.transform = "through"}); }),
              HasSubstr(pairs));
  EXPECT_THAT(message_of<ValueError>([] { check_transform_name("through"); }), HasSubstr(pairs));
  EXPECT_THROW(check_transform_name("sine"), ValueError);
  EXPECT_THROW(check_transform_name("sine(2)"), ValueError);
}

TEST(MethodNames, ALearnedTransformIsNotGiven) {
  const auto learned = std::get<StkrSpec>(method_spec({.transform = "learned"}));
  EXPECT_TRUE(learned.learned);
  EXPECT_FALSE(learned.transform);
  const StkrSpec both{.transform = SpectralTransform::power(2), .learned = true};
  EXPECT_THAT(message_of<ValueError>([&] { check_method(both); }),
              HasSubstr("is given and to be learned"));
}

TEST(MethodNames, NameTheParameterThatATransformLacks) {
  for (const auto& [name, lacks] : {std::pair{"power", "a power"},
                                    {"diffusion", "a time"},
                                    {"truncation", "a dimension"},
                                    {"polynomial", "coefficients"},
                                    {"reciprocal", "coefficients"}}) {
    EXPECT_THAT(message_of<ValueError>([&] { method_spec({.transform = name}); }),
                HasSubstr(std::string("transform ") + name + " needs " + lacks));
  }
}

TEST(MethodNames, AnOptionThatDoesNotApplyIsRefused) {
  struct Case {
    MethodOptions options;
    const char* option;
  };
  for (const Case& each : {
           Case{{.method = "kernel-pca", .transform = "power"}, "transform"},
           Case{{.transform = "diffusion", .power = 2, .time = 1.0}, "power"},
           Case{{.transform = "power", .power = 2, .time = 1.0}, "time"},
           Case{{.method = "kernel-ridge", .dimension = 3}, "d"},
           Case{{.literal_top_d = true}, "literal-top-d"},
           Case{{.eta = 0.5, .power = 2}, "eta"},
           Case{{.coefficients = {1.0}}, "coefficients"},
           Case{{.r = 2}, "r"},
           Case{{.method = "label-propagation", .beta = 0.1}, "beta"},
           Case{{.method = "label-propagation", .ridge = 0.1}, "ridge"},
           Case{{.iterations = 3}, "iterations"},
           Case{{.method = "kernel-ridge", .solver = "cg"}, "solver"},
           Case{{.method = "kernel-pca", .tolerance = 1e-3}, "tolerance"},
           Case{{.method = "kernel-pca", .max_iterations = 3}, "max-iterations"},
           Case{{.solver = "cg", .step_size = 1.0}, "step-size"},
       }) {
    try {
      method_spec(each.options);
      ADD_FAILURE() << each.option << " was accepted";
    } catch (const OptionError& error) {
      EXPECT_EQ(error.option(), each.option);
      EXPECT_THAT(error.what(), HasSubstr("applies only to"));
    }
  }
}

TEST(MethodNames, RefuseUnknownNamesAndContradictions) {
  EXPECT_THAT(message_of<ValueError>([] { method_spec({.transform = "sigmoid"}); }),
              HasSubstr("'sigmoid'"));
  EXPECT_THAT(message_of<ValueError>([] { method_spec({.method = "svm"}); }), HasSubstr("'svm'"));
  EXPECT_THAT(message_of<ValueError>([] { method_spec({.solver = "lu"}); }), HasSubstr("'lu'"));
  EXPECT_THAT(message_of<ValueError>([] { method_spec({.ridge = 0.5, .beta = 0.1}); }),
              HasSubstr("give one of them"));
  EXPECT_THAT(message_of<ValueError>([] { method_spec({.tolerance = 0.0}); }),
              HasSubstr("tolerance = 0"));
  EXPECT_THAT(message_of<ValueError>([] { method_spec({.max_iterations = 0}); }),
              HasSubstr("max-iterations = 0"));
}

}  // namespace
}  // namespace stkr::method_names_test
