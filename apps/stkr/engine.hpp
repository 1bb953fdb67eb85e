#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace stkr::app {

// --engine: what runs the command. `host` is this program, `petsc` the program stkr-petsc beside
// it, which links MPI; this one does not.
void add_engine_option(CLI::App& command);

// If the command asks for another engine, replaces this process by its program, with the same
// arguments and environment: what mpirun set up stays valid. A plan for given --ranks needs no
// other program, nor MPI: this one makes it, and of several processes that mpirun started all but
// the first end. Throws CLI::ValidationError if that program is not installed.
void hand_over(const CLI::App& command, char** argv);

// The same before what the parser of options says. A usage error is left to that program if it is
// installed: it meets the error, too, and its first process alone says so. Help (no `error`) is
// this program's.
void hand_over_message(const CLI::App& command, char** argv, bool error);

// "host" or "host, petsc": those that are installed.
std::string engines();

}  // namespace stkr::app
