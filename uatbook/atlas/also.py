"""What mixers are called elsewhere, which models have them, and names that the atlas has not: the page finds all."""

from typing import NamedTuple

ALSO = {
    "softmax": "attention, self-attention, scaled dot-product attention, transformer, BERT, ViT, FlashAttention",
    "causal softmax": "masked attention, decoder, NoPE, GPT, GPT-2, FlashAttention",
    "softmax with a sink": "attention sink, softmax off by one, softmax1, quiet attention, StreamingLLM, gpt-oss",
    "gated softmax": "gated attention, output gate, Qwen3-Next",
    "scalable softmax": "SSMax",
    "multi-query": "MQA, multi-query attention, PaLM",
    "grouped-query": "GQA, grouped-query attention, Llama 2 70B, Llama 3, Mistral",
    "MLA, no positions": "multi-head latent attention, latent attention, DeepSeek-V2, DeepSeek-V3",
    "MLA, no positions or norm": "multi-head latent attention, latent attention",
    "1.5-entmax": "entmax, alpha-entmax",
    "squared ReLU (GAU)": "gated attention unit, FLASH",
    "query-key norm": "QK norm, QKNorm, cosine attention",
    "additive": "additive attention, Bahdanau attention",
    "RoPE": "rotary, RoFormer, Llama, Mistral",
    "ALiBi": "BLOOM",
    "T5 bias": "relative bias",
    "stick-breaking": "stick-breaking attention",
    "sliding window": "SWA, local attention, Mistral",
    "Swin window": "Swin Transformer",
    "Reformer": "LSH attention",
    "linear, elu + 1": "linear attention, linear transformer",
    "causal linear, elu + 1": "linear attention, linear transformer",
    "linear self-attention": "linear attention",
    "Performer": "FAVOR+",
    "Nystromformer": "Nyström",
    "PoolFormer": "MetaFormer, average pooling",
    "FNet": "Fourier",
    "GFNet": "global filter",
    "Hyena": "long convolution, HyenaDNA",
    "H3": "SSM, state space",
    "S4D": "SSM, state space, S4",
    "Mamba, selective scan": "SSM, state space, S6, Mamba-1",
    "Mamba-2": "SSM, state space, SSD",
    "Elman network": "RNN, recurrent network",
    "RetNet, no output gate": "retention, retentive network",
    "RWKV-4, time mixing": "RWKV",
    "GLA, no output gate": "gated linear attention",
    "DeltaNet, unit keys": "delta rule",
    "Gated DeltaNet": "gated delta rule, Qwen3-Next",
    "RG-LRU (Griffin)": "Hawk, RecurrentGemma",
    "mLSTM (xLSTM)": "xLSTM",
}
USED = {
    "softmax": "BERT and ViT",
    "causal softmax": "GPT-2",
    "softmax with a sink": "gpt-oss",
    "gated softmax": "Qwen3-Next",
    "multi-query": "PaLM",
    "grouped-query": "Llama 3",
    "MLA, no positions": "DeepSeek-V2 and V3",
    "RoPE": "Llama",
    "ALiBi": "BLOOM",
    "T5 bias": "T5",
    "DeBERTa": "DeBERTa",
    "sliding window": "Mistral 7B",
    "Swin window": "Swin Transformers",
    "Hyena": "HyenaDNA",
    "Gated DeltaNet": "Qwen3-Next",
    "RG-LRU (Griffin)": "RecurrentGemma",
}
"""Models that mix tokens so, among other things; of others the name of the mixer says it."""


class Other(NamedTuple):
    """A name that is looked up and is no mixer of the atlas: what else it is called, why not, and which are nearest."""

    also: str
    why: str
    near: tuple[str, ...]
    same: bool = False
    """Whether it computes the function of these."""


