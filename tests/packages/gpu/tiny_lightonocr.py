"""A LightOnOCR checkpoint with random weights (538,496 parameters, 1.1 MB): proves the plumbing, reads nothing."""

from importlib import import_module
from pathlib import Path
from typing import Any

_SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|image_pad|>", "<|vision_pad|>", "<|vision_end|>"]
_CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{% if m['content'] is string %}{{ m['content'] }}{% else %}"
    "{% for c in m['content'] %}{% if c['type'] in ('image','image_url') %}<|image_pad|>{% elif c['type']=='text' %}"
    "{{ c['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SMALL_ENGINE: dict[str, Any] = {"kv_cache_memory_bytes": 256 << 20, "max_model_len": 4096}
"""What vLLM needs to hear where it may not take most of the machine's memory, as it does by default."""
_TOKENS = {"image_token": "<|image_pad|>", "image_break_token": "<|vision_pad|>", "image_end_token": "<|vision_end|>"}


def save_checkpoint(folder: Path, *, ends: bool = True) -> None:
    """Weights, configuration, tokenizer and processor, as a hub folder holds them. Without `ends` it never stops by
    itself: every embedding carries a constant that the end token's row answers with a very low score."""
    torch, transformers = import_module("torch"), import_module("transformers")
    tokenizer = _make_tokenizer(transformers)
    ids = {token: tokenizer.convert_tokens_to_ids(token) for token in _SPECIAL}
    config = _make_config(transformers, ids, -(-len(tokenizer) // 64) * 64)
    torch.manual_seed(0)
    model = transformers.LightOnOcrForConditionalGeneration(config).to(torch.bfloat16)
    if not ends:
        model.get_input_embeddings().weight.data[:, 0] = 1.0
        model.get_output_embeddings().weight.data[ids["<|im_end|>"], 0] = -2.0
    model.generation_config.eos_token_id = ids["<|im_end|>"]
    model.generation_config.pad_token_id = ids["<|endoftext|>"]
    pictures = import_module("transformers.models.pixtral.image_processing_pil_pixtral").PixtralImageProcessorPil(
        size={"longest_edge": 448}, patch_size={"height": 14, "width": 14}
    )
    model.save_pretrained(folder)
    transformers.LightOnOcrProcessor(
        image_processor=pictures, tokenizer=tokenizer, patch_size=14, spatial_merge_size=2, chat_template=_CHAT
    ).save_pretrained(folder)


def _make_tokenizer(transformers: Any) -> Any:
    tokenizers = import_module("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=512, special_tokens=_SPECIAL, initial_alphabet=alphabet)
    made.train_from_iterator(["the quick brown fox jumps over a lazy dog page table figure"] * 4, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="<|im_end|>", pad_token="<|endoftext|>", chat_template=_CHAT,
        model_max_length=4096, extra_special_tokens=_TOKENS,
    )  # fmt: skip


def _make_config(transformers: Any, ids: dict[str, int], vocabulary: int) -> Any:
    vision = {
        "model_type": "pixtral", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
        "num_attention_heads": 2, "head_dim": 32, "image_size": 448, "patch_size": 14, "num_channels": 3,
        "hidden_act": "silu", "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
    }  # fmt: skip
    text = {
        "model_type": "qwen3", "vocab_size": vocabulary, "hidden_size": 128, "intermediate_size": 256,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32,
        "max_position_embeddings": 4096, "tie_word_embeddings": False,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
        "bos_token_id": ids["<|endoftext|>"], "eos_token_id": ids["<|im_end|>"], "pad_token_id": ids["<|endoftext|>"],
    }  # fmt: skip
    config = transformers.LightOnOcrConfig(
        image_token_id=ids["<|image_pad|>"], spatial_merge_size=2, tie_word_embeddings=False,
        vision_config=vision, text_config=text,
    )  # fmt: skip
    config.architectures = ["LightOnOcrForConditionalGeneration"]
    return config
