#pragma once

namespace stkr::app {

// OpenBLAS starts its own threads when it is loaded, before main. stkr does not use them
// (linop/serial_blas.hpp), and if the address space is limited (ulimit -v) they retry their
// allocations forever and keep the process from ending. OpenBLAS reads their number from the
// environment when it is loaded: under such a limit the program restarts itself once with
// OPENBLAS_NUM_THREADS=1.
void keep_blas_serial(char** argv);

// OpenBLAS maps a buffer for each thread that calls it, and retries forever if that fails. If the
// address space is limited, maps the buffers now and returns the number of threads they suffice
// for, at most resolve_threads(threads). Throws MemoryError if not even one can be mapped.
int reserve_blas_buffers(int threads);

}  // namespace stkr::app