OTHERS = {
    "FlashAttention": Other(
        "FlashAttention-2, FlashAttention-3",
        "Softmax attention computed block by block: the same function, so the same verdict.",
        ("softmax", "causal softmax"),
        same=True,
    ),
    "ring attention": Other(
        "",
        "Softmax attention whose blocks travel round a ring of devices: the same function, so the same verdict.",
        ("softmax", "causal softmax"),
        same=True,
    ),
    "PagedAttention": Other(
        "vLLM",
        "Softmax attention whose keys and values lie in pages of memory: the same function, so the same verdict.",
        ("softmax", "causal softmax"),
        same=True,
    ),
    "modern Hopfield layer": Other(
        "Hopfield network",
        "One step of its update is softmax attention: the same function, so the same verdict.",
        ("softmax",),
        same=True,
    ),
    "Llama": Other(
        "Llama 2, Llama 3",
        "Causal softmax with RoPE, and in its larger models with grouped-query attention, all at once: a row has one "
        "of the three.",
        ("causal softmax", "RoPE", "grouped-query"),
    ),
    "NSA": Other(
        "native sparse attention",
        "It adds up, by trained gates, what it hears of blocks as wholes, of the blocks that score highest, and of a "
        "window. No row has all three.",
        ("sliding window", "top two"),
    ),
    "MoBA": Other(
        "mixture of block attention",
        "A query hears the blocks whose mean key scores highest; here are rows that choose single tokens.",
        ("top two", "Routing Transformer"),
    ),
    "DSA": Other(
        "DeepSeek sparse attention, lightning indexer, DeepSeek-V3.2",
        "A small indexer picks the tokens that MLA then hears.",
        ("top two", "MLA, no positions"),
    ),
    "Informer": Other(
        "ProbSparse", "Some queries hear softmax attention, the others the mean of the values.", ("softmax", "top two")
    ),
    "Perceiver": Other(
        "Perceiver IO",
        "A few latents hear the tokens, and go on in their place. The question here is about layers that take n tokens "
        "to n tokens; nearest is a layer in which the tokens then hear the latents.",
        ("Set Transformer, ISAB",),
    ),
    "cross attention": Other(
        "cross-attention, encoder-decoder",
        "Tokens of one sequence hear those of another; the question here is about one sequence that hears itself.",
        ("softmax",),
    ),
    "Luna": Other(
        "",
        "A second, short sequence hears the tokens, and they hear it; both go on.",
        ("Set Transformer, ISAB",),
    ),
    "GAT": Other(
        "graph attention, GATv2",
        "Tokens hear their neighbours in a graph that is given, by scores that are sums; nearest is a row in which all "
        "are neighbours.",
        ("additive",),
    ),
    "Swin V2": Other(
        "scaled cosine attention, shifted window",
        "Cosines for scores, within windows that shift from layer to layer: one row has the cosines, the other windows "
        "that stay.",
        ("query-key norm", "Swin window"),
    ),
    "YaRN": Other(
        "position interpolation, NTK-aware scaling",
        "RoPE with other angles, and a factor on the scores.",
        ("RoPE",),
    ),
    "CoPE": Other(
        "contextual position encoding",
        "Places are counted by gates that tokens open.",
        ("Forgetting Transformer", "T5 bias"),
    ),
    "PaTH": Other(
        "", "Places are products of matrices that the tokens between make.", ("Forgetting Transformer", "RoPE")
    ),
    "selective attention": Other(
        "", "Tokens can hide others from those that come later.", ("Forgetting Transformer", "causal softmax")
    ),
    "multi-token attention": Other(
        "MTA", "Scores of neighbouring queries, keys and heads are mixed by convolutions.", ("talking heads",)
    ),
    "tensor product attention": Other(
        "TPA", "Queries, keys and values are sums of products of two small factors.", ("MLA, no positions or norm",)
    ),
    "MEGA": Other("Megalodon", "A moving average of the tokens, then gated attention.", ("squared ReLU (GAU)", "S4D")),
    "Infini-attention": Other(
        "", "Softmax within a segment, and linear attention to a memory of those before.", ("causal linear, elu + 1",)
    ),
    "Lightning attention": Other(
        "MiniMax-01, TransNormer",
        "A causal linear attention, computed block by block.",
        ("RetNet, no output gate", "causal linear, elu + 1"),
    ),
    "log-linear attention": Other(
        "",
        "It keeps more states than one, as many as the logarithm of the length.",
        ("Mamba-2", "Gated DeltaNet"),
    ),
    "Mamba-3": Other("", "A later state space of the same line.", ("Mamba-2",)),
    "RWKV-6": Other(
        "RWKV-5, Eagle, Finch",
        "States are matrices that decay, in the sixth by what comes in.",
        ("GLA, no output gate", "RWKV-4, time mixing"),
    ),
    "RWKV-7": Other(
        "Goose", "States are matrices, changed by a rule of which the delta rule is a case.", ("Gated DeltaNet",)
    ),
    "HGRN2": Other("", "A gated linear recurrence, whose forget gate makes the key, too.", ("GLA, no output gate",)),
    "Kimi Delta Attention": Other(
        "KDA, Kimi Linear", "Gated DeltaNet with a decay for each entry of the key.", ("Gated DeltaNet",)
    ),
    "DeltaProduct": Other("", "Several steps of the delta rule for each token.", ("DeltaNet, unit keys",)),
    "TTT": Other(
        "test-time training, TTT layers",
        "The state is a small model that takes a step of training at each token.",
        ("DeltaNet, unit keys",),
    ),
    "Titans": Other("", "The state is a small network that trains, and forgets, as tokens come.", ("Gated DeltaNet",)),
    "MesaNet": Other(
        "mesa layer", "The state solves a problem of least squares at each token.", ("DeltaNet, unit keys",)
    ),
    "Monarch Mixer": Other("M2-BERT", "Structured matrices mix by place.", ("Hyena", "MLP-Mixer")),
    "mixture of experts": Other(
        "MoE", "It replaces feed-forward layers, which mix no tokens: there is nothing to ask of it here.", ()
    ),
}
"""By name; not asked, or computed otherwise."""
