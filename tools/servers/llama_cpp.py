"""Serve a Llama of Hugging Face's format with llama.cpp, in an environment with xllamacpp and gguf.

    python tools/servers/llama_cpp.py MODEL_DIRECTORY PORT

Its cache is float32 and flash attention off: with either, some answers differ from those of others.
"""

import json
import sys
import tempfile
import threading
from pathlib import Path

import gguf
import numpy as np
import xllamacpp
from safetensors.numpy import load_file

_NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "model.layers": "blk",
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
}


def write_gguf(model: Path, target: Path) -> None:
    """Convert a model with a byte-level BPE tokenizer."""
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    heads, key_heads = config["num_attention_heads"], config["num_key_value_heads"]
    writer = gguf.GGUFWriter(target, "llama")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(key_heads)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_dimension_count(config["hidden_size"] // heads)
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    writer.add_vocab_size(config["vocab_size"])
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    _add_tokenizer(writer, model, config)
    for name, weights in load_file(model / "model.safetensors").items():
        if name.endswith(("q_proj.weight", "k_proj.weight")):
            weights = _interleaved(weights, heads if "q_proj" in name else key_heads)
        for theirs, ours in _NAMES.items():
            name = name.replace(theirs, ours)
        writer.add_tensor(name, np.ascontiguousarray(weights))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _interleaved(weights: np.ndarray, heads: int) -> np.ndarray:
    """The rows of queries or keys in llama.cpp's order: the halves that rotate together, paired."""
    halves = weights.reshape(heads, 2, len(weights) // heads // 2, -1)
    return halves.swapaxes(1, 2).reshape(weights.shape)


def _add_tokenizer(writer: gguf.GGUFWriter, model: Path, config: dict) -> None:
    tokenizer = json.loads((model / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary = tokenizer["model"]["vocab"]
    special = {token["content"] for token in tokenizer["added_tokens"]}
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    kinds = gguf.TokenType
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(
        [kinds.CONTROL if token in special else kinds.NORMAL for token in tokens]
    )
    merges = tokenizer["model"]["merges"]
    writer.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in merges])
    writer.add_eos_token_id(config["eos_token_id"])
    writer.add_pad_token_id(config["pad_token_id"])
    writer.add_add_bos_token(False)
    writer.add_chat_template((model / "chat_template.jinja").read_text(encoding="utf-8"))


def main() -> None:
    """Serve until killed."""
    model, port = Path(sys.argv[1]), int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.gguf"
        write_gguf(model, path)
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.model_alias = {str(model)}
        params.hostnames, params.port = ["127.0.0.1"], port
        params.n_ctx, params.n_parallel = 4 * 4096, 4
        # Its threads wait for each other by spinning.
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
        params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
        params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
        server = xllamacpp.Server(params)
        print(server.listening_address, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
