"""Connections that send no request, or one letter of it a minute, are closed: the server waits for them for ever."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

# Seconds within which the head of a request has to arrive, and connections at a time.
HEAD_SECONDS, MOST_CONNECTIONS = 30.0, 500


class PatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, with patience for the head of a request that ends.

    Its own time-out counts from the end of an answer to the first byte of what comes next; bodies have the one of
    :class:`~babelspace.service.security.Guard`.
    """

    _impatience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The first request has to come soon."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Once a request is whole, it takes its time; the next one begins with its first byte."""
        super().data_received(data)
        if not self._idle():
            self._wait_no_more()
        elif self._impatience is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody waits any more."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        self._impatience = self.loop.call_later(HEAD_SECONDS, self._close)

    def _wait_no_more(self) -> None:
        if self._impatience is not None:
            self._impatience.cancel()
            self._impatience = None

    def _close(self) -> None:
        self._impatience = None
        if self._idle():
            self.transport.close()
