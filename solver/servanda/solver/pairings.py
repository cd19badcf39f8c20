"""stub"""
from servanda.contracts.pairing import distinct_pairings as few_pairings

__all__ = ["few_pairings"]
