#include "engine_commands.hpp"

namespace stkr::petsc {

// The plan of so many processes as were started. It is arithmetic, which the first one does.
app::Command add_plan(CLI::App& application, const Session& session) {
  const app::Command command = app::add_plan_command(application, session.ranks());
  return {command.app, [run = command.run, &session] {
            int code = app::kDone;
            agree(session, [&] {
              if (session.rank() == 0) code = run();
            });
            MPI_Bcast(&code, 1, MPI_INT, 0, session.comm());
            return code;
          }};
}

}  // namespace stkr::petsc
