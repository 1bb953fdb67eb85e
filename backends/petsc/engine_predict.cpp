#include <functional>
#include <memory>
#include <optional>

#include "cli.hpp"
#include "engine_commands.hpp"
#include "file_roles.hpp"
#include "new_sample_stream.hpp"
#include "predict_command.hpp"

namespace stkr::petsc {
namespace {

using app::PredictArguments;

constexpr int kTag = 78;

void refuse_options(const PredictArguments& arguments) {
  const char* instead = "run stkr predict without --engine petsc: the model is an ordinary file";
  if (!arguments.needs_refit().empty()) refuse(arguments.needs_refit(), instead);
  if (arguments.html.given()) refuse("--html", instead);
  refuse_standard_input(arguments.fresh.samples);
  if (arguments.output == "-") refuse("--output", "name a file");
  if (arguments.output.ends_with(".h5ad")) refuse("--output", instead);
  if (arguments.common.device.backend()) refuse("--device", "use the CPU");
}

void send(const Predictions& part, MPI_Comm comm) {
  const int sizes[4] = {static_cast<int>(part.scores.rows()), static_cast<int>(part.scores.cols()),
                        static_cast<int>(part.class_index.size()),
                        static_cast<int>(part.tied.size())};
  MPI_Send(sizes, 4, MPI_INT, 0, kTag, comm);
  MPI_Send(part.scores.data(), static_cast<int>(part.scores.size()), MPI_DOUBLE, 0, kTag, comm);
  MPI_Send(part.evidence.data(), sizes[0], MPI_CHAR, 0, kTag, comm);
  MPI_Send(part.class_index.data(), sizes[2], MPIU_INT, 0, kTag, comm);
  MPI_Send(part.tied.data(), sizes[3], MPI_CHAR, 0, kTag, comm);
}

Predictions receive(int from, MPI_Comm comm) {
  int sizes[4] = {};
  MPI_Recv(sizes, 4, MPI_INT, from, kTag, comm, MPI_STATUS_IGNORE);
  Predictions part;
  part.scores.resize(sizes[0], sizes[1]);
  part.evidence.resize(static_cast<std::size_t>(sizes[0]));
  part.class_index.resize(static_cast<std::size_t>(sizes[2]));
  part.tied.resize(static_cast<std::size_t>(sizes[3]));
  MPI_Recv(part.scores.data(), static_cast<int>(part.scores.size()), MPI_DOUBLE, from, kTag, comm,
           MPI_STATUS_IGNORE);
  MPI_Recv(part.evidence.data(), sizes[0], MPI_CHAR, from, kTag, comm, MPI_STATUS_IGNORE);
  MPI_Recv(part.class_index.data(), sizes[2], MPIU_INT, from, kTag, comm, MPI_STATUS_IGNORE);
  MPI_Recv(part.tied.data(), sizes[3], MPI_CHAR, from, kTag, comm, MPI_STATUS_IGNORE);
  return part;
}

// Writes the parts in order, as the first process. What fails before the first of them fails in all
// processes.
int write_parts(const Session& session, PredictArguments& arguments, const CLI::App& command) {
  bool begun = false;
  const auto begin = [&](const std::function<void()>& found) {
    begun = true;
    agree(session, found);
  };
  const app::SharedStream shared{[&] { begin([] {}); },
                                 [&](const Model& model, const NewSamples& part, Index k) {
                                   const auto from = static_cast<int>(k % session.ranks());
                                   return from == 0 ? model.predict(part)
                                                    : receive(from, session.comm());
                                 }};
  try {
    return app::run_predict(arguments, command, &shared);
  } catch (...) {
    if (!begun) begin([] { throw; });
    throw;
  }
}

// Predicts every P-th part, as another process.
void send_parts(const Session& session, const PredictArguments& arguments) {
  std::optional<Model> model;
  std::optional<app::NewSampleStream> stream;
  agree(session, [&] {
    model = Model::load(arguments.model, arguments.common.threads);
    stream.emplace(arguments.fresh, *model);
  });
  Index k = 0;
  for (NewSamples part = stream->next(); part.count() > 0; part = stream->next(), ++k) {
    if (k % session.ranks() == session.rank()) send(model->predict(part), session.comm());
  }
}

// Fitted samples are written by the first process alone. Every process reads the new samples.
int run(const Session& session, PredictArguments& arguments, const CLI::App& command) {
  refuse_options(arguments);
  arguments.common.threads = threads_of(session, arguments.common.threads);
  int code = app::kDone;
  if (arguments.fresh.samples.empty()) {
    agree(session, [&] {
      if (session.rank() == 0) code = app::run_predict(arguments, command);
    });
  } else if (session.rank() == 0) {
    code = write_parts(session, arguments, command);
  } else {
    send_parts(session, arguments);
  }
  MPI_Bcast(&code, 1, MPI_INT, 0, session.comm());
  return code;
}

}  // namespace

app::Command add_predict(CLI::App& application, const Session& session) {
  auto arguments = std::make_shared<PredictArguments>();
  CLI::App* command = application.add_subcommand(
      "predict", "Predict the training samples of a model, or new samples");
  app::add_predict_options(*command, *arguments);
  return {command, [arguments, command, &session] { return run(session, *arguments, *command); }};
}

}  // namespace stkr::petsc
