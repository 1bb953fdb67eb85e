#pragma once

namespace stkr::app {

// OpenBLAS starts threads of its own when it is loaded, before main. stkr has no use for them
// (runtime/serial_blas.hpp), and where the address space is limited (ulimit -v) they ask for memory
// for ever and keep the process from ending. Their number is read from the environment at that
// time: with such a limit the program starts itself once more, with OPENBLAS_NUM_THREADS=1.
void keep_blas_serial(char** argv);

// OpenBLAS maps a buffer for each thread that calls it, and tries for ever where it cannot. Where
// the address space is limited these are mapped now, and the number of threads they are enough for
// is returned: resolve_threads(threads) at most. Throws MemoryError where there is not even one.
int reserve_blas_buffers(int threads);

}  // namespace stkr::app
