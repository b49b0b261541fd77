"""Simulated vibration of a rotating machine, as a three-axis accelerometer on its bearing housing sees it.

A signal is SAMPLES readings of (horizontal, vertical, axial) acceleration in g at RATE Hz, the mean taken off.
What each condition looks like follows the textbooks on machine diagnosis: imbalance is one strong line at the
shaft's frequency with a quarter turn between the axes; looseness is a row of harmonics, half orders among them; a
damaged outer race rings the housing each time a ball passes over it, at about 0.4 times the number of balls per turn.
"""

import numpy as np

RATE = 1600.0
SAMPLES = 512
CLASSES = ("healthy", "imbalance", "bearing fault", "looseness")


def harmonic(time, turns, order, phase):
    """A line at `order` times the shaft's frequency."""
    return np.sin(2.0 * np.pi * order * turns * time + phase)


def rotation(random, time, turns, amplitude):
    """The response to a weight that turns with the shaft; the vertical axis follows a quarter turn later."""
    phase = random.uniform(0.0, 2.0 * np.pi)
    lag = np.pi / 2.0 + random.normal(0.0, 0.2)
    return np.stack([
        amplitude * harmonic(time, turns, 1.0, phase),
        amplitude * random.uniform(0.6, 1.0) * harmonic(time, turns, 1.0, phase - lag),
        amplitude * random.uniform(0.05, 0.25) * harmonic(time, turns, 1.0, random.uniform(0.0, 2.0 * np.pi)),
    ])


def looseness(random, time, turns):
    """Harmonics of the shaft and of half its frequency, falling with the order."""
    strength = random.uniform(0.06, 0.45)
    signal = np.zeros((3, time.size))
    for order in (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0):
        fall = random.uniform(0.3, 1.0) / np.sqrt(order) * (0.6 if order % 1.0 else 1.0)
        for axis, share in enumerate((0.7, 1.0, 0.35)):
            signal[axis] += strength * fall * share * harmonic(time, turns, order, random.uniform(0.0, 2.0 * np.pi))
    return signal


def bearing(random, time, turns):
    """Decaying oscillations at the housing's resonance, one for each ball that passes the damage."""
    period = 1.0 / (turns * random.uniform(3.0, 4.2))
    resonance = random.uniform(320.0, 620.0)
    decay = random.uniform(120.0, 320.0)
    strength = random.uniform(0.1, 1.0)
    signal = np.zeros((3, time.size))
    moment = -random.uniform(0.0, 1.0) * period - 3.0 * period
    while moment < time[-1]:
        after = np.clip(time - moment, 0.0, None)
        ring = np.where(time >= moment, np.exp(-decay * after) * np.sin(2.0 * np.pi * resonance * after), 0.0)
        hit = strength * random.uniform(0.6, 1.0)
        signal += hit * ring * np.array([[0.8], [1.0], [0.5]])
        moment += period * (1.0 + random.normal(0.0, 0.02))  # balls slip a little
    return signal


def simulate(random, condition):
    """One signal, float32 [3, SAMPLES], of a machine with its own speed, mounting, noise and severity."""
    time = np.arange(SAMPLES) / RATE
    turns = random.uniform(18.0, 55.0)
    name = CLASSES[condition]
    signal = rotation(random, time, turns, random.uniform(0.02, 0.14))
    if name == "imbalance":
        signal += rotation(random, time, turns, random.uniform(0.14, 1.1))
    elif name == "bearing fault":
        signal += bearing(random, time, turns)
    elif name == "looseness":
        signal += looseness(random, time, turns)
    # Every machine has a little second harmonic, mains hum and broad noise.
    signal += random.uniform(0.0, 0.05) * harmonic(time, turns, 2.0, random.uniform(0.0, 6.28))
    signal += random.uniform(0.0, 0.02) * np.sin(2.0 * np.pi * 100.0 * time + random.uniform(0.0, 6.28))
    signal += random.normal(0.0, random.uniform(0.02, 0.09), signal.shape)
    # The sensor is never quite straight, and it clips at 4 g.
    angle = random.normal(0.0, 0.12)
    mix = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    signal = np.clip(mix @ signal, -4.0, 4.0)
    return (signal - signal.mean(axis=1, keepdims=True)).astype(np.float32)


def make_set(seed, count):
    """`count` signals [count, 3, 1, SAMPLES] and their labels, the classes in turn."""
    random = np.random.default_rng(seed)
    labels = np.arange(count) % len(CLASSES)
    signals = np.stack([simulate(random, label) for label in labels])
    return signals[:, :, None, :], labels
