#include "questions.hpp"

#include <fmt/format.h>

#include "file_roles.hpp"
#include "stkr/error.hpp"

namespace stkr::app {

Answered answer_questions(const PredictArguments& arguments, const Model& model) {
  Answered result;
  const std::string option = arguments.needs_refit();
  if (option.empty()) return result;
  std::optional<ExplainedSample> sample;
  if (!arguments.explained.empty()) {
    sample = arguments.fresh.samples.empty()
                 ? find_fitted_sample(arguments.explained, model)
                 : find_new_sample(arguments.explained, arguments.fresh, model);
  }
  Refit refit(model, arguments.model, arguments.data, option);
  FileRoles files;
  refit.add_files(files);
  files.writes("--output", arguments.output);
  files.writes("--list-unreached", arguments.unreached);
  files.writes("--html", arguments.html.file);
  files.check();
  result.refitted = refit.run(arguments.memory, arguments.common);
  const Context context = context_of(arguments.common);
  try {
    if (arguments.uncertainty || arguments.jackknife_plus) {
      result.certainty = std::make_unique<Certainty>(
          *result.refitted->system, model.decision(), arguments.uncertainty,
          arguments.jackknife_plus ? arguments.coverage : std::nullopt, context);
    }
    if (sample) {
      result.explanation = explain(model, *result.refitted, std::move(*sample), context);
    }
  } catch (const ValueError& error) {
    throw DataError(fmt::format("{}: {}", arguments.model, error.what()));
  }
  return result;
}

}  // namespace stkr::app
