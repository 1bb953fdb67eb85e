"""The same neighbors by PyTorch on the same card: chunks of distances and topk. Nothing is proven:
rounding and ties are left as they come.

python3 bench/cuda/neighbors_peer.py [mnist.u8]
"""

import sys
import time

import torch


def neighbors(points, asked, k, rows, half):
    """The k + 1 nearest points (itself included) of the first `asked` points."""
    found = []
    rounded = points.half() if half else None
    half_norms = (points * points).sum(1) / 2
    for begin in range(0, asked, rows):
        part = slice(begin, min(asked, begin + rows))
        if half:
            values = half_norms - (rounded[part] @ rounded.T).float()
        else:
            values = torch.cdist(points[part], points)
        found.append(values.topk(k + 1, largest=False).indices)
    return torch.cat(found)


def measure(name, points, k, rows, asked):
    for half in (False, True):
        neighbors(points, asked, k, rows, half)
        torch.cuda.synchronize()
        start = time.perf_counter()
        neighbors(points, asked, k, rows, half)
        torch.cuda.synchronize()
        elapsed = 1e3 * (time.perf_counter() - start) * len(points) / asked
        note = "" if asked == len(points) else f" ({asked} rows timed, scaled to all)"
        kind = "half matmul + topk" if half else "cdist fp32 + topk"
        print(f"PyTorch {torch.__version__}, {name}, {kind}: {elapsed:.1f} ms{note}", flush=True)


torch.manual_seed(0)
if len(sys.argv) > 1:
    pixels = torch.frombuffer(bytearray(open(sys.argv[1], "rb").read()), dtype=torch.uint8)
    images = pixels.view(-1, 784).cuda().float() / 255
    measure("MNIST", images, 10, 7000, len(images))
centers = 2 * torch.randn(1000, 64, device="cuda")
points = centers[torch.randint(1000, (1000000,), device="cuda")]
points += torch.randn(1000000, 64, device="cuda")
measure("clusters 1,000,000 x 64", points, 10, 2000, 40000)
