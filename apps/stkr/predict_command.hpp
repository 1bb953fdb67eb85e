#pragma once

#include <functional>

#include "predict_options.hpp"
#include "stkr/model/model.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace stkr::app {

// How several processes predict a stream of new samples.
struct SharedStream {
  std::function<void()> begin;  // before the first part, when all that can be checked has been
  std::function<Predictions(const Model& model, const NewSamples& part, Index k)> predict;
};

// `stkr predict`. Returns the exit code.
int run_predict(PredictArguments& arguments, const CLI::App& command,
                const SharedStream* shared = nullptr);

}  // namespace stkr::app
