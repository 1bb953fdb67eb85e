#pragma once

#include <functional>

#include "predict_options.hpp"
#include "stkr/model/model.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace stkr::app {

// Predicts the k-th part of a stream of new samples; empty: Model::predict.
using PredictPart = std::function<Predictions(const Model& model, const NewSamples& part, Index k)>;

// `stkr predict`. Returns the exit code.
int run_predict(PredictArguments& arguments, const CLI::App& command,
                const PredictPart& predict = {});

}  // namespace stkr::app
