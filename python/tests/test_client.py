"""Against a service that runs: NOEMA_BASE_URL and NOEMA_API_KEY say where, with a management key."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
from typing import Any, Callable, Dict, Iterator, List, Tuple

import httpx
import pytest

from noema import (
    ApiError,
    AsyncNoema,
    ConflictError,
    ConnectionFailed,
    Noema,
    NoemaError,
    NotFoundError,
    StepFailed,
    UnauthorizedError,
    WebhookVerificationError,
    unwrap,
)
from noema._calls import read_settings
from noema.client import Brain


@pytest.fixture
def client() -> Iterator[Noema]:
    with Noema() as opened:
        yield opened


@pytest.fixture
def brain(client: Noema) -> Brain:
    handle = f"py-{secrets.token_hex(4)}"
    client.put_brain(handle)
    return client.brain(handle)


def add_person(brain: Brain, slug: str) -> str:
    written = brain.write_record({"kind": "person", "slug": slug, "fields": {"name": slug.title()}})
    assert written["outcome"] == "landed"
    return str(written["record"]["id"])


def test_what_is_written_is_read_searched_and_queried(brain: Brain) -> None:
    ada = add_person(brain, "ada")
    brain.write_statement({"subject": {"id": ada, "kind": "person"}, "predicate": "leads", "object": {"value": "Apollo"}})
    brain.write_document({"id": "notes/a.md", "title": "Notes", "text": "Ada leads Apollo."})
    assert brain.get_record(ada)["fields"] == {"name": "Ada"}
    assert brain.get_document("notes/a.md")["version"] == 1
    assert [record["slug"] for record in brain.query({"kind": "person", "where": {"slug": "ada"}})] == ["ada"]
    assert brain.search({"q": "who leads Apollo", "limit": 3})["results"]
    assert "Apollo" in brain.context({"query": "Who leads Apollo?"})["context"]


def test_a_query_reads_every_page(brain: Brain) -> None:
    for number in range(5):
        add_person(brain, f"person-{number}")
    assert len(list(brain.query({"kind": "person", "limit": 2}))) == 5


def test_a_merged_record_leads_to_the_one_that_remains(brain: Brain) -> None:
    one, other = add_person(brain, "one"), add_person(brain, "other")
    merged = brain.merge_record(other, {"into": one, "keep": {"name": "from"}})
    assert merged["record"]["id"] == one
    assert brain.get_record(other)["id"] == one


def test_web_pages_are_added_and_removed_by_their_urls(brain: Brain) -> None:
    urls = ["https://pages.example.org/a", "https://pages.example.org/b"]
    assert brain.change_web_pages("site", {"add": urls})["pages"]["total"] == 2
    assert brain.change_web_pages("site", {"remove": urls[:1], "refreshHours": None})["pages"]["total"] == 1


def test_a_skill_is_written_whole_and_read(brain: Brain) -> None:
    main = "---\nname: greet\ndescription: Greets.\n---\n"
    files = {"SKILL.md": main, "a/b.md": "Hi"}
    written = brain.write_skill(
        "greet", {"files": [{"path": path, "text": text} for path, text in files.items()]}
    )
    assert written["counts"]["add"] == 2
    skill = brain.get_skill("greet")
    assert [file["path"] for file in skill["files"]] == ["SKILL.md", "a/b.md"]
    assert brain.get_skill_file("greet", "a/b.md") == "Hi"


def test_what_is_proposed_waits_and_is_decided(brain: Brain) -> None:
    staged = brain.propose([{"op": "record.create", "kind": "person", "slug": "bob"}])
    assert staged["outcome"] == "staged"
    decided = brain.decide(staged["change"]["id"], {"decision": "approved"})
    assert decided["change"]["application"] == "applied"
    assert [record["slug"] for record in brain.query({"kind": "person"})] == ["bob"]


def test_a_repeat_with_the_same_key_writes_once(brain: Brain) -> None:
    first = brain.write_record({"kind": "person"}, idempotency_key="one")
    second = brain.write_record({"kind": "person"}, idempotency_key="one")
    assert first["record"]["id"] == second["record"]["id"]
    with pytest.raises(ConflictError):
        brain.write_record({"kind": "project"}, idempotency_key="one")


def test_errors_are_raised_by_their_kind(brain: Brain) -> None:
    with pytest.raises(NotFoundError) as missing:
        brain.get_record("rec_none")
    assert missing.value.status == 404 and missing.value.request_id
    with Noema(api_key="nbk_wrong") as stranger, pytest.raises(UnauthorizedError):
        stranger.brain(brain.handle).get_record("rec_none")


def test_the_stream_is_followed_from_a_cursor_on(brain: Brain) -> None:
    add_person(brain, "ada")
    follower = brain.follow()
    first = next(follower)
    add_person(brain, "bob")
    assert (first["type"], next(follower)["type"]) == ("record.accepted", "record.accepted")
    later = next(brain.follow(first["cursor"], types=["record.accepted"]))
    assert later["cursor"] != first["cursor"]


def test_an_export_is_lines_of_json(brain: Brain) -> None:
    add_person(brain, "ada")
    lines = [json.loads(line) for line in brain.export(history=True)]
    assert len(lines) > 1


def test_any_other_endpoint_is_reached_by_its_path(client: Noema, brain: Brain) -> None:
    assert client.request("GET", f"/v1/brains/{brain.handle}/records", query={"limit": 1})["records"] == []


def test_the_client_that_awaits_does_the_same() -> None:
    async def use() -> List[str]:
        async with AsyncNoema() as client:
            handle = f"py-{secrets.token_hex(4)}"
            await client.put_brain(handle)
            brain = client.brain(handle)
            await brain.write_record({"kind": "person", "slug": "ada"})
            staged = await brain.propose([{"op": "record.create", "kind": "person", "slug": "bob"}])
            await brain.decide(staged["change"]["id"], {"decision": "approved"})
            found = [record async for record in brain.query({"kind": "person", "limit": 1})]
            assert (await brain.get_record(found[0]["id"]))["slug"] == found[0]["slug"]
            async for event in brain.follow():
                assert event["type"] == "record.accepted"
                break
            assert [line async for line in brain.export()]
            return sorted(str(record["slug"]) for record in found)

    assert asyncio.run(use()) == ["ada", "bob"]


class Flaky(httpx.BaseTransport):
    """A network that fails in the given ways, and then works."""

    def __init__(self, *failures: Callable[[httpx.Request], httpx.Response]) -> None:
        self.failures = list(failures)
        self.requests: List[httpx.Request] = []
        self.inner = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self.failures.pop(0)(request) if self.failures else self.inner.handle_request(request)


def lost(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadError("the connection broke", request=request)


def busy(_: httpx.Request) -> httpx.Response:
    return httpx.Response(503, headers={"retry-after": "0"}, json={"error": {"kind": "unavailable", "message": "later"}})


def test_a_write_is_repeated_under_one_key_and_a_bare_post_never(brain: Brain) -> None:
    network = Flaky(lost, busy)
    with Noema(transport=network) as client:
        client.brain(brain.handle).write_record({"kind": "person", "slug": "ada"})
    keys = {request.headers["idempotency-key"] for request in network.requests}
    assert len(network.requests) == 3 and len(keys) == 1
    broken = Flaky(lost)
    with Noema(transport=broken) as client, pytest.raises(ConnectionFailed):
        client.request("POST", "/v1/brains/x/search", body={})
    assert len(broken.requests) == 1


def cut(request: httpx.Request) -> httpx.Response:
    """A stream that ends in the middle of a message."""
    headers = {"authorization": request.headers["authorization"]}
    page: Dict[str, Any] = httpx.get(str(request.url), headers=headers).json()
    event = page["data"]["events"][0]
    text = f"id: {event['cursor']}\ndata: {json.dumps(event)}\n\nid: lost\ndata: {{"
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, text=text)


def test_a_stream_that_breaks_goes_on_after_the_last_whole_event(brain: Brain) -> None:
    written = [add_person(brain, "ada"), add_person(brain, "bob")]
    seen: List[str] = []
    with Noema(transport=Flaky(cut, busy)) as client:
        for event in client.brain(brain.handle).follow():
            if event["type"] == "record.accepted":
                seen.append(event["data"]["record"]["id"])
            if len(seen) == 2:
                break
    assert seen == written


def test_a_failure_that_does_not_pass_ends_a_stream() -> None:
    with Noema(api_key="nbk_wrong") as client, pytest.raises(ApiError):
        next(client.brain("none").follow())


def make_agent(client: Noema, brain: Brain) -> str:
    agent = client.agents.create(
        {
            "name": "Librarian",
            "instructions": "Answer from the Brain.",
            "model": "noema/extractive",
            "brains": [{"handle": brain.handle, "access": "read_only"}],
        }
    )
    return agent["id"]


def test_a_run_is_started_streamed_read_listed_and_cancelled(client: Noema, brain: Brain) -> None:
    brain.write_document({"id": "a", "text": "Ada leads Apollo."})
    agent = make_agent(client, brain)
    run = client.runs.start({"agentId": agent, "input": "Who leads Apollo?"}, idempotency_key=f"first-{agent}")
    text = "".join(part["delta"] for part in client.runs.stream(run["runId"]) if part["type"] == "text-delta")
    assert "Ada leads Apollo." in text
    assert client.runs.get(run["runId"])["state"] == "completed"
    roles = [message["role"] for message in client.runs.messages(run["runId"])]
    assert (roles[0], roles[-1]) == ("user", "assistant")
    parts = list(client.runs.stream(run["runId"]))
    assert list(client.runs.stream(run["runId"], after=1)) == parts[1:]
    again = client.runs.start({"agentId": agent, "input": "Who leads Apollo?"}, idempotency_key=f"first-{agent}")
    assert again["runId"] == run["runId"]
    waited = client.runs.start({"agentId": agent, "input": "Who leads Apollo?"}, wait=30)
    assert waited["state"] == "completed"
    listed = client.runs.list({"agentId": agent, "limit": 1})
    assert {one["runId"] for one in listed} == {run["runId"], waited["runId"]}
    with pytest.raises(ConflictError):
        client.runs.cancel(run["runId"], reason="Too late.")


def test_agents_are_made_changed_listed_and_archived(client: Noema, brain: Brain) -> None:
    agent = make_agent(client, brain)
    assert client.agents.patch(agent, {"name": "Clerk"})["version"] == 2
    assert [version["name"] for version in client.agents.versions(agent)] == ["Librarian", "Clerk"]
    assert client.agents.get(agent)["name"] == "Clerk"
    assert agent in [one["id"] for one in client.agents.list({"limit": 1})]
    assert client.agents.delete(agent)["archivedAt"]


def test_schedules_are_made_changed_listed_and_deleted(client: Noema, brain: Brain) -> None:
    distillation: Any = {"from": {"sinceDays": 1}, "into": {"brain": brain.handle}}
    made = client.schedules.create({"distillation": distillation, "cron": "0 3 * * *"})
    assert client.schedules.patch(made["id"], {"enabled": False})["nextRunAt"] is None
    agent = make_agent(client, brain)
    changed = client.schedules.patch(made["id"], {"agentId": agent, "input": "What is new?"})
    assert (changed.get("agentId"), "distillation" in changed) == (agent, False)
    assert client.schedules.get(made["id"])["cron"] == "0 3 * * *"
    assert [one["id"] for one in client.schedules.list({"agentId": agent})] == [made["id"]]
    client.schedules.delete(made["id"])
    with pytest.raises(NotFoundError):
        client.schedules.get(made["id"])


def test_derived_pages_are_set_read_listed_and_stopped(client: Noema, brain: Brain) -> None:
    page = brain.put_derived_page("status", {"agentId": make_agent(client, brain), "question": "Who leads Apollo?"})
    assert page["documentId"] == "status"
    assert brain.get_derived_page("status").get("question") == "Who leads Apollo?"
    assert [one["documentId"] for one in brain.derived_pages()] == ["status"]
    brain.delete_derived_page("status")
    assert list(brain.derived_pages()) == []


def test_runs_are_distilled(client: Noema, brain: Brain) -> None:
    started = client.distillations.start({"from": {}, "into": {"brain": brain.handle}, "allowWider": True})
    found = client.distillations.wait(started["id"], interval=0.2)
    assert (found["distillation"]["state"], found["distillation"]["brain"]) == ("completed", brain.handle)
    assert started["id"] in [one["id"] for one in client.distillations.list()]
    assert client.distillations.cancel(started["id"])["state"] == "completed"


def test_evals_are_made_run_and_read(client: Noema, brain: Brain) -> None:
    brain.write_document({"id": "harbor", "text": "The harbor has a high tide at noon."})
    made = client.evals.create(
        {
            "name": "Tides",
            "target": {"brain": brain.handle, "read": "search", "mode": "lexical"},
            "cases": [{"id": "tide", "input": "high tide", "expected": {"contains": ["noon"]}}],
            "graders": [{"type": "contains"}],
        }
    )
    added = client.evals.add_cases(made["id"], {"cases": [{"id": "ebb", "input": "ebb", "expected": {"contains": ["x"]}}]})
    assert (added["version"], client.evals.get(made["id"])["cases"]) == (2, 2)
    run = client.evals.wait(client.evals.run(made["id"])["id"], interval=0.2)
    assert (run["state"], run["summary"]["passed"]) == ("completed", 1)
    assert [one["caseId"] for one in client.evals.results(run["id"], {"filter": "failed"})] == ["ebb"]


def test_webhooks_are_made_changed_tested_and_deleted(client: Noema) -> None:
    made = client.webhooks.create({"url": "https://93.184.216.34/hook", "events": ["run.failed"]})
    id = made["webhook"]["id"]
    assert made["secret"].startswith("whsec_")
    assert client.webhooks.patch(id, {"paused": True})["id"] == client.webhooks.get(id)["id"] == id
    assert id in [webhook["id"] for webhook in client.webhooks.list()]
    assert list(client.webhooks.deliveries(id)) == []
    client.webhooks.delete(id)
    with pytest.raises(NotFoundError):
        client.webhooks.get(id)


def test_the_client_that_awaits_has_runs_agents_and_webhooks() -> None:
    async def use() -> str:
        async with AsyncNoema() as client:
            agent = await client.agents.create({"name": "A", "instructions": "Answer.", "model": "noema/extractive"})
            run = await client.runs.start({"agentId": agent["id"], "input": "What?"})
            kinds = [part["type"] async for part in client.runs.stream(run["runId"])]
            assert [webhook async for webhook in client.webhooks.list()] is not None
            return kinds[-1]

    assert asyncio.run(use()) == "finish"


SECRET = "whsec_c2VjcmV0IG9mIGEgdGVzdA=="


def sign(body: str, timestamp: str) -> Dict[str, str]:
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    made = hmac.new(key, f"msg_1.{timestamp}.{body}".encode(), hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(made).decode()}"
    return {"Webhook-Id": "msg_1", "Webhook-Timestamp": timestamp, "Webhook-Signature": signature}


def test_a_delivery_is_verified_by_its_signature_and_time() -> None:
    body = '{"event": "run.failed"}'
    headers = sign(body, "1000")
    assert unwrap(body, headers, SECRET, now=1010) == {"event": "run.failed"}
    assert unwrap(body.encode(), headers, ["whsec_b3RoZXI=", SECRET], now=1010) == {"event": "run.failed"}
    refused: List[Tuple[str, Dict[str, str], str, float]] = [
        (body.replace("failed", "ok"), headers, SECRET, 1010),
        (body, headers, "whsec_b3RoZXI=", 1010),
        (body, headers, SECRET, 1301),
        (body, headers, SECRET, 699),
        (body, {}, SECRET, 1010),
        (body, sign(body, "soon"), SECRET, 1010),
    ]
    for given, sent, secret, now in refused:
        with pytest.raises(WebhookVerificationError):
            unwrap(given, sent, secret, now=now)
    with pytest.raises(NoemaError):
        unwrap(body, headers, "secret", now=1010)


def test_without_an_address_the_port_of_the_environment_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOEMA_BASE_URL")
    monkeypatch.setenv("NOEMA_PORT", "4330")
    assert read_settings(None, None, 0, 1.0).base_url == "http://127.0.0.1:4330"
    monkeypatch.setenv("NOEMA_BASE_URL", "https://noema.example/")
    assert read_settings(None, None, 0, 1.0).base_url == "https://noema.example"


def test_steps_of_a_flow_are_done_once_and_a_goal_is_given_up(client: Noema) -> None:
    key, calls = secrets.token_hex(8), []

    def load() -> Any:
        calls.append("load")
        return {"rows": len(calls)}

    for _ in range(2):
        flow = client.flow("import", key=key, input={"order": 17})
        assert flow.step("load", load) == {"rows": 1}
        flow.sleep("pause", seconds=0)
    assert calls == ["load"]

    def refuse() -> Any:
        raise StepFailed("The address is unknown.")

    for _ in range(2):
        with pytest.raises(StepFailed, match="address"):
            flow.step("send", refuse)
    assert flow.finish({"sent": 0})["state"] == "completed"
    assert client.flow(run_id=flow.run["runId"]).run["output"] == {"sent": 0}
    agent = client.agents.create({"name": "py", "instructions": "Answer.", "model": "noema/extractive"})
    goal = client.goals.create(
        {"agentId": agent["id"], "objective": "Say 42.", "criteria": [{"type": "contains", "values": ["42"]}]}
    )
    assert client.goals.pause(goal["id"])["state"] == "paused"
    assert client.goals.patch(goal["id"], {"budget": {"runs": 3}})["budget"] == {"runs": 3}
    assert client.goals.abandon(goal["id"])["state"] == "abandoned"
    assert goal["id"] in [one["id"] for one in client.goals.list({"agentId": agent["id"]})]


def test_a_rubric_is_stored_in_versions_and_deleted(client: Noema) -> None:
    name = f"py-{secrets.token_hex(4)}"
    first = client.rubrics.put(name, {"criteria": [{"id": "short", "text": "It is short."}]})
    assert (first["version"], client.rubrics.get(name)["criteria"][0]["id"]) == (1, "short")
    client.rubrics.put(name, {"criteria": [{"id": "short", "text": "It has one sentence."}]})
    assert [one["version"] for one in client.rubrics.versions(name)] == [1, 2]
    assert name in [one["name"] for one in client.rubrics.list()]
    client.rubrics.delete(name)
    with pytest.raises(NotFoundError):
        client.rubrics.get(name)


def test_a_pack_is_stored_installed_and_deleted(client: Noema, brain: Brain) -> None:
    name = f"py-{secrets.token_hex(4)}"
    assert client.packs.schema()["type"] == "object"
    stored = client.packs.put(
        name,
        {
            "title": "Desk",
            "description": "A desk.",
            "purpose": "Answers.",
            "agents": [{"name": "Clerk", "description": "Answers.", "instructions": "Answer.", "access": "read_only"}],
        },
    )
    assert stored["version"] == 1
    assert client.packs.get(name, version=1)["pack"]["agents"][0]["name"] == "Clerk"
    assert name in [one["name"] for one in client.packs.list()]
    items = client.packs.install(name, {"brain": brain.handle})["installed"]["items"]
    assert ("agent", "created") in [(one["type"], one["outcome"]) for one in items]
    client.packs.delete(name)
    with pytest.raises(NotFoundError):
        client.packs.get(name)


def test_a_file_is_uploaded_listed_read_and_deleted(client: Noema) -> None:
    where = f"py/{secrets.token_hex(4)}.html"
    sent = client.files.upload(where, b"<h1>Leave</h1><p>Thirty days.</p>", content_type="text/html")
    assert client.files.upload(where, b"<h1>Leave</h1><p>Thirty days.</p>", content_type="text/html")["version"] == 1
    assert [one["id"] for one in client.files.list({"prefix": where})] == [sent["id"]]
    assert list(client.files.list({"runId": "run_none"})) == []
    part = client.files.text(sent["id"], {"size": 9})
    assert part["nextOffset"] is not None and part["pages"] is None
    rest = client.files.text(sent["id"], {"offset": part["nextOffset"]})
    assert part["text"] + rest["text"] == "# Leave\n\nThirty days."
    assert client.files.download(sent["id"], version=1).startswith(b"<h1>")
    client.files.delete(sent["id"])
    with pytest.raises(NotFoundError):
        client.files.get(sent["id"])
