"""The networks, in the manner of well-known small ones."""

from network import Network


def ds_cnn():
    """Keyword spotting on 49 windows of 10 coefficients (https://arxiv.org/abs/1711.07128)."""
    n = Network("ds_cnn", 1)
    x = n.conv(n.input(49, 10, 1), 64, (10, 4), 2, activation="relu")
    for _ in range(4):
        x = n.depthwise(x, (3, 3), activation="relu")
        x = n.conv(x, 64, (1, 1), activation="relu")
    n.output(n.softmax(n.dense(n.flatten(n.average_pool(x)), 12, per_channel=False)))
    return n


def resnet8():
    """Images of 32x32, three stages of one residual block (https://arxiv.org/abs/2106.07597)."""
    n = Network("resnet8", 2)
    x = n.conv(n.input(32, 32, 3), 16, (3, 3), activation="relu")
    for channels, stride in ((16, 1), (32, 2), (64, 2)):
        y = n.conv(x, channels, (3, 3), stride, activation="relu")
        y = n.conv(y, channels, (3, 3))
        shortcut = x if stride == 1 else n.conv(x, channels, (1, 1), stride)
        x = n.add_values(y, shortcut, activation="relu")
    n.output(n.softmax(n.dense(n.flatten(n.average_pool(x)), 10, per_channel=False)))
    return n


def autoencoder():
    """Anomalies in 640 values of a spectrogram (https://arxiv.org/abs/2106.07597)."""
    n = Network("autoencoder", 3)
    x = n.input(640)
    for units in (128, 128, 128, 128, 8, 128, 128, 128, 128):
        x = n.dense(x, units, activation="relu", per_channel=False)
    n.output(n.dense(x, 640, per_channel=False))
    return n


def mobilenet(name="mobilenet", size=96, vectors=("ramp", "extremes", "bell")):
    """Images of 96x96, inverted residuals with linear bottlenecks (https://arxiv.org/abs/1801.04381)."""
    n = Network(name, 4, vectors)
    x = n.conv(n.input(size, size, 3), 8, (3, 3), 2, activation="relu6")
    for channels, stride in ((8, 1), (16, 2), (16, 1), (24, 2), (24, 1), (40, 2), (40, 1)):
        expansion = 4 if channels > 8 else 1
        y = n.conv(x, expansion * x.shape[2], (1, 1), activation="relu6") if expansion > 1 else x
        y = n.depthwise(y, (3, 3), stride, activation="relu6")
        y = n.conv(y, channels, (1, 1))
        x = n.add_values(x, y) if x.shape == y.shape else y
    x = n.conv(x, 96, (1, 1), activation="relu6")
    n.output(n.softmax(n.dense(n.flatten(n.mean(x)), 10)))
    return n


def mobilenet_224():
    """The same on images of 224x224."""
    return mobilenet("mobilenet_224", 224, ("bell",))


def stream():
    """Keyword spotting frame by frame: convolutions in time that remember (https://arxiv.org/abs/2005.06720)."""
    n = Network("stream", 5)
    n.is_1d = True
    x = n.input(1, 1, 40)
    x = n.conv(n.remember(x, 2), 32, (3, 1), padding="valid", activation="relu")
    for memory in (4, 6):
        x = n.depthwise(n.remember(x, memory), (memory + 1, 1), padding="valid", activation="relu")
        x = n.conv(x, 32, (1, 1), padding="valid", activation="relu")
    n.output(n.softmax(n.dense(n.flatten(x), 12)))
    return n


def lstm():
    """Keyword spotting on 25 windows of 16 features."""
    n = Network("lstm", 6)
    x = n.last(n.lstm(n.input(25, 16), 32))
    n.output(n.softmax(n.dense(x, 12)))
    return n


def unet():
    """Segmentation of images of 32x32 (https://arxiv.org/abs/1505.04597)."""
    n = Network("unet", 7)
    fine = n.conv(n.input(32, 32, 1), 8, (3, 3), activation="relu")
    middle = n.conv(n.max_pool(fine), 16, (3, 3), activation="relu")
    x = n.conv(n.max_pool(middle), 32, (3, 3), activation="relu")
    x = n.transposed_conv(x, 16, (2, 2), 2, "valid", like=middle)
    x = n.conv(n.concat([middle, x], 2), 16, (3, 3), activation="relu")
    x = n.transposed_conv(x, 8, (3, 3), 2, "same", like=fine)
    x = n.conv(n.concat([fine, x], 2), 8, (3, 3), activation="relu")
    n.output(n.sigmoid(n.conv(x, 1, (1, 1))))
    return n


def wake_word():
    """A wake word in 30 windows of 40 values: convolutions along time, one reaching from the first row to the last."""
    n = Network("wake_word", 8)
    x = n.input(30, 1, 40)
    for taps, dilation, channels in ((3, 1, 128), (2, 4, 128), (10, 1, 128), (8, 2, 32)):  # 28, 24, 15 and 1 rows
        x = n.depthwise(x, (taps, 1), padding="valid", dilation=dilation, activation="relu")
        x = n.conv(x, channels, (1, 1), activation="relu")
    n.output(n.softmax(n.dense(n.flatten(x), 3, per_channel=False)))
    return n


NETWORKS = (ds_cnn, resnet8, autoencoder, mobilenet, stream, lstm, unet)
# Those of which there is TFLite alone: ONNX Runtime was not asked about them.
TFLITE_NETWORKS = (wake_word, mobilenet_224)
# Those that are there with weights of few bits as well.
FEW_BITS = ((ds_cnn, 4), (resnet8, 4), (autoencoder, 4), (ds_cnn, 2), (resnet8, 2), (autoencoder, 2))
