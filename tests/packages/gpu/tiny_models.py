"""Checkpoints of the registered models with random weights, about a megabyte each: they read nothing.

dots is missing: transformers has no such architecture.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

_END, _PAD, _PICTURE = "<|im_end|>", "<|endoftext|>", "<|image_pad|>"
_SPECIAL = [_PAD, "<|im_start|>", _END, _PICTURE, "<|vision_pad|>", "<|vision_end|>"]
_CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{% if m['content'] is string %}{{ m['content'] }}{% else %}"
    "{% for c in m['content'] %}{% if c['type'] in ('image','image_url') %}PICTURE{% elif c['type']=='text' %}"
    "{{ c['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SMALL_ENGINE: dict[str, Any] = {"kv_cache_memory_bytes": 256 << 20, "max_model_len": 4096}
"""What vLLM needs to hear where it may not take most of the machine's memory, as it does by default."""
_TOKENS = {"image_token": _PICTURE, "image_break_token": "<|vision_pad|>", "image_end_token": "<|vision_end|>"}
_TEXT: dict[str, Any] = {
    "hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 32, "max_position_embeddings": 4096,
}  # fmt: skip
_SECTIONS = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [4, 6, 6]}
"""Positions in time, height and width, of half a head's 32 numbers."""


def save_checkpoint(folder: Path, name: str = "lightonocr", *, ends: bool = True) -> None:
    """Weights, configuration, tokenizer and processor, as a hub folder holds them. Without `ends` it never stops by
    itself: every embedding carries a constant that the end token's row answers with a very low score."""
    torch, transformers = import_module("torch"), import_module("transformers")
    picture = "<image>" if name == "granite-docling" else _PICTURE
    tokenizer = _make_tokenizer(transformers, picture)
    ids = {token: tokenizer.convert_tokens_to_ids(token) for token in (*_SPECIAL, picture)}
    text = _TEXT | {
        "vocab_size": -(-len(tokenizer) // 64) * 64, "bos_token_id": ids[_PAD], "eos_token_id": ids[_END],
        "pad_token_id": ids[_PAD], "tie_word_embeddings": False,
    }  # fmt: skip
    torch.manual_seed(0)
    model, processor = MAKERS[name](transformers, tokenizer, text, ids)
    model = model.to(torch.bfloat16)
    if not ends:
        model.get_input_embeddings().weight.data[:, 0] = 1.0
        model.get_output_embeddings().weight.data[ids[_END], 0] = -2.0
    model.generation_config.eos_token_id = ids[_END]
    model.generation_config.pad_token_id = ids[_PAD]
    model.save_pretrained(folder)
    processor.save_pretrained(folder)


def _make_tokenizer(transformers: Any, picture: str) -> Any:
    tokenizers = import_module("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    special = [*_SPECIAL, *(token for token in (picture,) if token not in _SPECIAL)]
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=512, special_tokens=special, initial_alphabet=alphabet)
    made.train_from_iterator(["the quick brown fox jumps over a lazy dog page table figure"] * 4, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=_END, pad_token=_PAD, chat_template=_CHAT.replace("PICTURE", picture),
        model_max_length=4096, extra_special_tokens=_TOKENS | {"image_token": picture},
    )  # fmt: skip


def _make_lightonocr(transformers: Any, tokenizer: Any, text: dict[str, Any], ids: dict[str, int]) -> tuple[Any, Any]:
    vision = {
        "model_type": "pixtral", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
        "num_attention_heads": 2, "head_dim": 32, "image_size": 448, "patch_size": 14, "num_channels": 3,
        "hidden_act": "silu", "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
    }  # fmt: skip
    rope = {"rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0}}
    config = transformers.LightOnOcrConfig(
        image_token_id=ids[_PICTURE], spatial_merge_size=2, tie_word_embeddings=False, vision_config=vision,
        text_config=text | rope | {"model_type": "qwen3"},
    )  # fmt: skip
    config.architectures = ["LightOnOcrForConditionalGeneration"]
    pictures = import_module("transformers.models.pixtral.image_processing_pil_pixtral").PixtralImageProcessorPil(
        size={"longest_edge": 448}, patch_size={"height": 14, "width": 14}
    )
    return transformers.LightOnOcrForConditionalGeneration(config), transformers.LightOnOcrProcessor(
        image_processor=pictures, tokenizer=tokenizer, patch_size=14, spatial_merge_size=2,
        chat_template=tokenizer.chat_template,
    )  # fmt: skip


def _make_paddleocr_vl(transformers: Any, tokenizer: Any, text: dict[str, Any], ids: dict[str, int]) -> tuple[Any, Any]:
    vision = {
        "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2,
        "image_size": 56, "patch_size": 14,
    }  # fmt: skip
    config = transformers.PaddleOCRVLConfig(
        vision_config=vision, text_config=text | {"rope_parameters": _SECTIONS}, image_token_id=ids[_PICTURE],
        vision_start_token_id=ids["<|vision_pad|>"], vision_end_token_id=ids["<|vision_end|>"],
        video_token_id=ids["<|im_start|>"], tie_word_embeddings=False,
    )  # fmt: skip
    pictures = import_module(
        "transformers.models.paddleocr_vl.image_processing_pil_paddleocr_vl"
    ).PaddleOCRVLImageProcessorPil(size={"shortest_edge": 28 * 28, "longest_edge": 448 * 448})
    return transformers.PaddleOCRVLForConditionalGeneration(config), transformers.PaddleOCRVLProcessor(
        image_processor=pictures, tokenizer=tokenizer, chat_template=tokenizer.chat_template
    )


def _make_glm_ocr(transformers: Any, tokenizer: Any, text: dict[str, Any], ids: dict[str, int]) -> tuple[Any, Any]:
    vision = {"hidden_size": 64, "depth": 2, "num_heads": 2, "intermediate_size": 128, "out_hidden_size": 128}
    config = transformers.GlmOcrConfig(
        vision_config=vision, text_config=text | {"rope_parameters": _SECTIONS}, image_token_id=ids[_PICTURE],
        image_start_token_id=ids["<|vision_pad|>"], image_end_token_id=ids["<|vision_end|>"],
        video_token_id=ids["<|im_start|>"], video_start_token_id=ids["<|im_start|>"], tie_word_embeddings=False,
    )  # fmt: skip
    pictures = import_module("transformers.models.glm46v.image_processing_pil_glm46v").Glm46VImageProcessorPil(
        size={"shortest_edge": 28 * 28, "longest_edge": 448 * 448}
    )
    return transformers.GlmOcrForConditionalGeneration(config), transformers.Glm46VProcessor(
        image_processor=pictures, tokenizer=tokenizer, video_processor=transformers.Glm46VVideoProcessor(),
        chat_template=tokenizer.chat_template,
    )  # fmt: skip


def _make_granite_docling(
    transformers: Any, tokenizer: Any, text: dict[str, Any], ids: dict[str, int]
) -> tuple[Any, Any]:
    pictures = import_module("transformers.models.idefics3.image_processing_pil_idefics3").Idefics3ImageProcessorPil(
        size={"longest_edge": 448}, max_image_size={"longest_edge": 224}
    )
    processor = transformers.Idefics3Processor(
        image_processor=pictures, tokenizer=tokenizer, image_seq_len=16, chat_template=tokenizer.chat_template
    )
    vision = {
        "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2,
        "image_size": 224, "patch_size": 28,
    }  # fmt: skip
    config = transformers.Idefics3Config(
        vision_config=vision, scale_factor=2, image_token_id=ids["<image>"], pad_token_id=ids[_PAD],
        text_config=text | {"model_type": "llama", "vocab_size": -(-len(tokenizer) // 64) * 64 + 64},
        tie_word_embeddings=False,
    )  # fmt: skip
    return transformers.Idefics3ForConditionalGeneration(config), processor


MAKERS: dict[str, Callable[[Any, Any, dict[str, Any], dict[str, int]], tuple[Any, Any]]] = {
    "lightonocr": _make_lightonocr,
    "paddleocr-vl": _make_paddleocr_vl,
    "glm-ocr": _make_glm_ocr,
    "granite-docling": _make_granite_docling,
}
"""Registered model → maker of its tiny model and processor."""
