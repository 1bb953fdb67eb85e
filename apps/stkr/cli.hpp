#pragma once

// The parser of the command line. Only sources include it: it takes seconds to compile.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
