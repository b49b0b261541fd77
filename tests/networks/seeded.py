"""Numbers that are the same with every version of numpy: SplitMix64 (https://prng.di.unimi.it/splitmix64.c)."""

import numpy as np

STEP = np.uint64(0x9E3779B97F4A7C15)


class Numbers:
    def __init__(self, seed):
        self.position = seed << 32

    def bits(self, count):
        state = np.arange(self.position + 1, self.position + 1 + count, dtype=np.uint64) * STEP
        self.position += count
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return state ^ (state >> np.uint64(31))

    def uniform(self, *shape):
        """Reals in [0, 1)."""
        return (self.bits(int(np.prod(shape))) >> np.uint64(11)).astype(np.float64).reshape(shape) / 2.0**53

    def bell(self, *shape):
        """Reals around 0 with a standard deviation of 1, none beyond 3.5: sums of four."""
        return (self.uniform(4, *shape).sum(axis=0) - 2) * 3**0.5

    def weights(self, *shape):
        """int8 in the manner of trained weights."""
        return np.clip(np.rint(self.bell(*shape) * 42), -127, 127).astype(np.int8)
