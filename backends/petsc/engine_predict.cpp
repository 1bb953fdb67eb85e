#include <fmt/format.h>

#include <memory>

#include "cli.hpp"
#include "engine_commands.hpp"
#include "predict_options.hpp"

namespace stkr::petsc {

app::Command add_predict(CLI::App& application, const Session&) {
  return add_refused(app::add_predict_command(application));
}

}  // namespace stkr::petsc
