#pragma once

#include <functional>
#include <string>

#include "command.hpp"
#include "session.hpp"

// The commands of the program stkr-petsc: those of stkr that have --engine, with the same options.
// Every process runs them; only the first one says or prints anything.
namespace stkr::petsc {

app::Command add_fit(CLI::App& app, const Session& session);
app::Command add_predict(CLI::App& app, const Session& session);
app::Command add_graph(CLI::App& app, const Session& session);
app::Command add_plan(CLI::App& app, const Session& session);
app::Command add_select(CLI::App& app, const Session& session);

// agree(), for work that may find wrong usage: the parser's errors become ParameterErrors, as which
// all processes throw them.
void agree(const Session& session, const std::function<void()>& work);

// "the PETSc engine does not support X yet; Y"
[[noreturn]] void refuse(const std::string& option, const std::string& instead);
// The same if this names the standard input, which only one process has.
void refuse_standard_input(const std::string& input);

// What one process of several may use: the cores of this machine shared by its processes.
int threads_of(const Session& session, int asked);

}  // namespace stkr::petsc
