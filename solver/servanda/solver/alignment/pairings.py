"""stub"""

from servanda.contracts.meaning.pairing import distinct_pairings as few_pairings

__all__ = ["few_pairings"]
