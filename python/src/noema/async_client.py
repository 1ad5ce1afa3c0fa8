"""The asynchronous client."""

from __future__ import annotations

import asyncio
import secrets
import time
from datetime import datetime, timedelta, timezone
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, List, Mapping, Optional, Sequence, cast

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
from .errors import NoemaError, NotFoundError, StepFailed, to_error
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
        self.evals = AsyncEvals(self)
        self.goals = AsyncGoals(self)
        self.distillations = AsyncDistillations(self)
        self.rubrics = AsyncRubrics(self)
        self.schedules = AsyncSchedules(self)
        self.packs = AsyncPacks(self)
        self.files = AsyncFiles(self)
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

    async def flow(
        self,
        name: Optional[str] = None,
        *,
        key: Optional[str] = None,
        run_id: Optional[str] = None,
        input: Any = None,
        brains: Optional[List[str]] = None,
        metadata: Optional[Mapping[str, Any]] = None,
        expires_in_seconds: Optional[int] = None,
    ) -> AsyncFlow:
        """Opens a run of your own code: by `run_id`, or by `name` and a `key` that the same work always has.

        A repeat with the same name and key opens the same run. `brains`: handles of Brains whose content its steps may have.
        """
        if run_id is not None:
            return AsyncFlow(self, await self.runs.get(run_id))
        if name is None or key is None:
            raise ValueError("flow takes a run_id, or a name and a key.")
        given = {"input": input, "brains": brains, "metadata": metadata, "expiresInSeconds": expires_in_seconds}
        body = {"name": name, **{word: value for word, value in given.items() if value is not None}}
        data = await self.request("POST", "/v1/flows", body=body, idempotency_key=key)
        return AsyncFlow(self, cast(t.Run, data["run"]))

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
        return response.content if call.reads_bytes else parse_data(response.content, response.status_code)

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


class AsyncDistillations:
    """Distillations of runs into lessons and skills."""

    def __init__(self, client: AsyncNoema) -> None:
        self._client = client

    async def start(self, given: t.DistillationsStartBody) -> t.Distillation:
        """Starts a distillation, and returns it at once."""
        data = await self._client.request("POST", "/v1/distillations", body=given)
        return cast(t.Distillation, data["distillation"])

    async def get(self, id: str) -> t.DistillationsGetAnswer:
        """A distillation with its items."""
        return cast(t.DistillationsGetAnswer, await self._client.request("GET", path("/v1/distillations/{id}", id=id)))

    async def list(self, query: Optional[t.DistillationsListQuery] = None) -> AsyncIterator[t.Distillation]:
        """Every distillation, page by page."""
        async for item in self._client._items("/v1/distillations", "distillations", query):
            yield cast(t.Distillation, item)

    async def cancel(self, id: str) -> t.Distillation:
        data = await self._client.request("POST", path("/v1/distillations/{id}/cancel", id=id))
        return cast(t.Distillation, data["distillation"])

    async def wait(self, id: str, *, timeout: float = 3600.0, interval: float = 2.0) -> t.DistillationsGetAnswer:
        """Waits for the end of a distillation, so many seconds at most; raises `TimeoutError` then."""
        until = time.monotonic() + timeout
        while True:
            found = await self.get(id)
            if found["distillation"]["completedAt"] is not None:
                return found
            if time.monotonic() + interval > until:
                raise TimeoutError(f"The distillation {id} has not ended after {timeout} seconds.")
            await asyncio.sleep(interval)


