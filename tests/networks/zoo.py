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


def inception():
    """Branches whose results are joined in steps of their own (https://arxiv.org/abs/1409.4842)."""
    n = Network("inception", 9)
    x = n.conv(n.input(12, 12, 3), 8, (3, 3), activation="relu6")
    for channels in (4, 6):
        branches = [n.conv(x, channels, (1, 1), activation="relu"),
                    n.conv(n.conv(x, channels, (1, 1)), channels, (3, 3), activation="relu6"), n.max_pool(x)]
        branches[2] = n.resize(branches[2], *x.shape[:2])
        x = n.max_pool(n.join(branches, 2))
    n.output(n.softmax(n.dense(n.flatten(n.average_pool(x)), 5)))
    return n


def decoder():
    """Images made larger, and where something is in them."""
    n = Network("decoder", 10)
    x = n.conv(n.input(8, 8, 4), 12, (3, 3), activation="relu")
    x = n.conv(n.resize(x, 16, 16), 8, (3, 3), activation="relu")
    n.output(n.sigmoid(n.conv(n.resize(x, 20, 24), 2, (1, 1))))
    return n


def controller():
    """A small network without convolutions, whose numbers have both signs."""
    n = Network("controller", 11)
    x = n.input(24)
    for units in (32, 16):
        x = n.tanh(n.dense(x, units, per_channel=False))
    n.output(n.dense(x, 4, per_channel=False))
    return n


def dilated():
    """Depthwise convolutions that reach far, with strides between."""
    n = Network("dilated", 12)
    x = n.conv(n.input(20, 18, 2), 6, (5, 3), 2, activation="relu6")
    for dilation, stride in ((2, 1), (1, 2), (3, 1)):
        x = n.depthwise(x, (3, 3), stride, dilation=dilation, activation="relu6")
        x = n.conv(x, 9, (1, 1))
    n.output(n.dense(n.flatten(n.mean(x)), 6))
    return n


def features():
    """Rows of numbers, layer by layer; the activations have zero points of their own."""
    n = Network("features", 13)
    x = n.input(40)
    for units in (48, 48):
        x = n.dense(x, units, activation="relu", asymmetric=True)
    n.output(n.dense(x, 8, per_channel=False, asymmetric=True))
    return n


def plain_cnn():
    """Convolutions with one scale for all weights."""
    n = Network("plain_cnn", 14)
    x = n.input(14, 14, 3)
    for channels, stride in ((8, 1), (12, 2), (16, 2)):
        x = n.conv(x, channels, (3, 3), stride, activation="relu", per_channel=False)
    n.output(n.softmax(n.dense(n.flatten(n.average_pool(x)), 10, per_channel=False)))
    return n


NETWORKS = (ds_cnn, resnet8, autoencoder, mobilenet, stream, lstm, unet)
# Those of which there is TFLite alone: ONNX Runtime was not asked about them.
TFLITE_NETWORKS = (wake_word, mobilenet_224)
# Those that are there as networks of uint8, and with float activations and int8 weights.
UINT8_NETWORKS = (ds_cnn, resnet8, autoencoder, mobilenet, unet, wake_word, inception, decoder, controller, dilated,
                  plain_cnn)
HYBRID_NETWORKS = (ds_cnn, resnet8, autoencoder, wake_word, inception, controller, dilated, features, plain_cnn)
# Those that are there with weights of few bits as well.
FEW_BITS = ((ds_cnn, 4), (resnet8, 4), (autoencoder, 4), (ds_cnn, 2), (resnet8, 2), (autoencoder, 2))
