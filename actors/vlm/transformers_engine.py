"""A vision-language model in plain transformers: one answer at a time, on the GPU if there is one. Imported lazily."""

from importlib import import_module
from typing import Any

from quire.actors.vlm.answer_guard import AnswerWatch
from quire.actors.vlm.models.contract import Answer, AnswerEnd, Ask
from quire.models.cdom.errors import MlUnavailable

LOOK_EVERY_TOKENS = 16  # tokens between checks of clock and loop detector, which cost more than a token


def describe(error: Exception) -> str:
    """Return the first sentence of an engine's error, which says what is missing or too large."""
    text = next(iter(str(error).strip().splitlines()), "")
    return f"the model does not load: {type(error).__name__}" + (f": {text[:300]}" if text else "")


def make_messages(prompt: str, picture: Any) -> list[dict[str, Any]]:
    """Return the single message of a prompt, in the form of chat templates."""
    content = [{"type": "image", "image": picture}] + ([{"type": "text", "text": prompt}] if prompt else [])
    return [{"role": "user", "content": content}]


class TransformersWriter:
    """One model in this process, on the GPU if there is one."""

    def __init__(self, location: str) -> None:
        try:
            torch, transformers = import_module("torch"), import_module("transformers")
            self._processor = transformers.AutoProcessor.from_pretrained(location)
            model = transformers.AutoModelForImageTextToText.from_pretrained(location, dtype="auto")
        except (ImportError, OSError, ValueError, KeyError, RuntimeError) as error:
            raise MlUnavailable(describe(error)) from error
        self._torch, self._transformers = torch, transformers
        self._model = model.to("cuda" if torch.cuda.is_available() else "cpu").eval()

    def write(self, ask: Ask, watch: AnswerWatch) -> Answer:
        """Generate the answer to one prompt, until its end or a verdict of `watch`."""
        inputs = self._processor.apply_chat_template(
            make_messages(ask.prompt, ask.picture),
            add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt",
        ).to(self._model.device, dtype=self._model.dtype)  # fmt: skip
        start = inputs["input_ids"].shape[1]
        stop = _StopEarly(self, start, watch)
        sampling = ask.sampling
        chance: dict[str, Any] = {"do_sample": False}
        if sampling.temperature:
            chance = {"do_sample": True, "temperature": sampling.temperature, "top_p": sampling.top_p}
        if sampling.stop:
            chance |= {"stop_strings": list(sampling.stop), "tokenizer": self._processor.tokenizer}
        with self._torch.inference_mode():
            output = self._model.generate(
                **inputs, max_new_tokens=sampling.max_tokens, repetition_penalty=sampling.repetition_penalty, **chance,
                stopping_criteria=self._transformers.StoppingCriteriaList([stop]),
            )  # fmt: skip
        tokens = output[0, start:]
        full = len(tokens) >= sampling.max_tokens and int(tokens[-1]) not in self._ends()
        text = self.decode(tokens, skip_special_tokens=sampling.skip_special_tokens)
        return Answer(text=text, ending=stop.verdict or (AnswerEnd.LENGTH if full else AnswerEnd.STOP))

    def decode(self, tokens: Any, *, skip_special_tokens: bool = True) -> str:
        """Return the text of generated tokens."""
        return str(self._processor.decode(tokens, skip_special_tokens=skip_special_tokens))

    def full(self, value: bool, ids: Any) -> Any:
        """Return a stopping criterion's answer: a tensor with one truth value per sequence."""
        return self._torch.full((ids.shape[0],), value, dtype=self._torch.bool, device=ids.device)

    def _ends(self) -> set[int]:
        ends = self._model.generation_config.eos_token_id
        return set(ends) if isinstance(ends, list) else {ends}


class _StopEarly:
    """A stopping criterion of transformers that checks the watch every few tokens."""

    def __init__(self, writer: TransformersWriter, start: int, watch: AnswerWatch) -> None:
        self._writer, self._start, self._watch = writer, start, watch
        self.verdict: AnswerEnd | None = None

    def __call__(self, ids: Any, scores: Any, **_: Any) -> Any:
        if (ids.shape[1] - self._start) % LOOK_EVERY_TOKENS == 0:
            self.verdict = self.verdict or self._watch.verdict(self._writer.decode(ids[0, self._start :]))
        return self._writer.full(self.verdict is not None, ids)
