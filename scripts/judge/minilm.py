"""The bundled MiniLM in PyTorch, with the weights of its ONNX file, and a pair judge whose training begins with these weights."""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

WIDTH, HEADS, LAYERS, FEED_FORWARD = 384, 12, 6, 1536
JUDGE_LAYERS = 5  # a sixth layer would take a sixth of the time, without better results on held-out folds
CLASSES = ["same", "overtaken", "related", "different"]


class Layer(nn.Module):
    """One block of BERT, with dropout during training."""

    def __init__(self, weights, prefix):
        super().__init__()
        take = lambda name: nn.Parameter(torch.tensor(np.asarray(weights[prefix + name], np.float32)))
        parts = ["query", "key", "value"]
        self.project = nn.Parameter(torch.cat([take(f"attention.self.{p}.weight").data for p in parts], 1))
        self.project_bias = nn.Parameter(torch.cat([take(f"attention.self.{p}.bias").data for p in parts]))
        self.mix, self.mix_bias = take("attention.output.dense.weight"), take("attention.output.dense.bias")
        self.mix_norm, self.mix_norm_bias = take("attention.output.LayerNorm.weight"), take("attention.output.LayerNorm.bias")
        self.up, self.up_bias = take("intermediate.dense.weight"), take("intermediate.dense.bias")
        self.down, self.down_bias = take("output.dense.weight"), take("output.dense.bias")
        self.down_norm, self.down_norm_bias = take("output.LayerNorm.weight"), take("output.LayerNorm.bias")

    def forward(self, x, mask, dropout):
        rows, columns, _ = x.shape
        q, k, v = F.linear(x, self.project.t(), self.project_bias).view(rows, columns, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        if hasattr(F, "scaled_dot_product_attention"):
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=dropout)
        else:
            y = F.dropout(((q @ k.transpose(2, 3)) / (WIDTH // HEADS) ** 0.5 + mask).softmax(-1), dropout) @ v
        y = y.transpose(1, 2).reshape(rows, columns, WIDTH)
        y = F.dropout(F.linear(y, self.mix.t(), self.mix_bias), dropout)
        x = F.layer_norm(x + y, (WIDTH,), self.mix_norm, self.mix_norm_bias, 1e-12)
        y = F.linear(F.gelu(F.linear(x, self.up.t(), self.up_bias)), self.down.t(), self.down_bias)
        return F.layer_norm(x + F.dropout(y, dropout), (WIDTH,), self.down_norm, self.down_norm_bias, 1e-12)


class MiniLm(nn.Module):
    """Computes the states of the last layer from token ids."""

    def __init__(self, weights, layers=LAYERS):
        super().__init__()
        take = lambda name: nn.Parameter(torch.tensor(np.asarray(weights["embeddings." + name], np.float32)))
        self.words, self.positions = take("word_embeddings.weight"), take("position_embeddings.weight")
        types = take("token_type_embeddings.weight").data
        self.types = nn.Parameter(torch.cat([types, types]))  # types of the first and second text, then of tokens of each text that the other text also has
        self.norm, self.norm_bias = take("LayerNorm.weight"), take("LayerNorm.bias")
        self.layers = nn.ModuleList(Layer(weights, f"encoder.layer.{i}.") for i in range(layers))

    def forward(self, ids, lengths, types=None):
        mask = torch.arange(ids.shape[1], device=ids.device) < lengths[:, None]
        x = F.embedding(ids, self.words) + self.positions[: ids.shape[1]]
        if types is None:
            x = x + self.types[0]
        else:  # a matrix product, because the gradient of a look-up in a table of four rows is slow
            x = x + (types[:, :, None] == torch.arange(len(self.types), device=ids.device)).to(x.dtype) @ self.types
        dropout = 0.1 if self.training else 0.0
        x = F.dropout(F.layer_norm(x, (WIDTH,), self.norm, self.norm_bias, 1e-12), dropout)
        if torch.is_autocast_enabled():
            x = x.to(torch.bfloat16)
        added = torch.zeros(mask.shape, dtype=x.dtype, device=x.device).masked_fill(~mask, -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, added, dropout)
        return x


class Judge(nn.Module):
    """Computes four logits for [CLS] a [SEP] b [SEP]. They depend only on the first state of the last layer, so the program computes only this state there."""

    def __init__(self, weights):
        super().__init__()
        self.body = MiniLm(weights, JUDGE_LAYERS)
        self.head = nn.Linear(WIDTH, len(CLASSES))
        self.head.weight.data.uniform_(-0.03, 0.03)
        self.head.bias.data.zero_()

    def forward(self, ids, lengths, types):
        seen = self.body(ids, lengths, types)[:, 0].float()
        return self.head(F.dropout(seen, 0.1 if self.training else 0.0))


def load_npz(path):
    stored = np.load(path)
    return {name: stored[name] for name in stored.files}
