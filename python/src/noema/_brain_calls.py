"""The calls of a Brain as data, for both clients."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional

from . import types as t
from ._calls import Call, path, write_call

Item = Literal["record", "statement", "document"]
_PLURAL = {"record": "records", "statement": "statements", "document": "documents"}


class BrainCalls:
    def __init__(self, handle: str) -> None:
        self.handle = handle

    def _at(self, below: str, **parameters: str) -> str:
        return path("/v1/brains/{handle}" + below, handle=self.handle, **parameters)

    def _write(self, below: str, body: Mapping[str, Any], key: Optional[str]) -> Call:
        return write_call("POST", self._at(below), body, idempotency_key=key)

    def write_record(self, body: t.BrainRecordsCreateBody, key: Optional[str]) -> Call:
        return self._write("/records", body, key)

    def write_statement(self, body: t.BrainStatementsAssertBody, key: Optional[str]) -> Call:
        return self._write("/statements", body, key)

    def write_document(
        self, body: t.BrainDocumentsPutBody, key: Optional[str], if_match: Optional[int]
    ) -> Call:
        return write_call("POST", self._at("/documents"), body, idempotency_key=key, if_match=if_match)

    def merge_record(
        self, id: str, body: t.BrainRecordsMergeBody, key: Optional[str], if_match: Optional[int]
    ) -> Call:
        at = self._at("/records/{id}/merge", id=id)
        return write_call("POST", at, body, idempotency_key=key, if_match=if_match)

    def change_web_pages(self, source: str, body: t.BrainWebSourcesChangePagesBody) -> Call:
        return Call("POST", self._at("/web-sources/{source}/pages", source=source), body=body)

    def write_skill(self, name: str, body: t.BrainSkillsPutBody, key: Optional[str]) -> Call:
        return write_call("PUT", self._at("/skills/{name}", name=name), body, idempotency_key=key)

    def write_bundle(self, body: t.BrainBundleImportBody, key: Optional[str]) -> Call:
        return write_call("POST", self._at("/bundle"), body, idempotency_key=key)

    def get_skill(self, name: str, as_of: Optional[int]) -> Call:
        return Call("GET", self._at("/skills/{name}", name=name), query={"asOf": as_of})

    def get_skill_file(self, name: str, file: str, as_of: Optional[int]) -> Call:
        at = self._at("/skills/{name}/files/{file}", name=name, file=file)
        return Call("GET", at, query={"asOf": as_of})

    def propose(self, operations: List[t.Operation], key: Optional[str]) -> Call:
        return self._write("/batch", {"operations": operations, "review": True}, key)

    def search(self, query: t.BrainSearchQuery) -> Call:
        return Call("GET", self._at("/search"), query=query)

    def context(self, body: t.BrainContextBody) -> Call:
        return Call("POST", self._at("/context"), body=body)

    def query(self, body: Mapping[str, Any]) -> Call:
        return Call("POST", self._at("/query"), body=body)

    def get(self, type: Item, id: str, as_of: Optional[int]) -> Call:
        return Call("GET", self._at(f"/{_PLURAL[type]}/{{id}}", id=id), query={"asOf": as_of})

    def decide(self, id: str, body: t.BrainChangesDecideBody, key: Optional[str]) -> Call:
        return write_call("POST", self._at("/changes/{id}/decide", id=id), body, idempotency_key=key)

    def preview(self, id: str, questions: List[str], limit: Optional[int], eval: Optional[str]) -> Call:
        body: Dict[str, Any] = {"questions": questions}
        if eval is not None:
            body["eval"] = eval
        if limit is not None:
            body["limit"] = limit
        return Call("POST", self._at("/changes/{id}/preview", id=id), body=body)

    def comment(self, id: str, text: str) -> Call:
        return Call("POST", self._at("/changes/{id}/comments", id=id), body={"text": text})

    def derived_pages(self) -> str:
        return self._at("/derived-pages")

    def derived_page(self, method: str, id: str) -> Call:
        return Call(method, self._at("/derived-pages/{id}", id=id))

    def put_derived_page(self, id: str, body: t.BrainDerivedPagesPutBody) -> Call:
        return Call("PUT", self._at("/derived-pages/{id}", id=id), body=body)

    def events(self) -> str:
        return self._at("/events")

    def export(self, history: bool) -> Call:
        query = {"history": True} if history else {}
        return Call("GET", self._at("/export"), query=query, headers={"accept": "application/x-ndjson"})
