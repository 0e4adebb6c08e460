"""Which architectures the engine "transformers" answers for exactly, and how.

    python benchmarks/architectures.py [NAME ...] [--markdown]

Tiny models with random weights in float32; 12 prompts of 117 to 677 tokens, 100 of them in common,
answers of up to 24. Each answer at batch size 1 and 8 is compared, token by token, with that of
`model.generate()` to its prompt alone. The exit code is 1 if any differs. `make architectures`
runs it; the table stands in docs/local-models.md.
"""

import argparse
import logging
import math
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from common import say_where
from local_model import END, VOCABULARY, requests, save_tokenizer
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from ragifeval.generators.base import Request
from ragifeval.generators.config import LocalConfig
from ragifeval.generators.local import LocalGenerator
from ragifeval.generators.local.rolling import RollingBatch

PROMPTS, TOKENS, HEAD, ANSWER_TOKENS = 12, (117, 677), 100, 24
ENDS = 30  # each so many-th token ends an answer
GAIN = 1.6  # of the weights: answers vary

SIZES: dict[str, Any] = {
    **{"vocab_size": VOCABULARY, "hidden_size": 96, "intermediate_size": 192},
    **{"num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 24},
    **{"max_position_embeddings": 2048, "tie_word_embeddings": False},
    **{"bos_token_id": None, "eos_token_id": END, "pad_token_id": END},
}
ROPE = {"rope_theta": 10_000.0}
STRETCHED = {**ROPE, "factor": 4.0, "original_max_position_embeddings": 512}
LLAMA3 = {"rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LONG = {"short_factor": [1.0] * 12, "long_factor": [4.0] * 12}
EXPERTS = {"num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2}
LATENT = {
    **{"q_lora_rank": 24, "kv_lora_rank": 24, "qk_rope_head_dim": 12, "qk_nope_head_dim": 12},
    **{"head_dim": 12, "v_head_dim": 24, "num_key_value_heads": 4, "n_routed_experts": 4},
    **{"n_group": 1, "topk_group": 1, "num_experts_per_tok": 2, "moe_intermediate_size": 64},
}
STATES = {"state_size": 16, "n_heads": 8, "num_heads": 8, "head_dim": 24, "n_groups": 1}
LINEAR = {
    **{"linear_num_key_heads": 2, "linear_num_value_heads": 2},
    **{"linear_key_head_dim": 24, "linear_value_head_dim": 24},
}
# Of four layers the last two take the keys and values of the first two.
BY_LAYER = {
    **{"layer_types": ["sliding_attention", "full_attention"] * 2, "sliding_window": 64},
    **{"num_kv_shared_layers": 2, "global_head_dim": 24, "laurel_rank": 8},
    **{"vocab_size_per_layer_input": VOCABULARY, "hidden_size_per_layer_input": 16},
}
# Name -> the type of the model, and what differs from SIZES; None where it is not to be given.
ARCHITECTURES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "Llama": ("llama", {}),
    "Llama, llama3 rope": ("llama", {"rope_parameters": {**STRETCHED, **LLAMA3}}),
    "Llama, yarn": ("llama", {"rope_parameters": {**STRETCHED, "rope_type": "yarn"}}),
    "Llama, dynamic rope": ("llama", {"rope_parameters": {**STRETCHED, "rope_type": "dynamic"}}),
    "Mistral, window 64": ("mistral", {"sliding_window": 64}),
    "Mixtral": ("mixtral", EXPERTS),
    "Qwen2": ("qwen2", {}),
    "Qwen2, window 64": (
        "qwen2",
        {"use_sliding_window": True, "sliding_window": 64, "max_window_layers": 0},
    ),
    "Qwen3": ("qwen3", {}),
    "Qwen3-MoE": ("qwen3_moe", {**EXPERTS, "moe_intermediate_size": 64}),
    "Gemma 2, window 64": ("gemma2", {"sliding_window": 64, "query_pre_attn_scalar": 24}),
    "Gemma 3, window 64": ("gemma3_text", {"sliding_window": 64, "query_pre_attn_scalar": 24}),
    "Gemma 3n, shared keys": (
        "gemma3n_text",
        {**BY_LAYER, "activation_sparsity_pattern": [0.0] * 4},
    ),
    "Gemma 4, window 64": ("gemma4_text", {**BY_LAYER, "num_kv_shared_layers": 0}),
    "Gemma 4, shared keys": ("gemma4_text", BY_LAYER),
    "Phi-3": ("phi3", {"head_dim": None}),
    "Phi-3, longrope": (
        "phi3",
        {
            "head_dim": None,
            "original_max_position_embeddings": 256,
            "rope_parameters": {**ROPE, **LONG, "rope_type": "longrope"},
        },
    ),
    "SmolLM3": ("smollm3", {}),
    "GLM-4": ("glm4", {}),
    "OLMo 2": ("olmo2", {}),
    "Cohere 2, window 64": ("cohere2", {"sliding_window": 64}),
    "Granite": ("granite", {}),
    "gpt-oss, window 64": ("gpt_oss", {**EXPERTS, "sliding_window": 64}),
    "Llama 4, chunks of 64": (
        "llama4_text",
        {**EXPERTS, "attention_chunk_size": 64, "intermediate_size_mlp": 192},
    ),
    "DeepSeek-V2": ("deepseek_v2", LATENT),
    "DeepSeek-V3": ("deepseek_v3", LATENT),
    "GPT-NeoX": ("gpt_neox", {}),
    "GPT-2": ("gpt2", {}),
    "OPT": ("opt", {"ffn_dim": 192, "word_embed_proj_dim": 96}),
    "Falcon, rotary": ("falcon", {"alibi": False, "head_dim": None}),
    "Falcon, alibi": ("falcon", {"alibi": True, "head_dim": None}),
    "StableLM": ("stablelm", {}),
    "Bloom": ("bloom", {}),
    "MPT": ("mpt", {"d_model": 96, "n_heads": 4, "n_layers": 3, "max_seq_len": 2048}),
    "Mamba": ("mamba", {}),
    "Mamba 2": ("mamba2", STATES),
    "Falcon-Mamba": ("falcon_mamba", {}),
    "Jamba": ("jamba", {**EXPERTS, "attn_layer_period": 2, "attn_layer_offset": 1}),
    "Bamba": (
        "bamba",
        {"attn_layer_indices": [1, 3], "mamba_n_heads": 8, "mamba_d_head": 24, "mamba_n_groups": 1},
    ),
    "Zamba 2": (
        "zamba2",
        {
            **{"layers_block_type": ["mamba", "hybrid"] * 2, "n_mamba_heads": 8},
            **{"mamba_headdim": 24, "num_key_value_heads": 4, "head_dim": None},
        },
    ),
    "GraniteMoeHybrid": (
        "granitemoehybrid",
        {
            **{**EXPERTS, "layer_types": ["mamba", "attention"] * 2, "mamba_n_heads": 8},
            **{"mamba_d_head": 24, "shared_intermediate_size": 64},
        },
    ),
    "Falcon-H1": ("falcon_h1", {"mamba_n_heads": 8, "mamba_d_head": 24, "mamba_d_ssm": 192}),
    "LFM2": ("lfm2", {"layer_types": ["conv", "full_attention"] * 2}),
    "Qwen3-Next": (
        "qwen3_next",
        {
            **{**LINEAR, **EXPERTS, "moe_intermediate_size": 64},
            "shared_expert_intermediate_size": 64,
            "layer_types": ["linear_attention", "full_attention"] * 2,
        },
    ),
    "RecurrentGemma": ("recurrent_gemma", {"lru_width": 96, "attention_window_size": 64}),
    "CPM-Ant": ("cpmant", {"dim_head": 24, "dim_ff": 192, "prompt_length": 8}),
    "RWKV": ("rwkv", {"attention_hidden_size": 96, "context_length": 2048}),
}


def save_model(directory: Path, kind: str, changes: Mapping[str, Any]) -> None:
    """Save a model with random weights."""
    given = {key: value for key, value in {**SIZES, **changes}.items() if value is not None}
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **given))
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.normal_(std=GAIN / math.sqrt(weights.shape[-1]))
    model.generation_config.eos_token_id = [*range(END, VOCABULARY, ENDS)]
    model.save_pretrained(directory)
    # In a folder of its own, or the model's type would choose its class.
    save_tokenizer(directory / "tokenizer")


