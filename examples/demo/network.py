"""A small convolutional classifier and its training, in numpy alone.

Tensors are [batch, channels, length]; the ONNX model has the same with a height of one (NCHW).
"""

import numpy as np


class Conv:
    """Convolution along the length, zero padded, followed by Relu."""

    def __init__(self, random, channels, filters, taps, stride, pad):
        self.taps, self.stride, self.pad = taps, stride, pad
        self.weight = random.normal(0.0, np.sqrt(2.0 / (channels * taps)), (filters, channels, taps)).astype(np.float32)
        self.bias = np.zeros(filters, np.float32)

    def parameters(self):
        return [self.weight, self.bias]

    def forward(self, x):
        padded = np.pad(x, ((0, 0), (0, 0), (self.pad, self.pad)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, self.taps, axis=2)[:, :, ::self.stride]
        self.columns = np.ascontiguousarray(windows.transpose(0, 2, 1, 3)).reshape(len(x), windows.shape[2], -1)
        self.length = x.shape[2]
        y = self.columns @ self.weight.reshape(len(self.weight), -1).T + self.bias
        self.active = y > 0
        return (y * self.active).transpose(0, 2, 1)

    def backward(self, gradient):
        gradient = gradient.transpose(0, 2, 1) * self.active
        flat = gradient.reshape(-1, len(self.weight))
        self.gradients = [(flat.T @ self.columns.reshape(len(flat), -1)).reshape(self.weight.shape), flat.sum(axis=0)]
        columns = (gradient @ self.weight.reshape(len(self.weight), -1)).reshape(*gradient.shape[:2], -1, self.taps)
        padded = np.zeros((len(gradient), columns.shape[2], self.length + 2 * self.pad), np.float32)
        for tap in range(self.taps):
            padded[:, :, tap:tap + self.stride * columns.shape[1]:self.stride] += columns[:, :, :, tap].transpose(0, 2, 1)
        return padded[:, :, self.pad:self.pad + self.length]


class MaxPool:
    """The larger of two neighbours."""

    def parameters(self):
        return []

    def forward(self, x):
        pairs = x.reshape(*x.shape[:2], -1, 2)
        self.first = pairs[..., 0] >= pairs[..., 1]
        return pairs.max(axis=3)

    def backward(self, gradient):
        self.gradients = []
        return np.stack([gradient * self.first, gradient * ~self.first], axis=3).reshape(*gradient.shape[:2], -1)


class AveragePool:
    """The mean over the whole length."""

    def parameters(self):
        return []

    def forward(self, x):
        self.length = x.shape[2]
        return x.mean(axis=2)

    def backward(self, gradient):
        self.gradients = []
        return np.repeat(gradient[:, :, None] / self.length, self.length, axis=2)


class Linear:
    def __init__(self, random, depth, units):
        self.weight = random.normal(0.0, np.sqrt(1.0 / depth), (units, depth)).astype(np.float32)
        self.bias = np.zeros(units, np.float32)

    def parameters(self):
        return [self.weight, self.bias]

    def forward(self, x):
        self.x = x
        return x @ self.weight.T + self.bias

    def backward(self, gradient):
        self.gradients = [gradient.T @ self.x, gradient.sum(axis=0)]
        return gradient @ self.weight


def softmax(logits):
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def make_network(seed, classes):
    random = np.random.default_rng(seed)
    return [
        Conv(random, 3, 8, taps=9, stride=2, pad=4), Conv(random, 8, 16, taps=5, stride=2, pad=2), MaxPool(),
        Conv(random, 16, 24, taps=3, stride=1, pad=1), MaxPool(), Conv(random, 24, 32, taps=3, stride=1, pad=1),
        AveragePool(), Linear(random, 32, classes),
    ]


def forward(network, x):
    for layer in network:
        x = layer.forward(x)
    return x


def accuracy(logits, labels):
    return float((logits.argmax(axis=1) == labels).mean())


class Adam:
    def __init__(self, parameters):
        self.parameters = parameters
        self.mean = [np.zeros_like(p) for p in parameters]
        self.square = [np.zeros_like(p) for p in parameters]
        self.count = 0

    def step(self, gradients, rate):
        self.count += 1
        for p, g, mean, square in zip(self.parameters, gradients, self.mean, self.square):
            mean += 0.1 * (g - mean)
            square += 0.001 * (g * g - square)
            p -= rate * (mean / (1.0 - 0.9**self.count)) / (np.sqrt(square / (1.0 - 0.999**self.count)) + 1e-8)


def train(network, signals, labels, epochs, seed, batch=64, rate=2e-3):
    """Cross entropy, Adam, cosine schedule. Prints the loss of each epoch."""
    random = np.random.default_rng(seed)
    optimiser = Adam([p for layer in network for p in layer.parameters()])
    steps = epochs * (len(signals) // batch)
    done = 0
    for epoch in range(epochs):
        order = random.permutation(len(signals))
        losses = []
        for start in range(0, len(order) - batch + 1, batch):
            chosen = order[start:start + batch]
            probability = softmax(forward(network, signals[chosen]))
            picked = probability[np.arange(batch), labels[chosen]]
            losses.append(-np.log(picked + 1e-12).mean())
            gradient = probability.copy()
            gradient[np.arange(batch), labels[chosen]] -= 1.0
            gradient = (gradient / batch).astype(np.float32)
            for layer in reversed(network):
                gradient = layer.backward(gradient)
            optimiser.step([g for layer in network for g in layer.gradients],
                           rate * 0.5 * (1.0 + np.cos(np.pi * done / steps)))
            done += 1
        print(f"epoch {epoch + 1:2}/{epochs}: loss {np.mean(losses):.4f}", flush=True)
