"""The names of the relations, in the order in which they are checked. Nothing else is imported for an option."""

from typing import Literal, get_args

Relation = Literal["repeat", "stream", "cuts", "wire", "names", "order"]

RELATIONS: tuple[Relation, ...] = get_args(Relation)
