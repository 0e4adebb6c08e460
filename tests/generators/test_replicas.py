import httpx2

from ragifeval.generators.remote.credentials import ApiKey
from ragifeval.generators.remote.service import Replica, Replicas

HTTP = httpx2.AsyncClient(transport=httpx2.AsyncHTTPTransport(verify=False))


def replicas_at(hosts: str) -> Replicas:
    key = ApiKey("-")
    return Replicas([Replica(httpx2.URL(f"http://{host}/v1"), key, HTTP) for host in hosts])


def picked(replicas: Replicas, now: float, *avoid: Replica) -> str:
    return replicas.pick(avoid, now).url[7]


def test_picks_in_turn_and_avoids_what_it_can() -> None:
    replicas = replicas_at("abc")
    assert [picked(replicas, 0) for _ in range(7)] == list("abcabca")
    replicas = replicas_at("ab")
    a, b = replicas.pick((), 0), replicas.pick((), 0)
    assert [picked(replicas, 0, a) for _ in range(3)] == list("bbb")
    assert picked(replicas, 0, a, b) in "ab"
    assert replicas.has_other([a], 0)
    assert not replicas.has_other([a, b], 0)
    replicas.set_aside(b, 0)
    assert not replicas.has_other([a], 0)


def test_leaves_a_broken_one_alone_and_tries_it_once_in_30_seconds_until_it_responds() -> None:
    replicas = replicas_at("ab")
    a = replicas.pick((), 0)
    for second in range(10):
        replicas.set_aside(a, second)  # questions that were under way
    assert [picked(replicas, 29) for _ in range(3)] == list("bbb")
    assert [picked(replicas, 30) for _ in range(4)] == list("abbb")
    replicas.set_aside(a, 31)
    assert [picked(replicas, 60) for _ in range(4)] == list("abbb")
    replicas.restore(a)
    assert [picked(replicas, 61) for _ in range(4)] == list("abab")
