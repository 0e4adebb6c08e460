"""Which of several replicas of one model is asked next: in turn, without those that are down."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

# Seconds for which a replica is left alone after a broken connection, and what they grow to.
_FIRST_PAUSE, _LONGEST_PAUSE = 30.0, 480.0


@dataclass(eq=False, slots=True)
class Replica:
    """One server of the model.

    Attributes:
        base: the URL that the paths of the API are appended to.
        answered: whether an answer of it could be read, so that its URL is right.
        pause: the seconds for which it is set aside; 0 while it is up.
        back_at: when it is tried again.
    """

    base: str
    answered: bool = False
    pause: float = 0.0
    back_at: float = 0.0


class Replicas:
    """The replicas, picked in turn. Times are seconds of any one clock."""

    def __init__(self, bases: Iterable[str]) -> None:
        self._replicas = [Replica(base) for base in bases]
        self._turn = 0

    def pick(self, avoid: Collection[Replica], now: float) -> Replica:
        """The next replica that is up, if possible none of those to avoid.

        Where all are set aside, somebody has to be asked, and all have their turn: the one that was
        only reset may be up again long before its pause ends.
        """
        up = self._up(now)
        candidates = up or self._replicas
        candidates = [replica for replica in candidates if replica not in avoid] or candidates
        picked = min(candidates, key=self._distance)
        self._turn = (self._replicas.index(picked) + 1) % len(self._replicas)
        if picked.pause and up:
            # On probation: one question finds out whether it is back, others go elsewhere.
            picked.pause = min(2 * picked.pause, _LONGEST_PAUSE)
            picked.back_at = now + picked.pause
        return picked

    def has_other(self, tried: Collection[Replica], now: float) -> bool:
        """Whether a replica is up that has not been tried."""
        return any(replica not in tried for replica in self._up(now))

    def set_aside(self, replica: Replica, now: float) -> None:
        """Its connection broke: leave it alone for a while."""
        if not replica.pause:  # else it is a question sent before, or the one on probation
            replica.pause = _FIRST_PAUSE
            replica.back_at = now + replica.pause

    def restore(self, replica: Replica) -> None:
        """It responded: it is up."""
        replica.pause = replica.back_at = 0.0

    def _up(self, now: float) -> list[Replica]:
        return [replica for replica in self._replicas if now >= replica.back_at]

    def _distance(self, replica: Replica) -> int:
        """How many others have their turn before it."""
        return (self._replicas.index(replica) - self._turn) % len(self._replicas)
