"""The asynchronous client."""

from __future__ import annotations

import asyncio
import time
from typing import Any, AsyncIterator, List, Mapping, Optional, cast

import httpx

from . import types as t
from ._brain_calls import BrainCalls, Item
from ._calls import (
    Call,
    EventParser,
    Place,
    find_delay,
    parse_data,
    path,
    read_settings,
    to_connection_error,
    write_call,
)
from .errors import NoemaError, to_error
from .run_parts import RunPart


class AsyncNoema:
    """A client of the service. Close it, or use it in an `async with` statement.

    `base_url` and `api_key` are read from `NOEMA_BASE_URL` (or `NOEMA_PORT`) and `NOEMA_API_KEY` when left out. 429, 5xx and
    network failures are retried `max_retries` times, every attempt of a write under one idempotency key. `timeout` is in
    seconds.
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        max_retries: int = 2,
        timeout: float = 60.0,
        transport: Optional[httpx.AsyncBaseTransport] = None,
    ) -> None:
        self._settings = read_settings(base_url, api_key, max_retries, timeout)
        self._http = httpx.AsyncClient(timeout=timeout, transport=transport)
        self.runs = AsyncRuns(self)
        self.agents = AsyncAgents(self)
        self.webhooks = AsyncWebhooks(self)

    async def __aenter__(self) -> AsyncNoema:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    def brain(self, handle: str) -> AsyncBrain:
        """One Brain. Sends nothing."""
        return AsyncBrain(self, handle)

    async def put_brain(self, handle: str) -> t.Brain:
        """Creates a Brain, or leaves an existing one unchanged."""
        data = await self.request("PUT", path("/v1/brains/{handle}", handle=handle), body={})
        return cast(t.Brain, data["brain"])

    async def request(
        self,
        method: str,
        where: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        """Calls any other endpoint by its path; returns `data`. docs/openapi.json lists them, and `noema.types` has their shapes.

        `query` and `body` are mappings. Without an `idempotency_key`, a POST whose answer is lost is not sent again."""
        if method == "GET":
            return await self._send(Call("GET", where, query=query or {}))
        if method == "POST" and idempotency_key is None:
            return await self._send(Call("POST", where, body=body, is_repeatable=False))
        return await self._send(write_call(method, where, body, idempotency_key=idempotency_key))

    async def _send(self, call: Call) -> Any:
        retry = 0
        while True:
            try:
                return await self._attempt(call)
            except NoemaError as error:
                delay = find_delay(error, retry, self._settings, call.is_repeatable)
                if delay is None:
                    raise
            await asyncio.sleep(delay)
            retry += 1

    async def _attempt(self, call: Call) -> Any:
        try:
            response = await self._http.send(call.build(self._settings))
        except httpx.TransportError as error:
            raise to_connection_error(error, self._settings) from error
        if not response.is_success:
            raise to_error(response, response.content, time.time())
        return parse_data(response.content, response.status_code)

    async def _lines(self, call: Call) -> AsyncIterator[str]:
        try:
            response = await self._http.send(call.build(self._settings), stream=True)
            try:
                if not response.is_success:
                    raise to_error(response, await response.aread(), time.time())
                async for line in response.aiter_lines():
                    yield line
            finally:
                await response.aclose()
        except httpx.TransportError as error:
            raise to_connection_error(error, self._settings) from error


    async def _follow(self, where: str, query: Mapping[str, Any], after: Optional[str]) -> AsyncIterator[Any]:
        """Yields what a stream sends, to its end; a broken connection is taken up after the last message."""
        place = Place(after)
        while True:
            lost: Optional[NoemaError] = None
            try:
                parser = EventParser()
                async for line in self._lines(place.call(where, query)):
                    place.has_connected = True
                    for message in parser.push(line.rstrip("\n")):
                        taken = place.take(message)
                        if taken is not None:
                            yield taken
                        if place.is_over:
                            return
            except NoemaError as error:
                lost = error
            await asyncio.sleep(place.find_wait(lost, self._settings))

    async def _items(self, where: str, name: str, query: Optional[Mapping[str, Any]] = None) -> AsyncIterator[Any]:
        """Yields the items of a list, and fetches each next page when it is needed."""
        asked = dict(query or {})
        while True:
            page = await self.request("GET", where, query=asked)
            for item in page[name]:
                yield item
            if not page["hasMore"]:
                return
            asked["after"] = page["cursor"]


class AsyncRuns:
    """The runs of agents."""

    def __init__(self, client: AsyncNoema) -> None:
        self._client = client

    async def start(
        self, run: t.RunsStartBody, *, wait: Optional[int] = None, idempotency_key: Optional[str] = None
    ) -> t.Run:
        """Starts a run. `wait`: seconds, at most 60, that the answer waits for its end."""
        call = write_call("POST", "/v1/runs", run, idempotency_key=idempotency_key, wait=wait)
        return cast(t.Run, (await self._client._send(call))["run"])

    async def get(self, id: str) -> t.Run:
        return cast(t.Run, (await self._client.request("GET", path("/v1/runs/{id}", id=id)))["run"])

    async def list(self, query: Optional[t.RunsListQuery] = None) -> AsyncIterator[t.Run]:
        """Yields runs, and fetches each next page when it is needed."""
        async for run in self._client._items("/v1/runs", "runs", query):
            yield run

    async def stream(self, id: str, *, after: Optional[int] = None) -> AsyncIterator[RunPart]:
        """Yields the parts of a run as they come, to its end, without loss or repeats over broken connections."""
        place = None if after is None else str(after)
        async for part in self._client._follow(path("/v1/runs/{id}/stream", id=id), {}, place):
            yield part

    async def messages(self, id: str) -> AsyncIterator[t.Message]:
        """Yields the messages of a run. The last one of a completed run is its answer."""
        async for message in self._client._items(path("/v1/runs/{id}/messages", id=id), "messages"):
            yield message

    async def cancel(self, id: str, *, reason: Optional[str] = None) -> t.Run:
        body = {} if reason is None else {"reason": reason}
        return cast(t.Run, (await self._client.request("POST", path("/v1/runs/{id}/cancel", id=id), body=body))["run"])


class AsyncAgents:
    """Agents and their versions."""

    def __init__(self, client: AsyncNoema) -> None:
        self._client = client

    async def create(self, agent: t.AgentsCreateBody) -> t.Agent:
        return cast(t.Agent, (await self._client.request("POST", "/v1/agents", body=agent))["agent"])

    async def get(self, id: str) -> t.Agent:
        return cast(t.Agent, (await self._client.request("GET", path("/v1/agents/{id}", id=id)))["agent"])

    async def list(self, query: Optional[t.AgentsListQuery] = None) -> AsyncIterator[t.Agent]:
        """Yields agents, and fetches each next page when it is needed."""
        async for agent in self._client._items("/v1/agents", "agents", query):
            yield agent

    async def patch(self, id: str, changes: t.AgentsPatchBody) -> t.Agent:
        """Makes the next version of an agent. What is left out stays."""
        where = path("/v1/agents/{id}", id=id)
        return cast(t.Agent, (await self._client.request("PATCH", where, body=changes))["agent"])

    async def delete(self, id: str) -> t.Agent:
        """Archives an agent: it can be read, but neither run nor changed."""
        return cast(t.Agent, (await self._client.request("DELETE", path("/v1/agents/{id}", id=id)))["agent"])

    async def versions(self, id: str) -> AsyncIterator[t.AgentVersion]:
        async for version in self._client._items(path("/v1/agents/{id}/versions", id=id), "versions"):
            yield version


class AsyncWebhooks:
    """The webhooks of the organization. `noema.webhooks.unwrap` verifies what they deliver."""

    def __init__(self, client: AsyncNoema) -> None:
        self._client = client

    async def create(self, webhook: t.WebhooksCreateBody) -> t.WebhooksCreateAnswer:
        """Makes a webhook. Its `secret` is shown once."""
        return cast(t.WebhooksCreateAnswer, await self._client.request("POST", "/v1/webhooks", body=webhook))

    async def get(self, id: str) -> t.OrganizationWebhook:
        found = await self._client.request("GET", path("/v1/webhooks/{id}", id=id))
        return cast(t.OrganizationWebhook, found["webhook"])

    async def list(self) -> AsyncIterator[t.OrganizationWebhook]:
        """Yields webhooks, and fetches each next page when it is needed."""
        async for webhook in self._client._items("/v1/webhooks", "webhooks"):
            yield webhook

    async def patch(self, id: str, changes: t.WebhooksPatchBody) -> t.OrganizationWebhook:
        changed = await self._client.request("PATCH", path("/v1/webhooks/{id}", id=id), body=changes)
        return cast(t.OrganizationWebhook, changed["webhook"])

    async def delete(self, id: str) -> None:
        await self._client.request("DELETE", path("/v1/webhooks/{id}", id=id))

    async def test(self, id: str) -> t.WebhookTest:
        """Delivers a test now, and returns what the receiver answered."""
        return cast(t.WebhookTest, await self._client.request("POST", path("/v1/webhooks/{id}/test", id=id)))

    async def deliveries(self, id: str) -> AsyncIterator[t.OrganizationDelivery]:
        """Yields the deliveries of a webhook, and fetches each next page when it is needed."""
        async for delivery in self._client._items(path("/v1/webhooks/{id}/deliveries", id=id), "deliveries"):
            yield delivery


class AsyncBrain:
    """The calls of one Brain."""

    def __init__(self, client: AsyncNoema, handle: str) -> None:
        self._client = client
        self._calls = BrainCalls(handle)
        self.handle = handle

    async def write_record(
        self, record: t.BrainRecordsCreateBody, *, idempotency_key: Optional[str] = None
    ) -> t.RecordWritten:
        """Writes a new record."""
        return cast(t.RecordWritten, await self._client._send(self._calls.write_record(record, idempotency_key)))

    async def write_statement(
        self, statement: t.BrainStatementsAssertBody, *, idempotency_key: Optional[str] = None
    ) -> t.StatementAsserted:
        """Asserts a statement about a record."""
        return cast(t.StatementAsserted, await self._client._send(self._calls.write_statement(statement, idempotency_key)))

    async def write_document(
        self,
        document: t.BrainDocumentsPutBody,
        *,
        if_match: Optional[int] = None,
        idempotency_key: Optional[str] = None,
    ) -> t.DocumentWritten:
        """Writes a document, as a new one or a new version. `if_match`: the version that must be current."""
        call = self._calls.write_document(document, idempotency_key, if_match)
        return cast(t.DocumentWritten, await self._client._send(call))

    async def merge_record(
        self,
        id: str,
        merge: t.BrainRecordsMergeBody,
        *,
        if_match: Optional[int] = None,
        idempotency_key: Optional[str] = None,
    ) -> t.BrainRecordsMergeAnswer:
        """Merges a record into `merge["into"]`, which gets what it lacks. The id then leads to that record."""
        call = self._calls.merge_record(id, merge, idempotency_key, if_match)
        return cast(t.BrainRecordsMergeAnswer, await self._client._send(call))

    async def change_web_pages(self, source: str, pages: t.BrainWebSourcesChangePagesBody) -> t.WebSource:
        """Adds web pages to a source by their URLs, or removes some. The service fetches them, and again at intervals."""
        answer = await self._client._send(self._calls.change_web_pages(source, pages))
        return cast(t.WebSource, answer["webSource"])

    async def write_skill(
        self, name: str, skill: t.BrainSkillsPutBody, *, idempotency_key: Optional[str] = None
    ) -> t.SkillWrite:
        """Replaces a whole skill by `skill["files"]`, as one change. Files that are missing are retired."""
        call = self._calls.write_skill(name, skill, idempotency_key)
        return cast(t.SkillWrite, await self._client._send(call))

    async def get_skill(self, name: str, *, as_of: Optional[int] = None) -> t.SkillWithFiles:
        """Reads a skill with the list of its files, now or at an earlier state."""
        found = await self._client._send(self._calls.get_skill(name, as_of))
        return cast(t.SkillWithFiles, found["skill"])

    async def get_skill_file(self, name: str, file: str, *, as_of: Optional[int] = None) -> str:
        """The text of a file of a skill."""
        found = await self._client._send(self._calls.get_skill_file(name, file, as_of))
        return cast(str, found["file"]["text"])

    async def propose(
        self, operations: List[t.Operation], *, idempotency_key: Optional[str] = None
    ) -> t.BatchAnswer:
        """Writes up to 1,000 operations as one change that waits for review in any mode of the Brain."""
        return cast(t.BatchAnswer, await self._client._send(self._calls.propose(operations, idempotency_key)))

    async def search(self, query: t.BrainSearchQuery) -> t.BrainSearchAnswer:
        """Searches by words and by meaning. Check `evidence` before relying on the results."""
        return cast(t.BrainSearchAnswer, await self._client._send(self._calls.search(query)))

    async def context(self, question: t.BrainContextBody) -> t.BrainContextAnswer:
        """Collects the relevant passages for a question, as Markdown within a token budget."""
        return cast(t.BrainContextAnswer, await self._client._send(self._calls.context(question)))

    async def query(self, query: t.BrainQueryBody) -> AsyncIterator[t.BrainRecord]:
        """Yields the records that match exactly, and fetches each next page when it is needed."""
        after: Optional[str] = None
        while True:
            body = {**query, **({} if after is None else {"after": after})}
            page = cast(t.BrainQueryAnswer, await self._client._send(self._calls.query(body)))
            for record in page["records"]:
                yield record
            if not page["hasMore"]:
                return
            after = page["cursor"]

    async def get_record(self, id: str, *, as_of: Optional[int] = None) -> t.BrainRecord:
        return cast(t.BrainRecord, await self._get("record", id, as_of))

    async def get_statement(self, id: str, *, as_of: Optional[int] = None) -> t.Statement:
        return cast(t.Statement, await self._get("statement", id, as_of))

    async def get_document(self, id: str, *, as_of: Optional[int] = None) -> t.Document:
        return cast(t.Document, await self._get("document", id, as_of))

    async def _get(self, type: Item, id: str, as_of: Optional[int]) -> Any:
        found = await self._client._send(self._calls.get(type, id, as_of))
        return found[type]

    async def decide(
        self, change: str, decision: t.BrainChangesDecideBody, *, idempotency_key: Optional[str] = None
    ) -> t.ChangeSettled:
        """Approves or rejects a change, or some of its items."""
        return cast(t.ChangeSettled, await self._client._send(self._calls.decide(change, decision, idempotency_key)))

    async def follow(
        self, after: Optional[str] = None, *, types: Optional[List[str]] = None
    ) -> AsyncIterator[t.BrainEvent]:
        """Yields the events of the Brain as they are committed, from `after` on (else from the beginning), without loss or repeats over
        broken connections. Ends when the caller stops iterating."""
        async for event in self._client._follow(self._calls.events(), {"types": types}, after):
            yield event

    async def export(self, *, history: bool = False) -> AsyncIterator[str]:
        """Yields the Brain as lines of JSON for an import. `history`: with every version and change."""
        async for line in self._client._lines(self._calls.export(history)):
            if line.strip():
                yield line.rstrip("\n")