class AsyncEvals:
    """Evals, and their runs."""

    def __init__(self, client: AsyncNoema) -> None:
        self._client = client

    async def create(self, eval: t.EvalsCreateBody) -> t.Eval:
        return cast(t.Eval, (await self._client.request("POST", "/v1/evals", body=eval))["eval"])

    async def get(self, id: str) -> t.Eval:
        return cast(t.Eval, (await self._client.request("GET", path("/v1/evals/{id}", id=id)))["eval"])

    async def list(self, query: Optional[t.EvalsListQuery] = None) -> AsyncIterator[t.Eval]:
        """Every eval, page by page."""
        async for item in self._client._items("/v1/evals", "evals", query):
            yield cast(t.Eval, item)

    async def add_cases(self, id: str, cases: t.EvalsAddCasesBody) -> t.Eval:
        """Adds, replaces or leaves out cases by their ids, as the next version."""
        return cast(t.Eval, (await self._client.request("POST", path("/v1/evals/{id}/cases", id=id), body=cases))["eval"])

    async def run(self, id: str, given: Optional[t.EvalsRunBody] = None) -> t.EvalRun:
        """Starts a run, and returns it at once."""
        where = path("/v1/evals/{id}/runs", id=id)
        return cast(t.EvalRun, (await self._client.request("POST", where, body=given or {}))["run"])

    async def wait(self, run_id: str, *, timeout: float = 3600.0, interval: float = 2.0) -> t.EvalRun:
        """Waits for the end of a run, so many seconds at most; raises `TimeoutError` then."""
        until = time.monotonic() + timeout
        while True:
            data = await self._client.request("GET", path("/v1/eval-runs/{id}", id=run_id))
            run = cast(t.EvalRun, data["run"])
            if run["completedAt"] is not None:
                return run
            if time.monotonic() + interval > until:
                raise TimeoutError(f"The run {run_id} has not ended after {timeout} seconds.")
            await asyncio.sleep(interval)

    async def results(self, run_id: str, query: Optional[t.EvalRunsCasesQuery] = None) -> AsyncIterator[t.EvalResult]:
        """The result of each case of a run: all, those that failed, or those of flipped cases."""
        async for item in self._client._items(path("/v1/eval-runs/{id}/cases", id=run_id), "cases", query):
            yield cast(t.EvalResult, item)


class AsyncGoals:
    """Goals of agents: attempts, until graders say that one is met."""

    def __init__(self, client: AsyncNoema) -> None:
        self._client = client

    async def create(self, goal: t.GoalsCreateBody) -> t.Goal:
        return cast(t.Goal, (await self._client.request("POST", "/v1/goals", body=goal))["goal"])

    async def get(self, id: str) -> t.Goal:
        return cast(t.Goal, (await self._client.request("GET", path("/v1/goals/{id}", id=id)))["goal"])

    async def list(self, query: Optional[t.GoalsListQuery] = None) -> AsyncIterator[t.Goal]:
        """Every goal, page by page."""
        async for item in self._client._items("/v1/goals", "goals", query):
            yield cast(t.Goal, item)

    async def attempts(self, id: str) -> AsyncIterator[t.GoalAttempt]:
        """The attempts of a goal, by their numbers."""
        async for item in self._client._items(path("/v1/goals/{id}/attempts", id=id), "attempts"):
            yield cast(t.GoalAttempt, item)

    async def patch(self, id: str, changes: t.GoalsPatchBody) -> t.Goal:
        """Changes the budget of a goal."""
        return cast(t.Goal, (await self._client.request("PATCH", path("/v1/goals/{id}", id=id), body=changes))["goal"])

    async def pause(self, id: str) -> t.Goal:
        return await self._act(path("/v1/goals/{id}/pause", id=id))

    async def resume(self, id: str, *, advice: Optional[str] = None) -> t.Goal:
        """Goes on with a goal that is paused or blocked. `advice`: for the next attempt."""
        return await self._act(path("/v1/goals/{id}/resume", id=id), {} if advice is None else {"advice": advice})

    async def abandon(self, id: str) -> t.Goal:
        return await self._act(path("/v1/goals/{id}/abandon", id=id))

    async def _act(self, where: str, body: Optional[Mapping[str, Any]] = None) -> t.Goal:
        return cast(t.Goal, (await self._client.request("POST", where, body=body))["goal"])