def alone(directory: Path, asked: Sequence[Request]) -> list[str]:
    """The answers of transformers, one prompt at a time."""
    tokenizer: Any = AutoTokenizer.from_pretrained(directory / "tokenizer")
    model: Any = AutoModelForCausalLM.from_pretrained(directory, dtype="float32")
    answers = []
    for request in asked:
        given = tokenizer(str(request.prompt.text), return_tensors="pt")
        ids, mask = given["input_ids"], given["attention_mask"]
        options = {"attention_mask": mask, "do_sample": False, "max_new_tokens": ANSWER_TOKENS}
        made = model.generate(ids, **options)[0, ids.shape[1] :]
        answers.append(tokenizer.decode(made, skip_special_tokens=True))
    return answers


class Told(logging.Handler):
    """Whether the generator said that it answers one prompt at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.is_one_by_one = False

    def emit(self, record: logging.LogRecord) -> None:
        self.is_one_by_one |= record.getMessage().startswith("batch_size:")


def batched(directory: Path, asked: Sequence[Request], batch_size: int) -> tuple[list[str], str]:
    """The answers of this harness, and the way it took."""
    settings: dict[str, Any] = {"temperature": 0.0, "max_new_tokens": ANSWER_TOKENS}
    settings["tokenizer"] = str(directory / "tokenizer")
    config = LocalConfig(model=str(directory), dtype="float32", batch_size=batch_size, **settings)
    told, log = Told(), logging.getLogger("ragifeval")
    log.addHandler(told)
    generator = LocalGenerator(config, text_completion=True)
    log.removeHandler(told)
    heads: list[bool] = []
    batches = generator._batches
    if isinstance(batches, RollingBatch):
        read_head = batches._read_head
        batches._read_head = lambda *given: heads.append(head := read_head(*given)) or head
    answers = {answer.request.id: str(answer.text) for answer in generator.generate(asked)}
    way = "rolling" if isinstance(batches, RollingBatch) else "padded"
    way += ", head read once" if any(head is not None for head in heads) else ""
    way += ", one by one" if told.is_one_by_one else ""
    return [answers[request.id] for request in asked], way


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", default=ARCHITECTURES, metavar="NAME")
    parser.add_argument("--markdown", action="store_true", help="as it stands in the docs")
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    asked = requests(PROMPTS, TOKENS, HEAD)
    if not options.markdown:
        say_where()
    form = "| {} | {} | {} | {} |" if options.markdown else "{:24} {:32} {:8} {:8}"
    print(form.format("architecture", "way", "batch 1", "batch 8"))
    if options.markdown:
        print("|---|---|---|---|")
    is_equal = True
    for name in options.names:
        with tempfile.TemporaryDirectory() as folder:
            save_model(Path(folder), *ARCHITECTURES[name])
            expected = alone(Path(folder), asked)
            cells = []
            for batch_size in (1, 8):
                answers, way = batched(Path(folder), asked, batch_size)
                same = sum(a == b for a, b in zip(answers, expected, strict=True))
                cells.append(f"{same}/{len(asked)}")
                is_equal &= same == len(asked)
        weak = "" if len({*expected}) == len(asked) else f" ({len({*expected})} distinct)"
        print(form.format(name, way + weak, cells[0], cells[1]), flush=True)
    sys.exit(not is_equal)


if __name__ == "__main__":
    main()
