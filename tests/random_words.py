"""The kernel's generator once more, of numpy's whole numbers."""

import numpy as np


def philox(seed, stream, step, count):
    """Philox 4×32-10 (Salmon et al. 2011), (count,) float32 in [0, 1)."""
    c = [np.arange(-(-count // 4), dtype=np.uint64), *np.array([[step], [0], [0]], np.uint64)]
    key, low, half = np.array([seed, stream], np.uint64), np.uint64(2**32 - 1), np.uint64(32)
    for _ in range(10):
        one, two = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [two >> half ^ c[1] ^ key[0], two & low, one >> half ^ c[3] ^ key[1], one & low]
        key = key + np.array([0x9E3779B9, 0xBB67AE85], np.uint64) & low
    words = np.stack(np.broadcast_arrays(*c), 1).ravel()[:count] >> np.uint64(8)
    return (words / 2**24).astype(np.float32)