class AsyncSchedules:
    """Schedules, which start agents, evals and distillations at set times."""

    def __init__(self, client: AsyncNoema) -> None:
        self._client = client

    async def create(self, schedule: t.SchedulesCreateBody) -> t.Schedule:
        """Makes a schedule: of `agentId` with `input`, of `evalId`, or of a `distillation`."""
        return cast(t.Schedule, (await self._client.request("POST", "/v1/schedules", body=schedule))["schedule"])

    async def get(self, id: str) -> t.Schedule:
        return cast(t.Schedule, (await self._client.request("GET", path("/v1/schedules/{id}", id=id)))["schedule"])

    async def list(self, query: Optional[t.SchedulesListQuery] = None) -> AsyncIterator[t.Schedule]:
        """Every schedule, page by page."""
        async for item in self._client._items("/v1/schedules", "schedules", query):
            yield cast(t.Schedule, item)

    async def patch(self, id: str, changes: t.SchedulesPatchBody) -> t.Schedule:
        """Changes a schedule. An eval or a distillation then has your access."""
        where = path("/v1/schedules/{id}", id=id)
        return cast(t.Schedule, (await self._client.request("PATCH", where, body=changes))["schedule"])

    async def delete(self, id: str) -> None:
        """Deletes a schedule. What it started goes on."""
        await self._client.request("DELETE", path("/v1/schedules/{id}", id=id))


class AsyncRubrics:
    """Rubrics: named lists of criteria by which a model judges answers."""

    def __init__(self, client: AsyncNoema) -> None:
        self._client = client

    async def put(self, name: str, rubric: t.RubricsPutBody) -> t.Rubric:
        """Makes a rubric or its next version. A repeat makes none."""
        where = path("/v1/rubrics/{name}", name=name)
        return cast(t.Rubric, (await self._client.request("PUT", where, body=rubric))["rubric"])

    async def get(self, name: str) -> t.Rubric:
        return cast(t.Rubric, (await self._client.request("GET", path("/v1/rubrics/{name}", name=name)))["rubric"])

    async def list(self, query: Optional[t.RubricsListQuery] = None) -> AsyncIterator[t.Rubric]:
        """Every rubric, those that are included too, page by page."""
        async for item in self._client._items("/v1/rubrics", "rubrics", query):
            yield cast(t.Rubric, item)

    async def versions(self, name: str) -> AsyncIterator[t.Rubric]:
        async for item in self._client._items(path("/v1/rubrics/{name}/versions", name=name), "versions"):
            yield cast(t.Rubric, item)

    async def delete(self, name: str) -> None:
        """Deletes a rubric with its versions."""
        await self._client.request("DELETE", path("/v1/rubrics/{name}", name=name))


class AsyncPacks:
    """Packs: kinds, agents, triggers, skills, rubrics, evals and content that are installed together."""

    def __init__(self, client: AsyncNoema) -> None:
        self._client = client

    async def list(self) -> List[t.Pack]:
        """The packs that come with the service, and those of the organization."""
        return cast(List[t.Pack], (await self._client.request("GET", "/v1/packs"))["packs"])

    async def get(self, name: str, *, version: Optional[int] = None) -> t.PacksGetAnswer:
        """A pack with its file."""
        where = path("/v1/packs/{name}", name=name)
        return cast(t.PacksGetAnswer, await self._client.request("GET", where, query={"version": version}))

    async def put(self, name: str, file: t.PacksPutBody) -> t.Pack:
        """Stores a file as a pack of the organization. One that differs makes the next version."""
        return cast(t.Pack, (await self._client.request("PUT", path("/v1/packs/{name}", name=name), body=file))["pack"])

    async def install(self, name: str, given: Optional[t.PacksInstallBody] = None) -> t.PacksInstallAnswer:
        """Installs a pack on a Brain, which is made if there is none. Kinds and content wait for review."""
        where = path("/v1/packs/{name}/install", name=name)
        return cast(t.PacksInstallAnswer, await self._client.request("POST", where, body=given or {}))

    async def schema(self) -> Dict[str, Any]:
        """The JSON Schema of the files of packs."""
        return cast(Dict[str, Any], (await self._client.request("GET", "/v1/pack-schema"))["schema"])

    async def delete(self, name: str) -> None:
        """Deletes a pack of the organization. What it brought to Brains stays."""
        await self._client.request("DELETE", path("/v1/packs/{name}", name=name))


