"""Documents for LangChain, read by a Quire service: `QuireLoader`."""

from langchain_quire.loader import QuireLoader

__all__ = ["QuireLoader"]
