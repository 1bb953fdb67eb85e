"""The peer of kernel products: a chunked RBF product in PyTorch, fp32 and bf16, on the same data."""

import statistics

import torch


def product(x, v, gamma, chunk, squared_norms):
    y = torch.empty_like(v)
    for begin in range(0, x.shape[0], chunk):
        rows = slice(begin, begin + chunk)
        distances = squared_norms[rows, None] + squared_norms[None, :] - 2 * (x[rows] @ x.T)
        y[rows] = torch.exp(-gamma * distances.clamp_(min=0)) @ v
    return y


def measure(n, d, columns, dtype, chunk=4096, repetitions=5):
    generator = torch.Generator(device="cuda").manual_seed(1)
    x = torch.randn(n, d, device="cuda", generator=generator).to(dtype)
    v = torch.randn(n, columns, device="cuda", generator=generator).to(dtype)
    norms = (x.float() ** 2).sum(1).to(dtype)
    gamma = 1 / (2 * d)
    product(x, v, gamma, chunk, norms)
    times = []
    for _ in range(repetitions):
        begin = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        begin.record()
        y = product(x, v, gamma, chunk, norms)
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    rows = torch.linspace(0, n - 1, 64).long().cuda()
    exact = torch.exp(-gamma * torch.cdist(x[rows].double(), x.double()) ** 2) @ v.double()
    error = ((y[rows].double() - exact).norm() / exact.norm()).item()
    time = statistics.median(times)
    print(f"| PyTorch {dtype} | {n} | {d} | {columns} | {time:.1f} ms | "
          f"{n * n / time * 1e-6:.1f} Gpair/s | error {error:.1e} |", flush=True)


torch.backends.cuda.matmul.allow_tf32 = False
print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}")
for dtype in (torch.float32, torch.bfloat16):
    measure(131072, 64, 16, dtype)