class AsyncFiles:
    """The files of the organization, at paths such as `reports/q3.pdf`."""

    def __init__(self, client: AsyncNoema) -> None:
        self._client = client

    async def upload(
        self, where: str, content: bytes, *, content_type: str = "application/octet-stream"
    ) -> t.Artifact:
        """Makes a new version of the file at a path. The same bytes and type as the current version make none."""
        headers = {"idempotency-key": secrets.token_hex(16), "content-type": content_type}
        call = Call("POST", "/v1/artifacts", query={"path": where}, content=content, headers=headers)
        return cast(t.Artifact, (await self._client._send(call))["artifact"])

    async def list(self, query: Optional[t.ArtifactsListQuery] = None) -> AsyncIterator[t.Artifact]:
        """Every file by path, page by page: under a `prefix`, or those that a run wrote (`runId`)."""
        async for item in self._client._items("/v1/artifacts", "artifacts", query):
            yield cast(t.Artifact, item)

    async def get(self, id: str, *, version: Optional[int] = None) -> t.Artifact:
        """A file without its bytes."""
        where = path("/v1/artifacts/{id}", id=id)
        return cast(t.Artifact, (await self._client.request("GET", where, query={"version": version}))["artifact"])

    async def text(self, id: str, query: Optional[t.ArtifactsTextQuery] = None) -> t.ArtifactsTextAnswer:
        """A part of the text of a file. Send its `nextOffset` as `offset` to get the next one."""
        where = path("/v1/artifacts/{id}/text", id=id)
        return cast(t.ArtifactsTextAnswer, await self._client.request("GET", where, query=query))

    async def download(self, id: str, *, version: Optional[int] = None) -> bytes:
        """The bytes of a file."""
        where = path("/v1/artifacts/{id}/content", id=id)
        call = Call("GET", where, query={"version": version}, reads_bytes=True)
        return cast(bytes, await self._client._send(call))

    async def delete(self, id: str, *, version: Optional[int] = None) -> None:
        """Deletes a file with all its versions, or an earlier version of it."""
        call = Call("DELETE", path("/v1/artifacts/{id}", id=id), query={"version": version})
        await self._client._send(call)


