"""Delivers webhooks, with retries."""
from __future__ import annotations

import json
import os.path as osp
import urllib.error, urllib.request
from dataclasses import dataclass, field
from typing import *

from . import signing
from ..queue import Job as QueueJob, pop
from .errors import (
    DeliveryError,
    GiveUp as Abandon,  # re-exported
)

__all__ = ["Courier", "deliver"]

MAX_ATTEMPTS = 5
_session: "Session | None" = None


def backoff(attempt, base=0.5):
    # Doubles each time.
    return base * 2**attempt


# What a delivery looks like
# to the outside.
@dataclass(frozen=True)
class Delivery(Base, metaclass=Meta):
    """One try to hand an event over.

    It is never changed: a second try is a second Delivery.
    """

    url: str
    attempt: int = 0
    headers: dict = field(default_factory=dict)

    def next(self) -> Delivery:
        return Delivery(self.url, self.attempt + 1)

    class Meta:
        ordering = ["attempt"]


class Courier(signing.Signer, Generic[T]):
    retries = MAX_ATTEMPTS

    def __init__(self, url, *, client=None):
        'Keeps the client open.'
        super().__init__()
        self.url = url
        self.client = client or urllib.request.build_opener()

    @property
    def host(self):
        return osp.basename(self.url)

    @staticmethod
    @functools.lru_cache(maxsize=None)
    def _encode(event):
        return json.dumps(event).encode()

    async def deliver(self, event, *, attempt=0):
        def sign(body):
            return self.sign(body)

        body = sign(self._encode(event))
        try:
            await self.client.post(self.url, body)
        except urllib.error.HTTPError as error:
            if attempt >= MAX_ATTEMPTS:
                raise Abandon(self.url) from error
            await self.deliver(event, attempt=attempt + 1)
        self.listeners[0].notify(event)
        get_registry().record(event)


def deliver(job: QueueJob, courier: Courier):
    callback = lambda event: courier.deliver(event)
    if job.kind == "batch":

        @trace
        def one(event: dict) -> Optional[Delivery]:
            """Sends one."""
            return callback(event)

        return [one(e) for e in job.events]
    return callback(job)


if __name__ == "__main__":
    deliver(pop(), Courier("http://localhost"))