class AsyncFlow:
    """A run of your own code. Each step is done once: code that is started again gets the results of those that it has done.

    Keys are unique in a run. If two processes do a step at once, both get the result that was stored first.
    """

    def __init__(self, client: AsyncNoema, run: t.Run) -> None:
        self._client = client
        self.run = run

    async def step(self, key: str, function: Callable[[], Awaitable[Any]], *, input: Any = None) -> Any:
        """Calls the function and stores what it returns, as JSON; or returns what is stored already.

        A function that raises stores nothing and is called again by the next start, unless it raises `StepFailed`.
        """
        stored = await self._find(key)
        if stored is not None:
            return self._read(stored)
        body: Dict[str, Any] = {"startedAt": _now().isoformat()}
        if input is not None:
            body["input"] = input
        try:
            body["output"] = await function()
        except StepFailed as failure:
            body["error"] = str(failure)
        return self._read(await self._put(key, body))

    async def ask(
        self,
        key: str,
        question: str,
        *,
        options: Optional[List[str]] = None,
        expires_in_seconds: Optional[int] = None,
    ) -> Optional[str]:
        """Asks a person and waits, however long it takes; None if no one answered within `expires_in_seconds`."""
        given = {"question": question, "options": options, "expiresInSeconds": expires_in_seconds}
        ask = {word: value for word, value in given.items() if value is not None}
        step = await self._find(key) or await self._put(key, {"ask": ask})
        answer = await self._settle(step)
        return cast(Optional[str], (answer or {}).get("answer"))

    async def sleep(self, key: str, *, seconds: Optional[float] = None, until: Optional[datetime] = None) -> None:
        """Waits until a time, or so many seconds from the first start, also if this process is started again meanwhile."""
        time_to_wake = until or _now() + timedelta(seconds=seconds or 0)
        step = await self._find(key) or await self._put(key, {"sleepUntil": time_to_wake.isoformat()})
        await self._settle(step)

    async def finish(self, output: Any = None) -> t.Run:
        """Completes the run; a repeat returns the ended run."""
        return await self._end({} if output is None else {"output": output})

    async def fail(self, reason: str) -> t.Run:
        """Ends the run as failed."""
        return await self._end({"error": reason})

    async def _end(self, body: Mapping[str, Any]) -> t.Run:
        data = await self._client.request("POST", path("/v1/runs/{id}/finish", id=self.run["runId"]), body=body)
        return cast(t.Run, data["run"])

    def _where(self, key: str) -> str:
        return path("/v1/runs/{id}/steps/{key}", id=self.run["runId"], key=key)

    async def _find(self, key: str) -> Optional[t.FlowStep]:
        try:
            return cast(t.FlowStep, (await self._client.request("GET", self._where(key)))["step"])
        except NotFoundError:
            return None

    async def _put(self, key: str, body: Mapping[str, Any]) -> t.FlowStep:
        return cast(t.FlowStep, (await self._client.request("PUT", self._where(key), body=body))["step"])

    async def _settle(self, first: t.FlowStep) -> Any:
        """Waits until a step has ended, looking at it less and less often."""
        step, wait = first, 0.5
        while step["state"] == "running":
            await asyncio.sleep(wait)
            wait = min(wait * 1.5, 15.0)
            step = await self._find(first["key"]) or step
        return self._read(step)

    def _read(self, step: t.FlowStep) -> Any:
        if step["state"] == "succeeded":
            return step.get("output")
        raise StepFailed(step.get("error") or f"The step {step['key']} is {step['state']}.")


def _now() -> datetime:
    return datetime.now(timezone.utc)


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

    async def write_bundle(
        self, bundle: t.BrainBundleImportBody, *, idempotency_key: Optional[str] = None
    ) -> t.BundleWrite:
        """Writes Markdown files as one change. With `plan` it only says what they would change."""
        call = self._calls.write_bundle(bundle, idempotency_key)
        return cast(t.BundleWrite, await self._client._send(call))

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

    async def preview(
        self, change: str, questions: Sequence[str] = (), *, limit: Optional[int] = None, eval: Optional[str] = None
    ) -> t.BrainChangesPreviewAnswer:
        """Answers questions with and without a pending change; `eval` starts an eval of this Brain for it, or finds its result."""
        call = self._calls.preview(change, list(questions), limit, eval)
        return cast(t.BrainChangesPreviewAnswer, await self._client._send(call))

    async def comment(self, change: str, text: str) -> t.BrainChangesCommentAnswer:
        """Adds a comment to a change, for its reviewers."""
        return cast(t.BrainChangesCommentAnswer, await self._client._send(self._calls.comment(change, text)))

    async def put_derived_page(self, document: str, derived: t.BrainDerivedPagesPutBody) -> t.DerivedPage:
        """Lets an agent keep a document up to date, from a question or about some items. Needs a management key."""
        answer = await self._client._send(self._calls.put_derived_page(document, derived))
        return cast(t.DerivedPage, answer["derivedPage"])

    async def get_derived_page(self, document: str) -> t.DerivedPage:
        """What a document is derived from, and its latest rewrites."""
        answer = await self._client._send(self._calls.derived_page("GET", document))
        return cast(t.DerivedPage, answer["derivedPage"])

    async def derived_pages(self, query: Optional[t.BrainDerivedPagesListQuery] = None) -> AsyncIterator[t.DerivedPage]:
        """Every document of the Brain that an agent keeps up to date, page by page."""
        async for item in self._client._items(self._calls.derived_pages(), "derivedPages", query):
            yield cast(t.DerivedPage, item)

    async def delete_derived_page(self, document: str) -> None:
        """Ends the rewrites of a document, which stays."""
        await self._client._send(self._calls.derived_page("DELETE", document))

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
