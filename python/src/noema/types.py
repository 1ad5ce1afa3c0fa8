# Made from docs/openapi.json by docs/generate.ts. Do not edit.
"""The shapes of what is sent and answered, as the service's OpenAPI document has them."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, TypedDict, Union


class ActivityDayRuns(TypedDict):
    # The runs.
    # How many were completed.
    completed: int
    # How many failed.
    failed: int
    # How many were cancelled.
    abandoned: int


class ActivityDay(TypedDict):
    # What happened on a day. Runs, and with them their operations, tokens and cost, count on the day on which they ended; writes on the day on which they were sent, once they are applied, and at most 5,000 of a day. `costCents` leaves out what has no known price.
    # The day, as YYYY-MM-DD.
    day: str
    # The runs.
    runs: ActivityDayRuns
    # The operations, in their order.
    operations: int
    # How many tokens the models read.
    inputTokens: int
    # How many tokens the models wrote.
    outputTokens: int
    # What the models cost, in US cents; absent if a price is unknown.
    costCents: int
    # How many writes there were.
    writes: int


# One thing that a run did: a call of a model, a call of a tool, or an action of the service. It is written when it starts and again when it ends. `input` and `output` are objects; anything else stands as `{ value }`.
ActivityOperation = Union["Union[ActivityOperation2, ActivityOperation3, ActivityOperation4]"]


class ActivityOperation2(TypedDict):
    # The id. It never changes.
    id: str
    # The id of the run.
    runId: str
    # The id of the step that the operation belongs to.
    runTurnId: NotRequired[str]
    # The id of the task.
    taskId: NotRequired[str]
    # The id of the organization.
    tenantId: str
    # The id of the project; without it, the default one.
    projectId: NotRequired[str]
    # The id of the version of the skill.
    skillVersionId: NotRequired[str]
    # Where it stands.
    status: Literal["running", "succeeded", "failed", "abandoned"]
    # The name, for people.
    name: str
    # What part of the knowledge was read.
    knowledgeReadSubject: NotRequired[Literal["corpus", "knowledge_graph", "artifact", "chunk"]]
    # What the run is given: a text, or messages.
    input: NotRequired[Dict[str, Any]]
    # The result.
    output: NotRequired[Dict[str, Any]]
    # What went wrong.
    error: NotRequired[str]
    # Which attempt it is, counted from 1.
    attemptNumber: NotRequired[int]
    # A key of your choice. A repeat with the same key does nothing twice.
    idempotencyKey: NotRequired[str]
    # How many tokens the models read.
    inputTokens: NotRequired[int]
    # How many tokens the models wrote.
    outputTokens: NotRequired[int]
    # How many input tokens came from the cache of the provider.
    cacheReadTokens: NotRequired[int]
    # How many input tokens were written to the cache of the provider.
    cacheWriteTokens: NotRequired[int]
    # How many tokens the models used for reasoning.
    reasoningTokens: NotRequired[int]
    # What the models cost, in US cents; absent if a price is unknown.
    costCents: NotRequired[int]
    # How long it took, in milliseconds.
    latencyMs: NotRequired[int]
    # Where the document stands in a sequence, such as a message in a conversation.
    sequence: int
    # The place of the operation in its run.
    sequenceNumber: NotRequired[int]
    # The ids of the messages that it wrote.
    producedMessageIds: List[str]
    # The ids of the messages that it read.
    consumedMessageIds: List[str]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    completedAt: NotRequired[str]
    # What it is.
    type: Literal["tool_call"]
    # Where the tool comes from.
    toolSourceKind: Literal["connector", "skill", "builtin"]
    # The id of the connector or skill that offers the tool.
    toolSourceId: str
    # The name of the tool.
    toolName: str
    # The version of the connector or skill.
    toolSourceVersionId: NotRequired[str]
    # The hash of the schemas of the tool.
    toolSchemaHash: NotRequired[str]
    # The JSON Schema of the arguments, as it was at the call.
    toolInputSchemaSnapshot: NotRequired[Any]
    # The JSON Schema of the result, as it was at the call.
    toolOutputSchemaSnapshot: NotRequired[Any]


class ActivityOperation3(TypedDict):
    # The id. It never changes.
    id: str
    # The id of the run.
    runId: str
    # The id of the step that the operation belongs to.
    runTurnId: NotRequired[str]
    # The id of the task.
    taskId: NotRequired[str]
    # The id of the organization.
    tenantId: str
    # The id of the project; without it, the default one.
    projectId: NotRequired[str]
    # The id of the version of the skill.
    skillVersionId: NotRequired[str]
    # Where it stands.
    status: Literal["running", "succeeded", "failed", "abandoned"]
    # The name, for people.
    name: str
    # What part of the knowledge was read.
    knowledgeReadSubject: NotRequired[Literal["corpus", "knowledge_graph", "artifact", "chunk"]]
    # What the run is given: a text, or messages.
    input: NotRequired[Dict[str, Any]]
    # The result.
    output: NotRequired[Dict[str, Any]]
    # What went wrong.
    error: NotRequired[str]
    # Which attempt it is, counted from 1.
    attemptNumber: NotRequired[int]
    # A key of your choice. A repeat with the same key does nothing twice.
    idempotencyKey: NotRequired[str]
    # How many tokens the models read.
    inputTokens: NotRequired[int]
    # How many tokens the models wrote.
    outputTokens: NotRequired[int]
    # How many input tokens came from the cache of the provider.
    cacheReadTokens: NotRequired[int]
    # How many input tokens were written to the cache of the provider.
    cacheWriteTokens: NotRequired[int]
    # How many tokens the models used for reasoning.
    reasoningTokens: NotRequired[int]
    # What the models cost, in US cents; absent if a price is unknown.
    costCents: NotRequired[int]
    # How long it took, in milliseconds.
    latencyMs: NotRequired[int]
    # Where the document stands in a sequence, such as a message in a conversation.
    sequence: int
    # The place of the operation in its run.
    sequenceNumber: NotRequired[int]
    # The ids of the messages that it wrote.
    producedMessageIds: List[str]
    # The ids of the messages that it read.
    consumedMessageIds: List[str]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    completedAt: NotRequired[str]
    # What it is.
    type: Literal["llm_call"]
    # The model, as `provider/model`, or `noema/extractive`, which needs no provider.
    model: NotRequired[str]


class ActivityOperation4(TypedDict):
    # The id. It never changes.
    id: str
    # The id of the run.
    runId: str
    # The id of the step that the operation belongs to.
    runTurnId: NotRequired[str]
    # The id of the task.
    taskId: NotRequired[str]
    # The id of the organization.
    tenantId: str
    # The id of the project; without it, the default one.
    projectId: NotRequired[str]
    # The id of the version of the skill.
    skillVersionId: NotRequired[str]
    # Where it stands.
    status: Literal["running", "succeeded", "failed", "abandoned"]
    # The name, for people.
    name: str
    # What part of the knowledge was read.
    knowledgeReadSubject: NotRequired[Literal["corpus", "knowledge_graph", "artifact", "chunk"]]
    # What the run is given: a text, or messages.
    input: NotRequired[Dict[str, Any]]
    # The result.
    output: NotRequired[Dict[str, Any]]
    # What went wrong.
    error: NotRequired[str]
    # Which attempt it is, counted from 1.
    attemptNumber: NotRequired[int]
    # A key of your choice. A repeat with the same key does nothing twice.
    idempotencyKey: NotRequired[str]
    # How many tokens the models read.
    inputTokens: NotRequired[int]
    # How many tokens the models wrote.
    outputTokens: NotRequired[int]
    # How many input tokens came from the cache of the provider.
    cacheReadTokens: NotRequired[int]
    # How many input tokens were written to the cache of the provider.
    cacheWriteTokens: NotRequired[int]
    # How many tokens the models used for reasoning.
    reasoningTokens: NotRequired[int]
    # What the models cost, in US cents; absent if a price is unknown.
    costCents: NotRequired[int]
    # How long it took, in milliseconds.
    latencyMs: NotRequired[int]
    # Where the document stands in a sequence, such as a message in a conversation.
    sequence: int
    # The place of the operation in its run.
    sequenceNumber: NotRequired[int]
    # The ids of the messages that it wrote.
    producedMessageIds: List[str]
    # The ids of the messages that it read.
    consumedMessageIds: List[str]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    completedAt: NotRequired[str]
    # What it is.
    type: Literal["system_action"]


class Actor(TypedDict):
    # Who did something: a key, the session of a person (`id` is then the id of the user), a run, or the service itself. `userId` is the person behind it, where one is known.
    # What it is.
    type: Literal["key", "session", "run", "system"]
    # The id. It never changes.
    id: str
    # The id of the user.
    userId: NotRequired[str]
    # The id of the run.
    runId: NotRequired[str]


class AdminEventDetail(TypedDict):
    # The kind.
    kind: Literal["access_request"]
    # The email address.
    email: str
    # A message for people.
    message: NotRequired[str]


class AdminEventDetail2(TypedDict):
    # The kind.
    kind: Literal["signup"]
    # The email address.
    email: str
    # The id of the user.
    userId: str
    # The invitation code that counted, if one did
    inviteCode: NotRequired[str]


class AdminEventDetail3(TypedDict):
    # The kind.
    kind: Literal["organization_ended"]
    # The id of the organization.
    organizationId: str
    # The administrator who ended it
    userId: str
    # Why, for people.
    reason: NotRequired[str]


class AdminEvent(TypedDict):
    # Something that administrators may want to know. `notificationType` says how they are told of it, null where they are not; `notificationSent` is true once a mail of it has left.
    # The id. It never changes.
    id: str
    # The kind.
    kind: Literal["access_request", "signup", "organization_ended"]
    # What happened, in a sentence.
    summary: str
    # What is known about it.
    detail: Union[AdminEventDetail, AdminEventDetail2, AdminEventDetail3]
    # How the operator was told.
    notificationType: Union[str, None]
    # True if the operator was told.
    notificationSent: bool
    # ISO 8601 UTC with milliseconds
    createdAt: str


class AgentBrainsItem(TypedDict):
    # The id. It never changes.
    id: str
    # The name of the Brain in addresses. It is its identity.
    handle: str
    # Whether the agent may only read the Brain or also write to it.
    access: Literal["read_only", "read_write"]


class Agent(TypedDict):
    # An agent in its newest version. Who made that version, and when, is `updatedBy` and `updatedAt`.
    # The id. It never changes.
    id: str
    # The version. Each change to the item makes the next one.
    version: int
    # The id of the project; without it, the default one.
    projectId: str
    # The name, for people.
    name: str
    # What the agent is told before every run.
    instructions: str
    # The model, as `provider/model`, or `noema/extractive`, which needs no provider.
    model: str
    # The tools.
    tools: List[AgentTool]
    # The Brains that the agent may use, and how.
    brains: List[AgentBrainsItem]
    # A JSON Schema of an object
    outputSchema: NotRequired[Dict[str, Any]]
    # When runs of the agent are stopped.
    limits: AgentLimits
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    updatedAt: str
    # Who changed it last.
    updatedBy: Actor
    # When it was archived; null while it is in use.
    archivedAt: Union[str, None]


class AgentAnswer(TypedDict):
    # The agent.
    # The agent.
    agent: Agent


class AgentLimits(TypedDict):
    # What ends a run: so many questions to its model, such costs (of it and of the runs that it starts; no limit where it is left out), or such a time of working. Waiting for people does not count.
    # The maximum number of steps of a run.
    maxSteps: int
    # The maximum cost of a run, in US cents.
    maxCostCents: NotRequired[int]
    # How long a run may take, in seconds. Waiting for people does not count.
    timeoutSeconds: int


# A tool beside those of the Brains: `ask_human` asks a person and waits for the answer; a connector's tools, all or those that `allow` names; another agent, whose run's output is the answer.
AgentTool = Union["Union[Literal[\"ask_human\"], AgentTool2, AgentTool3]"]


class AgentTool2(TypedDict):
    # The connector.
    connector: str
    # The names of the tools that may be used; all of them without it.
    allow: NotRequired[List[str]]


class AgentTool3(TypedDict):
    # The agent.
    agent: str


# A tool beside those of the Brains: `ask_human` asks a person and waits for the answer; a connector's tools, all or those that `allow` names; another agent, whose run's output is the answer.
AgentToolInput = Union["Union[Literal[\"ask_human\"], AgentTool2, AgentTool3]"]


class AgentVersion(TypedDict):
    # One version of an agent, which never changes.
    # The version. Each change to the item makes the next one.
    version: int
    # The name, for people.
    name: str
    # What the agent is told before every run.
    instructions: str
    # The model, as `provider/model`, or `noema/extractive`, which needs no provider.
    model: str
    # The tools.
    tools: List[AgentTool]
    # The Brains that the agent may use, and how.
    brains: List[AgentBrainsItem]
    # A JSON Schema of an object
    outputSchema: NotRequired[Dict[str, Any]]
    # When runs of the agent are stopped.
    limits: AgentLimits
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # Who created it.
    createdBy: Actor


class AuditEntryTarget(TypedDict):
    # What it is about.
    # What it is.
    type: str
    # The id. It never changes.
    id: str
    # The name, for people.
    name: NotRequired[str]
    # The handle of the Brain that it belongs to
    brain: NotRequired[str]


class AuditEntry(TypedDict):
    # Something that somebody did to what an organization has, kept with the act itself. `action` names the act (`key.minted`, `brain.changed`, `member.removed`). `before` and `after` hold what the act changed; never a secret, and nothing of what Brains hold.
    # The id. It never changes.
    id: str
    # ISO 8601 UTC with milliseconds
    at: str
    # Who did it.
    actor: Actor
    # What was done.
    action: Literal["organization.created", "organization.changed", "tier.set", "member.joined", "member.changed", "member.removed", "member.left", "invitation.sent", "invitation.cancelled", "account.address_confirmed", "account.password_changed", "account.sign_in_linked", "account.sign_in_unlinked", "account.two_factor_enabled", "account.two_factor_disabled", "account.passkey_added", "account.passkey_removed", "key.minted", "key.rotated", "key.revoked", "brain.created", "brain.changed", "brain.held", "brain.released", "brain.imported", "brain.deleted", "webhook.created", "webhook.rotated", "webhook.changed", "webhook.rewound", "webhook.deleted", "schema.stored", "pack.installed", "project.created", "project.changed", "project.archived", "agent.created", "agent.changed", "agent.archived", "connector.created", "connector.changed", "connector.deleted", "provider.created", "provider.replaced", "provider.deleted", "trigger.created", "trigger.changed", "trigger.deleted", "schedule.created", "schedule.changed", "schedule.deleted"]
    # What it is about.
    target: AuditEntryTarget
    # The item before the change; null if there was none.
    before: NotRequired[Dict[str, Any]]
    # The item after the change; null if it is gone.
    after: NotRequired[Dict[str, Any]]


class BatchAnswer(TypedDict):
    # What became of the batch, and the result of each operation.
    # What became of it: `landed` is applied, `staged` waits for review.
    outcome: Literal["landed", "staged"]
    # The change.
    change: ChangeRef
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]
    # The ids that links or objects name and no record has; they are written nevertheless
    missing: NotRequired[List[str]]
    # The result of each operation, in the order of the request.
    results: List[OperationResult]


class Brain(TypedDict):
    # A Brain: one knowledge store with its own stream of events.
    # The id. It never changes.
    id: str
    # The name of the Brain in addresses. It is its identity.
    handle: str
    # The name, for people.
    name: Union[str, None]
    # What the Brain is for. Agents are told.
    purpose: Union[str, None]
    # How the Brain takes writes: `direct` applies them, `review` lets them wait for a decision.
    mode: Literal["direct", "review"]
    # Whether the Brain can be used.
    availability: Literal["active", "held", "deleted"]
    # The Brain state that this belongs to
    stateVersion: int
    # The version of the schema.
    schemaVersion: int
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    updatedAt: str


class BrainDetailReviewRules(TypedDict):
    # Which writes need review whatever the mode is, and who may decide.
    # The operations that always wait for review.
    always: NotRequired[List[Literal["record.delete", "document.retire", "statement.retract"]]]
    # If true, nobody may decide a change that they proposed.
    requireOtherReviewer: NotRequired[bool]


class BrainDetailCounts(TypedDict):
    # How many of each there are.
    # How many records there are.
    records: int
    # How many statements there are.
    statements: int
    # How many documents there are.
    documents: int
    # How many changes wait for a decision.
    pendingChanges: int


class BrainDetailIndexing(TypedDict):
    # How much is still to be indexed for search.
    # How many events are still to be indexed.
    pendingEvents: int
    # How many passages are still to be embedded.
    pendingPassages: int


class BrainDetail(TypedDict):
    # A Brain as its readers see it: also its review rules, why it is held (null if it is not), how much of everything is current how many changes are pending, when its content was last written (null if never), and what its search index has still to do.
    # The id. It never changes.
    id: str
    # The name of the Brain in addresses. It is its identity.
    handle: str
    # The name, for people.
    name: Union[str, None]
    # What the Brain is for. Agents are told.
    purpose: Union[str, None]
    # How the Brain takes writes: `direct` applies them, `review` lets them wait for a decision.
    mode: Literal["direct", "review"]
    # Whether the Brain can be used.
    availability: Literal["active", "held", "deleted"]
    # The Brain state that this belongs to
    stateVersion: int
    # The version of the schema.
    schemaVersion: int
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    updatedAt: str
    # Which writes need review whatever the mode is, and who may decide.
    reviewRules: BrainDetailReviewRules
    # Why and since when the Brain is on hold; null if it is not.
    hold: Union[Hold, None]
    # How many of each there are.
    counts: BrainDetailCounts
    # When the Brain was last written to; null if never.
    lastWriteAt: Union[str, None]
    # How much is still to be indexed for search.
    indexing: BrainDetailIndexing


# One line of an export.
BrainExportLine = Union["Union[BrainExportLine2, BrainExportLine3, BrainExportLine4, BrainExportLine5, BrainExportLine6, BrainExportLine7, BrainExportLine8, BrainExportLine9]"]


class BrainExportLine2(TypedDict):
    # The first line of an export.
    header: BrainExportLine2Header


class BrainExportLine2Header(TypedDict):
    # The first line of an export.
    # What kind of export this is.
    format: Literal["noema-brain"]
    # The version of the format.
    version: Literal[1]
    # Whether the export has earlier versions, too.
    history: bool
    # The Brain.
    brain: BrainExportLine2HeaderBrain
    # The Brain state that this belongs to
    stateVersion: int
    # The version of the schema.
    schemaVersion: int


class BrainExportLine2HeaderBrain(TypedDict):
    # The Brain.
    # The name, for people.
    name: Union[str, None]
    # What the Brain is for. Agents are told.
    purpose: Union[str, None]
    # How the Brain takes writes: `direct` applies them, `review` lets them wait for a decision.
    mode: Literal["direct", "review"]
    # Which writes need review whatever the mode is, and who may decide.
    reviewRules: BrainDetailReviewRules


class BrainExportLine3(TypedDict):
    # The schema.
    schema: BrainExportLine3Schema


class BrainExportLine3Schema(TypedDict):
    # The schema.
    # The version of the schema.
    schemaVersion: int
    # The kinds of records.
    kinds: List[SchemaKind]
    # The id of the change that made this version of the schema.
    change: Union[str, None]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # The organization schema that the Brain began from; null if there is none.
    baseline: Union[BrainExportLine3SchemaBaseline, None]


class BrainExportLine3SchemaBaseline(TypedDict):
    # The name of the organization schema.
    schema: str
    # The version of the organization schema.
    version: int


class BrainExportLine4(TypedDict):
    # The change.
    change: BrainExportLine4Change


class BrainExportLine4Change(TypedDict):
    # The change.
    # The id. It never changes.
    id: str
    # What was decided about the change.
    decision: Literal["pending", "approved", "rejected", "superseded"]
    # Whether the change was applied to the Brain.
    application: Literal["not_applied", "scheduled", "blocked", "applied", "cancelled"]
    # The id of the key or user that proposed it.
    submittedBy: str
    # The id of the user behind it; null if there is none.
    submittedByUser: Union[str, None]
    # Who proposed it.
    stagedBy: NotRequired[BrainExportLine4ChangeStagedBy]
    # Why, for people.
    reason: Union[str, None]
    # The id of the earlier change that this one corrects.
    corrects: Union[str, None]
    # The id of the change that this one replaces.
    supersedes: Union[str, None]
    # The Brain state that this belongs to
    baseState: int
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]
    # The items.
    items: List[BrainExportLine4ChangeItemsItem]
    # The id of the key or user that decided.
    decidedBy: Union[str, None]
    # Who decided.
    decidedByActor: NotRequired[Union[BrainExportLine4ChangeStagedBy, None]]
    # When it was decided; null until then.
    decidedAt: Union[str, None]
    # Why it was decided so.
    decisionReason: Union[str, None]
    # When an approved change will be applied.
    publishAt: Union[str, None]
    # Why an approved change could not be applied.
    blockedBy: Union[str, None]
    # ISO 8601 UTC with milliseconds
    createdAt: str


class BrainExportLine4ChangeStagedBy(TypedDict):
    # Who proposed it.
    # What it is.
    type: Literal["key", "session", "run", "system"]
    # The id. It never changes.
    id: str
    # The id of the user.
    userId: NotRequired[str]
    # The id of the run.
    runId: NotRequired[str]
    # The id of the first key of its line, if the key replaced another.
    line: NotRequired[str]
    # Who has rotated the key since, by id.
    rotatedBy: NotRequired[List[str]]


class BrainExportLine4ChangeItemsItem(TypedDict):
    # The id of the item within the change.
    item: str
    # What is done.
    op: str
    # What it is about.
    target: BrainExportLine4ChangeItemsItemTarget
    # The version that the item is based on; null for a new one.
    base: Union[int, None]
    # The version that the item made; null if it is not applied.
    made: Union[int, None]
    # The operation.
    operation: NotRequired[Union[Operation, BrainExportLine4ChangeItemsItemOperation]]
    # The operation on the schema.
    evolve: NotRequired[SchemaOperation]


class BrainExportLine4ChangeItemsItemTarget(TypedDict):
    # What it is about.
    # What it is.
    type: Literal["record", "statement", "document", "schema"]
    # The id. It never changes.
    id: str
    # The kind.
    kind: NotRequired[str]


class BrainExportLine4ChangeItemsItemOperation(TypedDict):
    # What is done.
    op: str


class BrainExportLine5(TypedDict):
    # The record.
    record: BrainExportLine5Record
    # What ended this version; null while it is current.
    ended: NotRequired[BrainExportLine5Ended]


class BrainExportLine5Record(TypedDict):
    # The record.
    # The id. It never changes.
    id: str
    # The kind.
    kind: str
    # A readable name, unique among the live records of its kind.
    slug: Union[str, None]
    # The fields and their values.
    fields: Dict[str, Any]
    # The references to other records.
    links: List[Link]
    # The version. Each change to the item makes the next one.
    version: int
    # The Brain state that this belongs to
    stateVersion: int
    # The origin of this version.
    provenance: BrainExportLine5RecordProvenance
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    updatedAt: str


class BrainExportLine5RecordProvenance(TypedDict):
    # The origin of this version.
    # The change.
    change: str
    # The id of the key that wrote it, or of the `actor`.
    key: str
    # Who wrote it, if that was not a key
    actor: NotRequired[Actor]
    # Where the text comes from.
    source: NotRequired[str]
    # The receipt: what was served to you, by address and version.
    receipt: NotRequired[str]
    # Whether a person vouches for it: `trusted`, or `unverified`.
    trust: NotRequired[Literal["trusted", "unverified"]]


class BrainExportLine5Ended(TypedDict):
    # What ended this version; null while it is current.
    # The Brain state that this belongs to
    stateVersion: int
    # ISO 8601 UTC with milliseconds
    at: str
    # The id of the change that ended this version.
    change: str
    # True if the record was deleted, false if a newer version followed.
    deleted: bool


class BrainExportLine6(TypedDict):
    # The statement.
    statement: BrainExportLine6Statement
    # The version. Each change to the item makes the next one.
    version: int
    # What ended this version; null while it is current.
    ended: NotRequired[BrainExportLine6Ended]
    # What retracted the statement, and why; null while it stands.
    retraction: NotRequired[BrainExportLine6Retraction]


class BrainExportLine6Statement(TypedDict):
    # The statement.
    # The id. It never changes.
    id: str
    # The record that the statement is about.
    subject: BrainExportLine6StatementSubject
    # The name of the relation.
    predicate: str
    # What the statement says of its subject: a value, or another record.
    object: StatementObject
    # From when on the statement is true; null if always.
    validFrom: Union[str, None]
    # Until when the statement is true; null if there is no end.
    validTo: Union[str, None]
    # How sure the writer is, from 0 to 1; null if nothing was said.
    confidence: Union[float, None]
    # The documents, and the quotes in them, that support the statement.
    sources: List[StatementSource]
    # The Brain state that this belongs to
    stateVersion: int
    # The origin of this version.
    provenance: BrainExportLine5RecordProvenance
    # ISO 8601 UTC with milliseconds
    assertedAt: str


class BrainExportLine6StatementSubject(TypedDict):
    # The record that the statement is about.
    # The id. It never changes.
    id: str
    # The kind.
    kind: str


class BrainExportLine6Ended(TypedDict):
    # What ended this version; null while it is current.
    # The Brain state that this belongs to
    stateVersion: int
    # ISO 8601 UTC with milliseconds
    at: str
    # The id of the change that ended this version.
    change: str


class BrainExportLine6Retraction(TypedDict):
    # What retracted the statement, and why; null while it stands.
    # The Brain state that this belongs to
    stateVersion: int
    # ISO 8601 UTC with milliseconds
    at: str
    # The id of the change that retracted it.
    change: str
    # Why, for people.
    reason: Union[str, None]


class BrainExportLine7(TypedDict):
    # The document.
    document: BrainExportLine7Document
    # The text.
    text: str
    # What ended this version; null while it is current.
    ended: NotRequired[BrainExportLine7Ended]


class BrainExportLine7Document(TypedDict):
    # The document.
    # The id. It never changes.
    id: str
    # The version. Each change to the item makes the next one.
    version: int
    # SHA-256 of the text in hex
    hash: str
    # The title, for people.
    title: Union[str, None]
    # The media type of the text, such as text/markdown.
    contentType: str
    # Where the text comes from.
    source: Union[BrainExportLine7DocumentSource, None]
    # Your own values. They are kept and returned, and have no further meaning to the service.
    metadata: Dict[str, Any]
    # When what the document tells of happened.
    occurredAt: Union[str, None]
    # Where the document stands in a sequence, such as a message in a conversation.
    sequence: Union[BrainExportLine7DocumentSequence, None]
    # Length of the text in UTF-16 code units
    length: int
    # The Brain state that this belongs to
    stateVersion: int
    # The origin of this version.
    provenance: BrainExportLine5RecordProvenance
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    updatedAt: str


class BrainExportLine7DocumentSource(TypedDict):
    # The name, for people.
    name: str
    # The address of the original.
    uri: NotRequired[str]
    # The id that the source uses for this document.
    externalId: NotRequired[str]


class BrainExportLine7DocumentSequence(TypedDict):
    # The id of the sequence, such as a conversation.
    id: str
    # The place within the sequence, counted from 0.
    position: int


class BrainExportLine7Ended(TypedDict):
    # What ended this version; null while it is current.
    # The Brain state that this belongs to
    stateVersion: int
    # ISO 8601 UTC with milliseconds
    at: str
    # The id of the change that ended this version.
    change: str
    # True if the document was retired.
    retired: bool


class BrainExportLine8(TypedDict):
    # A date of a record that comes or has passed.
    date: BrainExportLine8Date


class BrainExportLine8Date(TypedDict):
    # A date of a record that comes or has passed.
    # The id of the record.
    record: str
    # The name of the field.
    field: str
    # ISO 8601 UTC with milliseconds
    value: str
    # How long before the date the reminder comes, as an ISO 8601 duration.
    offset: str
    # When the event about it was written; null while it is to come.
    emittedAt: Union[str, None]


class BrainExportLine9(TypedDict):
    # The last line of an export, with counts and a checksum.
    trailer: BrainExportLine9Trailer


class BrainExportLine9Trailer(TypedDict):
    # The last line of an export, with counts and a checksum.
    # How many versions of the schema the export has.
    schemas: int
    # How many changes the export has.
    changes: int
    # How many records there are.
    records: int
    # How many statements there are.
    statements: int
    # How many documents there are.
    documents: int
    # How many dates the export has.
    dates: int
    # The SHA-256 of all lines before this one, in hexadecimal.
    sha256: str


# One line of an export.
BrainExportLineInput = Union["Union[BrainExportLine2, BrainExportLineInput2, BrainExportLineInput3, BrainExportLine5, BrainExportLineInput4, BrainExportLine7, BrainExportLine8, BrainExportLineInput5]"]


class BrainExportLineInput2(TypedDict):
    # The schema.
    schema: BrainExportLineInput2Schema


class BrainExportLineInput2Schema(TypedDict):
    # The schema.
    # The version of the schema.
    schemaVersion: int
    # The kinds of records.
    kinds: List[SchemaKindInput]
    # The id of the change that made this version of the schema.
    change: Union[str, None]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # The organization schema that the Brain began from; null if there is none.
    baseline: Union[BrainExportLine3SchemaBaseline, None]


class BrainExportLineInput3(TypedDict):
    # The change.
    change: BrainExportLineInput3Change


class BrainExportLineInput3Change(TypedDict):
    # The change.
    # The id. It never changes.
    id: str
    # What was decided about the change.
    decision: Literal["pending", "approved", "rejected", "superseded"]
    # Whether the change was applied to the Brain.
    application: Literal["not_applied", "scheduled", "blocked", "applied", "cancelled"]
    # The id of the key or user that proposed it.
    submittedBy: str
    # The id of the user behind it; null if there is none.
    submittedByUser: Union[str, None]
    # Who proposed it.
    stagedBy: NotRequired[BrainExportLine4ChangeStagedBy]
    # Why, for people.
    reason: Union[str, None]
    # The id of the earlier change that this one corrects.
    corrects: Union[str, None]
    # The id of the change that this one replaces.
    supersedes: Union[str, None]
    # The Brain state that this belongs to
    baseState: int
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]
    # The items.
    items: List[BrainExportLineInput3ChangeItemsItem]
    # The id of the key or user that decided.
    decidedBy: Union[str, None]
    # Who decided.
    decidedByActor: NotRequired[Union[BrainExportLine4ChangeStagedBy, None]]
    # When it was decided; null until then.
    decidedAt: Union[str, None]
    # Why it was decided so.
    decisionReason: Union[str, None]
    # When an approved change will be applied.
    publishAt: Union[str, None]
    # Why an approved change could not be applied.
    blockedBy: Union[str, None]
    # ISO 8601 UTC with milliseconds
    createdAt: str


class BrainExportLineInput3ChangeItemsItem(TypedDict):
    # The id of the item within the change.
    item: str
    # What is done.
    op: str
    # What it is about.
    target: BrainExportLine4ChangeItemsItemTarget
    # The version that the item is based on; null for a new one.
    base: Union[int, None]
    # The version that the item made; null if it is not applied.
    made: Union[int, None]
    # The operation.
    operation: NotRequired[Union[OperationInput, BrainExportLine4ChangeItemsItemOperation]]
    # The operation on the schema.
    evolve: NotRequired[SchemaOperationInput]


class BrainExportLineInput4(TypedDict):
    # The statement.
    statement: BrainExportLineInput4Statement
    # The version. Each change to the item makes the next one.
    version: NotRequired[int]
    # What ended this version; null while it is current.
    ended: NotRequired[BrainExportLine6Ended]
    # What retracted the statement, and why; null while it stands.
    retraction: NotRequired[BrainExportLine6Retraction]


class BrainExportLineInput4Statement(TypedDict):
    # The statement.
    # The id. It never changes.
    id: str
    # The record that the statement is about.
    subject: BrainExportLine6StatementSubject
    # The name of the relation.
    predicate: str
    # What the statement says of its subject: a value, or another record.
    object: StatementObjectInput
    # From when on the statement is true; null if always.
    validFrom: Union[str, None]
    # Until when the statement is true; null if there is no end.
    validTo: Union[str, None]
    # How sure the writer is, from 0 to 1; null if nothing was said.
    confidence: Union[float, None]
    # The documents, and the quotes in them, that support the statement.
    sources: List[StatementSource]
    # The Brain state that this belongs to
    stateVersion: int
    # The origin of this version.
    provenance: BrainExportLine5RecordProvenance
    # ISO 8601 UTC with milliseconds
    assertedAt: str


class BrainExportLineInput5(TypedDict):
    # The last line of an export, with counts and a checksum.
    trailer: BrainExportLineInput5Trailer


class BrainExportLineInput5Trailer(TypedDict):
    # The last line of an export, with counts and a checksum.
    # How many versions of the schema the export has.
    schemas: NotRequired[int]
    # How many changes the export has.
    changes: int
    # How many records there are.
    records: int
    # How many statements there are.
    statements: int
    # How many documents there are.
    documents: int
    # How many dates the export has.
    dates: NotRequired[int]
    # The SHA-256 of all lines before this one, in hexadecimal.
    sha256: str


class BrainHeld(TypedDict):
    # The Brain with its hold, or without one.
    # The Brain.
    brain: Brain
    # null if the Brain has no hold
    hold: Union[Hold, None]


class BrainKey(TypedDict):
    # A Brain key (`nbk_…`): one Brain, with the granted capabilities only.
    # The id. It never changes.
    id: str
    # The name, for people.
    name: str
    # Where it stands.
    status: Literal["active", "revoked", "expired"]
    # The first 8 characters of the secret
    prefix: str
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # Who created it.
    createdBy: Union[str, None]
    # When it was last used; null if never.
    lastUsedAt: Union[str, None]
    # When it expires; null if never.
    expiresAt: Union[str, None]
    # When it was revoked; null while it is not.
    revokedAt: Union[str, None]
    # What the key may do.
    capabilities: List[Literal["read", "write", "review", "admin"]]
    # The id of the key that replaced it.
    replacedBy: Union[str, None]


class BrainKeyMinted(TypedDict):
    # The new key and its secret.
    # The key.
    key: BrainKey
    # Shown once; null in a repeated call
    secret: Union[str, None]


class BrainPut(TypedDict):
    # The Brain, as it is now.
    # The Brain.
    brain: Brain


class BrainRecord(TypedDict):
    # One version of a record. `stateVersion` is the Brain state that made this version.
    # The id. It never changes.
    id: str
    # The kind.
    kind: str
    # A readable name, unique among the live records of its kind.
    slug: Union[str, None]
    # The fields and their values.
    fields: Dict[str, Any]
    # The references to other records.
    links: List[Link]
    # The version. Each change to the item makes the next one.
    version: int
    # The Brain state that this belongs to
    stateVersion: int
    # The origin of this version.
    provenance: Provenance
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    updatedAt: str


class BrainSchema(TypedDict):
    # What a Brain's records are checked against. Undeclared kinds, and undeclared fields of a kind that is not strict, are accepted and counted (see `emerged`). `baseline`: the organization schema that it was forked from.
    # The nth schema of the Brain; 0 declares nothing
    schemaVersion: int
    # The organization schema that the Brain began from; null if there is none.
    baseline: Union[BrainExportLine3SchemaBaseline, None]
    # The kinds of records.
    kinds: List[SchemaKind]


class BrainWebhook(TypedDict):
    # A webhook: every event of these types, in order, to this URL. `pending`: there are events to be processed.
    # The id. It never changes.
    id: str
    # The address.
    url: str
    # The types of events that are delivered.
    types: List[str]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # The id of the key, or of the `createdByActor`
    createdByKeyId: str
    # Who created it, if that was not a key
    createdByActor: NotRequired[Actor]
    # True if there are events to deliver.
    pending: bool


class BrainWebhookDelivery(TypedDict):
    # One attempt to deliver an event.
    # Opaque; send it back as `after`
    cursor: str
    # What it is.
    type: str
    # Which attempt it was, counted from 1.
    attempt: int
    # ISO 8601 UTC with milliseconds
    at: str
    # What became of it: `landed` is applied, `staged` waits for review.
    outcome: Literal["delivered", "retrying", "skipped"]
    # Where it stands.
    status: Union[int, None]
    # What went wrong.
    error: Union[str, None]
    # The beginning of what the receiver answered.
    answer: str
    # How long it took, in milliseconds.
    milliseconds: int


class BrainWebhookProgressLastFailure(TypedDict):
    # Opaque; send it back as `after`
    cursor: str
    # ISO 8601 UTC with milliseconds
    at: str
    # How many attempts were made.
    attempts: int
    # The HTTP status of the answer; null if there was none.
    status: Union[int, None]
    # What went wrong.
    error: str


class BrainWebhookProgress(TypedDict):
    # A webhook and its progress: `lastCursor` is the cursor of the last event that was delivered or skipped, and `behind` is how many events are left to be processed. `attempts` is how often the next event was tried in vain, and `nextAttemptAt` when it is tried again, null where nothing waits for a time. `failingSince` is when its attempts began to fail, null once one succeeds. Nothing is sent while it is `paused`. During a rotation, the old secret is used until `nextSecretFrom`.
    # The id. It never changes.
    id: str
    # The address.
    url: str
    # The types of events that are delivered.
    types: List[str]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # The id of the key, or of the `createdByActor`
    createdByKeyId: str
    # Who created it, if that was not a key
    createdByActor: NotRequired[Actor]
    # True if there are events to deliver.
    pending: bool
    # The cursor of the event that was settled last; null if there was none.
    lastCursor: Union[str, None]
    # The newest failure; null if there was none.
    lastFailure: Union[BrainWebhookProgressLastFailure, None]
    # How far behind it is.
    behind: int
    # How many attempts were made.
    attempts: int
    # When it is tried again; null if it is not.
    nextAttemptAt: Union[str, None]
    # Since when deliveries have failed without a success; null if they do not.
    failingSince: Union[str, None]
    # Why it does not run at present.
    paused: bool
    # From when on only the new secret signs; null if no rotation is under way.
    nextSecretFrom: Union[str, None]


class Change(TypedDict):
    # A change with what it would do, or did. `outdated`: its base has changed; `conflicts`: the items affected by that.
    # The id. It never changes.
    id: str
    # What was decided about the change.
    decision: Literal["pending", "approved", "rejected", "superseded"]
    # Whether the change was applied to the Brain.
    application: Literal["not_applied", "scheduled", "blocked", "applied", "cancelled"]
    # The id of the key, or of the user whose session it was
    stagedBy: str
    # Who proposed it.
    stagedByActor: NotRequired[Actor]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # Why, for people.
    reason: Union[str, None]
    # The Brain state that this belongs to
    baseStateVersion: int
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]
    # The id of the change that this one replaces.
    supersedes: NotRequired[str]
    # The id of the earlier change that this one corrects.
    corrects: NotRequired[str]
    # The id of the key or user that decided.
    decidedBy: NotRequired[str]
    # Who decided.
    decidedByActor: NotRequired[Actor]
    # ISO 8601 UTC with milliseconds
    decidedAt: NotRequired[str]
    # Why it was decided so.
    decisionReason: NotRequired[str]
    # ISO 8601 UTC with milliseconds
    publishAt: NotRequired[str]
    # Why an approved change could not be applied
    blockedBy: NotRequired[str]
    # How many items the change has.
    itemCount: int
    # True if the state that the change is based on has changed since.
    outdated: bool
    # The ids of the items that later changes have touched.
    conflicts: List[str]
    # The items.
    items: List[ChangeItem]


class ChangeItem(TypedDict):
    # One operation of a change, with the item before and after it; null if there was or is none. `cut`: they are left out, because other items fill the 16 MiB of an answer already, or are not kept; read the item itself by its id.
    # The id of the item within the change.
    item: str
    # What is done.
    op: str
    # What it is about.
    target: ChangeTarget
    # The item before the change; null if there was none.
    before: Union[Dict[str, Any], None]
    # The item after the change; null if it is gone.
    after: Union[Dict[str, Any], None]
    # Warnings for the reviewer.
    flags: List[Literal["duplicate_text", "hidden_characters", "unverified_source", "unchecked"]]
    # True if the contents are left out, because the answer would be too large.
    cut: NotRequired[Literal[True]]
    # Whether a schema change accepts more (`weakening`) or less (`strengthening`) than before.
    tag: NotRequired[Literal["weakening", "strengthening"]]
    # How many current records would not comply.
    violations: NotRequired[int]
    # True if counting stopped, so that there may be more.
    violationsAtLeast: NotRequired[bool]


class ChangeRef(TypedDict):
    # A change as the response to a write names it.
    # The id. It never changes.
    id: str
    # What was decided about the change.
    decision: Literal["pending", "approved", "rejected", "superseded"]
    # Whether the change was applied to the Brain.
    application: Literal["not_applied", "scheduled", "blocked", "applied", "cancelled"]


class ChangeReverted(TypedDict):
    # The change that reverts the other one.
    # What became of it: `landed` is applied, `staged` waits for review.
    outcome: Literal["landed", "staged"]
    # The change.
    change: ChangeRef
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]
    # The ids that links or objects name and no record has; they are written nevertheless
    missing: NotRequired[List[str]]
    # The id of the earlier change that this one corrects.
    corrects: str


class ChangeSchemaItem(TypedDict):
    # An item of a schema change, as its proposal returns it. The target's id is a kind, `kind.field` or `kind->predicate`. A caller without read gets no counts, which would tell of what the records hold; the change has them for its reviewers.
    # The id of the item within the change.
    item: str
    # What is done.
    op: str
    # What it is about.
    target: ChangeTarget
    # Whether a schema change accepts more (`weakening`) or less (`strengthening`) than before.
    tag: Literal["weakening", "strengthening"]
    # How many current records would not comply.
    violations: NotRequired[int]
    # True if counting stopped, so that there may be more.
    violationsAtLeast: NotRequired[bool]


class ChangeSettled(TypedDict):
    # The change as it is now, and new changes that wait for a decision.
    # The change.
    change: ChangeSummary
    # New changes that wait for a decision.
    staged: List[ChangeSummary]
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]


class ChangeSummary(TypedDict):
    # A change as the queue lists it.
    # The id. It never changes.
    id: str
    # What was decided about the change.
    decision: Literal["pending", "approved", "rejected", "superseded"]
    # Whether the change was applied to the Brain.
    application: Literal["not_applied", "scheduled", "blocked", "applied", "cancelled"]
    # The id of the key, or of the user whose session it was
    stagedBy: str
    # Who proposed it.
    stagedByActor: NotRequired[Actor]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # Why, for people.
    reason: Union[str, None]
    # The Brain state that this belongs to
    baseStateVersion: int
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]
    # The id of the change that this one replaces.
    supersedes: NotRequired[str]
    # The id of the earlier change that this one corrects.
    corrects: NotRequired[str]
    # The id of the key or user that decided.
    decidedBy: NotRequired[str]
    # Who decided.
    decidedByActor: NotRequired[Actor]
    # ISO 8601 UTC with milliseconds
    decidedAt: NotRequired[str]
    # Why it was decided so.
    decisionReason: NotRequired[str]
    # ISO 8601 UTC with milliseconds
    publishAt: NotRequired[str]
    # Why an approved change could not be applied
    blockedBy: NotRequired[str]
    # How many items the change has.
    itemCount: int


class ChangeTarget(TypedDict):
    # What one item of a change is about.
    # What it is.
    type: Literal["record", "statement", "document", "schema"]
    # The id. It never changes.
    id: str
    # The kind.
    kind: NotRequired[str]


class ComingDate(TypedDict):
    # A reminder that is still to come: a date in a record's field, and when the stream will tell of it by `date.reached`. `value` is the moment that the field holds (a date is the start of its day in UTC), `offset` the declared duration before it.
    # The record.
    record: RecordRef
    # The name of the field.
    field: str
    # ISO 8601 UTC with milliseconds
    value: str
    # ISO 8601 duration, one of notifyBefore
    offset: str
    # ISO 8601 UTC with milliseconds
    dueAt: str


class Connector(TypedDict):
    # A connector. The values of its headers are never answered, only their names. `toolCount` is null until its server was asked for the first time.
    # The id. It never changes.
    id: str
    # The name, for people.
    name: str
    # The address.
    url: str
    # Headers to send. Their values are stored encrypted and never shown.
    headers: List[str]
    # Why it cannot be used, where that is known
    problem: Union[str, None]
    # How many tools the server offered last; null if it was never asked.
    toolCount: Union[int, None]
    # When its server was last asked for its tools
    toolsAt: Union[str, None]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    updatedAt: str
    # Who set it last
    createdBy: Actor


class ConnectorTool(TypedDict):
    # A tool as its server offered it. Name, description and schema are the server's words. `isRepeatable`: the server says that a call may be made twice (`idempotentHint` or `readOnlyHint`), so an interrupted one is made again.
    # The name, for people.
    name: str
    # What it is for, in a sentence or two.
    description: str
    # A JSON Schema
    inputSchema: Dict[str, Any]
    # True if the tool says that calling it twice does no harm.
    isRepeatable: bool


class ConnectorWithTools(TypedDict):
    # A connector with the tools that its server offered last.
    # The id. It never changes.
    id: str
    # The name, for people.
    name: str
    # The address.
    url: str
    # Headers to send. Their values are stored encrypted and never shown.
    headers: List[str]
    # Why it cannot be used, where that is known
    problem: Union[str, None]
    # How many tools the server offered last; null if it was never asked.
    toolCount: Union[int, None]
    # When its server was last asked for its tools
    toolsAt: Union[str, None]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    updatedAt: str
    # Who set it last
    createdBy: Actor
    # The tools.
    tools: Union[List[ConnectorTool], None]


class ContextItem(TypedDict):
    # One item of a context: what it is, and how many tokens of the budget it used.
    # Its number in `context`
    item: int
    # What it is.
    type: Literal["record", "statement", "document"]
    # The id. It never changes.
    id: str
    # The kind.
    kind: NotRequired[str]
    # The version. Each change to the item makes the next one.
    version: int
    # The title, for people.
    title: str
    # How well it matches. Comparable within one answer only.
    score: float
    # How much speaks for this item answering the query
    evidence: Literal["strong", "weak", "none"]
    # How many tokens.
    tokens: int
    # Whether its text was cut to fit
    cut: bool
    # The parts of a document's text that are shown
    spans: NotRequired[List[Span]]
    # Of a statement
    validFrom: NotRequired[Union[str, None]]
    # Of a statement
    validTo: NotRequired[Union[str, None]]


class Conversation(TypedDict):
    # A conversation: of one agent where `agentId` says so, else of any of the organization's.
    # The id. It never changes.
    id: str
    # The id of the agent.
    agentId: Union[str, None]
    # The title, for people.
    title: Union[str, None]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # Who created it.
    createdBy: Actor


class ConversationAnswer(TypedDict):
    # The conversation.
    # The conversation.
    conversation: Conversation


class Degradation(TypedDict):
    # What a search could not do, and why: its results are correct but may be incomplete.
    # Why, for people.
    reason: Literal["meaning_unavailable", "not_yet_indexed", "not_yet_embedded", "not_all_examined", "not_searchable", "not_reranked"]
    # A message for people.
    message: str


class Document(TypedDict):
    # One version of a document, without its text. Receipts refer to `version`.
    # The id. It never changes.
    id: str
    # The version. Each change to the item makes the next one.
    version: int
    # SHA-256 of the text in hex
    hash: str
    # The title, for people.
    title: Union[str, None]
    # The media type of the text, such as text/markdown.
    contentType: str
    # Where it stands.
    status: Literal["served", "retired"]
    # Where the text comes from.
    source: Union[BrainExportLine7DocumentSource, None]
    # Your own values. They are kept and returned, and have no further meaning to the service.
    metadata: Dict[str, Any]
    # When what the document tells of happened.
    occurredAt: Union[str, None]
    # Where the document stands in a sequence, such as a message in a conversation.
    sequence: Union[BrainExportLine7DocumentSequence, None]
    # Length of the text in UTF-16 code units
    length: int
    # The Brain state that this belongs to
    stateVersion: int
    # The origin of this version.
    provenance: Provenance
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    updatedAt: str


class DocumentRetiredDocument(TypedDict):
    # The document.
    # The id. It never changes.
    id: str


class DocumentRetired(TypedDict):
    # What became of the write, and the document that it retires.
    # What became of it: `landed` is applied, `staged` waits for review.
    outcome: Literal["landed", "staged"]
    # The change.
    change: ChangeRef
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]
    # The ids that links or objects name and no record has; they are written nevertheless
    missing: NotRequired[List[str]]
    # The document.
    document: DocumentRetiredDocument


class DocumentWrittenDocument(TypedDict):
    # The id. It never changes.
    id: str
    # The version. Each change to the item makes the next one.
    version: NotRequired[int]


class DocumentWritten(TypedDict):
    # What became of the write, and the document.
    # What became of it: `landed` is applied, `staged` waits for review.
    outcome: Literal["landed", "staged"]
    # The change.
    change: ChangeRef
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]
    # The ids that links or objects name and no record has; they are written nevertheless
    missing: NotRequired[List[str]]
    # The document.
    document: Union[Document, DocumentWrittenDocument]


class EmergedStructureSuggested(TypedDict):
    # The type of the values.
    type: Literal["string", "text", "integer", "number", "boolean", "date", "datetime", "enum", "json"]
    # True if there may be several values.
    many: bool


class EmergedStructure(TypedDict):
    # A kind, or a field of a kind, that records have and the schema does not declare. `count`: how many records have got it so far; it never decreases. `seen`: the types of its values, `[]` marking lists. It never contains values.
    # The id. It never changes.
    id: str
    # The kind.
    kind: str
    # The name of the field.
    field: Union[str, None]
    # What the field would be declared as; null if its values differ too much.
    suggested: Union[EmergedStructureSuggested, None]
    # The types of the values that were seen.
    seen: List[str]
    # How many there are.
    count: int
    # ISO 8601 UTC with milliseconds
    firstSeenAt: str
    # ISO 8601 UTC with milliseconds
    lastSeenAt: str


class ErrorError(TypedDict):
    # What went wrong.
    # The kind of error. Branch on this.
    kind: Literal["validation", "unauthorized", "forbidden", "not_found", "conflict", "rate_limited", "internal", "unavailable"]
    # What is wrong and what to do next. The wording may change.
    message: str
    # A finer reason within the kind, such as `stale_version`.
    code: NotRequired[str]
    # What is wrong, one entry for each place.
    details: NotRequired[List[ErrorDetail]]


class Error(TypedDict):
    # The body of every response that is not a success. `code` refines a kind (`stale_version`, `body_too_large`, …).
    # What went wrong.
    error: ErrorError


class ErrorDetail(TypedDict):
    # One thing that is wrong with a request: where (a dotted path such as `body.operations.3.kind`) and what to do.
    # Where, such as `body.operations.3.kind`.
    path: str
    # A message for people.
    message: str


class Hold(TypedDict):
    # The hold of a Brain: its reason, since when, and who placed it: the id of a key, or of the `byActor` that is not one.
    # Why, for people.
    reason: str
    # ISO 8601 UTC with milliseconds
    since: str
    # The id of who did it.
    by: str
    # Who did it.
    byActor: NotRequired[Actor]


# A message as a caller sends it: its text, or parts of text as the AI SDK's chat has them.
InputMessage = Union["Union[InputMessage2, InputMessage3]"]


class InputMessage2(TypedDict):
    # Who speaks.
    role: Literal["system", "user", "assistant"]
    # The text.
    text: str


class InputMessage3(TypedDict):
    # Who speaks.
    role: Literal["system", "user", "assistant"]
    # The parts of the message.
    parts: List[InputMessage3PartsItem]


class InputMessage3PartsItem(TypedDict):
    # What it is.
    type: Literal["text"]
    # The text.
    text: str


class InvitationCode(TypedDict):
    # A code that gives whoever signs up with it its tier, so often and so long as it says. Times are ISO 8601 in UTC.
    # The id. It never changes.
    id: str
    # The code.
    code: str
    # A note for the operator.
    label: Union[str, None]
    # The tier, which sets limits.
    tier: Literal["free", "business", "enterprise", "staff"]
    # How often the code may be used; null for any number.
    maxUses: Union[int, None]
    # How often the code was used.
    useCount: int
    # When it expires; null if never.
    expiresAt: Union[str, None]
    # The id of the user who made it
    createdBy: Union[str, None]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    updatedAt: str


class Link(TypedDict):
    # A named reference to another record, by id.
    # The name of the relation.
    predicate: str
    # The id of the record that is pointed to.
    to: str


class ManagementKey(TypedDict):
    # A management key (`nsk_…`): every Brain of one organization.
    # The id. It never changes.
    id: str
    # The name, for people.
    name: str
    # Where it stands.
    status: Literal["active", "revoked", "expired"]
    # The first 8 characters of the secret
    prefix: str
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # Who created it.
    createdBy: Union[str, None]
    # When it was last used; null if never.
    lastUsedAt: Union[str, None]
    # When it expires; null if never.
    expiresAt: Union[str, None]
    # When it was revoked; null while it is not.
    revokedAt: Union[str, None]
    # The id of the organization.
    organizationId: str


class ManagementKeyMinted(TypedDict):
    # The new key and its secret.
    # The key.
    key: ManagementKey
    # Shown once; null in a repeated call
    secret: Union[str, None]


class Message(TypedDict):
    # A message of a run. `text` is its text parts, joined; `operationId` the operation that made it, if one did.
    # The id. It never changes.
    id: str
    # Who speaks.
    role: Literal["system", "user", "assistant", "tool"]
    # The parts of the message.
    parts: List[MessagePart]
    # The text.
    text: str
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # The id of the run.
    runId: str
    # The id of the operation.
    operationId: NotRequired[str]


# A part of a message.
MessagePart = Union["Union[InputMessage3PartsItem, MessagePart2, MessagePart3, MessagePart4, MessagePart5]"]


class MessagePart2(TypedDict):
    # What it is.
    type: Literal["reasoning"]
    # The text.
    text: str


class MessagePart3(TypedDict):
    # What it is.
    type: Literal["tool-call"]
    # The id that the model gave to the call.
    toolCallId: str
    # The name of the tool.
    toolName: str
    # Any JSON value
    input: Any


class MessagePart4(TypedDict):
    # What it is.
    type: Literal["tool-result"]
    # The id that the model gave to the call.
    toolCallId: str
    # The name of the tool.
    toolName: str
    # Any JSON value
    output: Any
    # True if the tool reported an error.
    isError: bool


class MessagePart5(TypedDict):
    # What it is.
    type: Literal["source"]
    # Whether an address or a document is cited.
    sourceType: Literal["url", "document"]
    # The id. It never changes.
    id: str
    # The address.
    url: NotRequired[str]
    # The media type.
    mediaType: NotRequired[str]
    # The title, for people.
    title: NotRequired[str]
    # The name of the file.
    filename: NotRequired[str]
    # What the provider of the model added.
    providerMetadata: NotRequired[Dict[str, Any]]


class NotificationTarget(TypedDict):
    # What it is about.
    # What it is.
    type: Literal["brain", "agent", "brain_webhook", "webhook", "trigger", "schedule", "brain_key", "management_key"]
    # The id. It never changes.
    id: str
    # The name, for people.
    name: NotRequired[str]


class Notification(TypedDict):
    # One state that somebody should look at. There is one notification of a state, however long it goes on and however much it comes to: `count` is how much it is now (changes that wait, tasks that are open). `resolvedAt` is set once the state has ended, which happens by itself; a state that begins again is another notification. `title` has names and numbers only, and nothing of what Brains hold.
    # ntf_…; time-ordered
    id: str
    # The kind.
    kind: Literal["review.waiting", "tasks.open", "webhook.failing", "trigger.paused", "schedule.paused", "schedule.failing", "key.expiring"]
    # The handle of the Brain that it is about
    brain: NotRequired[str]
    # What it is about.
    target: NotificationTarget
    # The title, for people.
    title: str
    # How many there are.
    count: NotRequired[int]
    # ISO 8601 UTC with milliseconds
    at: str
    # When it was read; null if it was not.
    readAt: Union[str, None]
    # ISO 8601 UTC with milliseconds
    resolvedAt: NotRequired[str]


class NotificationSettings(TypedDict):
    # Whether the caller gets a daily mail of this organization. It is sent at `hour` of their day, and only when something is new that they have not read. It counts what there is and names nothing. Nobody gets it who has not asked for it.
    # The mails of this page.
    mail: bool
    # The hour of the day at which mails are sent, from 0 to 23.
    hour: int
    # IANA name, such as Europe/Berlin
    timezone: str


class NotificationSettingsAnswer(TypedDict):
    # The settings.
    # The settings.
    settings: NotificationSettings


# One operation of a batch, chosen by `op`.
Operation = Union["Union[Operation2, Operation3, Operation4, Operation5, Operation6, Operation7, Operation8, Operation9]"]


class Operation2(TypedDict):
    # The kind.
    kind: str
    # A readable name, unique among the live records of its kind.
    slug: NotRequired[str]
    # The fields and their values.
    fields: NotRequired[Dict[str, Any]]
    # The references to other records.
    links: NotRequired[List[Link]]
    # The origin of this version.
    provenance: NotRequired[ProvenanceInput]
    # What is done.
    op: Literal["record.create"]
    # The name under which later operations of the batch can refer to this one, as `$ref:name`.
    ref: NotRequired[str]


class Operation3(TypedDict):
    # The kind.
    kind: str
    # A readable name, unique among the live records of its kind.
    slug: NotRequired[str]
    # The fields and their values.
    fields: NotRequired[Dict[str, Any]]
    # The references to other records.
    links: NotRequired[List[Link]]
    # The origin of this version.
    provenance: NotRequired[ProvenanceInput]
    # What is done.
    op: Literal["record.put"]
    # The name under which later operations of the batch can refer to this one, as `$ref:name`.
    ref: NotRequired[str]
    # The id. It never changes.
    id: str
    # The version that must be current
    ifMatch: NotRequired[int]


class Operation4(TypedDict):
    # The kind.
    kind: NotRequired[str]
    # A readable name, unique among the live records of its kind.
    slug: NotRequired[Union[str, None]]
    # The fields and their values.
    fields: NotRequired[Dict[str, Any]]
    # The references to other records.
    links: NotRequired[List[Operation4LinksItem]]
    # The origin of this version.
    provenance: NotRequired[ProvenanceInput]
    # What is done.
    op: Literal["record.patch"]
    # The name under which later operations of the batch can refer to this one, as `$ref:name`.
    ref: NotRequired[str]
    # The id. It never changes.
    id: str
    # The version that must be current
    ifMatch: NotRequired[int]


class Operation4LinksItem(TypedDict):
    # The name of the relation.
    predicate: str
    # The id of the record that is pointed to.
    to: Union[str, None]


class Operation5(TypedDict):
    # What is done.
    op: Literal["record.delete"]
    # The id. It never changes.
    id: str
    # The version that must be current
    ifMatch: NotRequired[int]


class Operation6(TypedDict):
    # The id. It never changes.
    id: NotRequired[str]
    # The record that the statement is about.
    subject: RecordRef
    # The name of the relation.
    predicate: str
    # What the statement says of its subject: a value, or another record.
    object: StatementObject
    # From when on the statement is true; null if always.
    validFrom: NotRequired[str]
    # Until when the statement is true; null if there is no end.
    validTo: NotRequired[Union[str, None]]
    # How sure the writer is, from 0 to 1; null if nothing was said.
    confidence: NotRequired[Union[float, None]]
    # The documents, and the quotes in them, that support the statement.
    sources: NotRequired[List[StatementSource]]
    # The origin of this version.
    provenance: NotRequired[ProvenanceInput]
    # What is done.
    op: Literal["statement.assert"]
    # The name under which later operations of the batch can refer to this one, as `$ref:name`.
    ref: NotRequired[str]


class Operation7(TypedDict):
    # What is done.
    op: Literal["statement.retract"]
    # The id. It never changes.
    id: str
    # Why, for people.
    reason: NotRequired[str]


class Operation8(TypedDict):
    # The id. It never changes.
    id: NotRequired[str]
    # The text.
    text: str
    # The title, for people.
    title: NotRequired[str]
    # The media type of the text, such as text/markdown.
    contentType: NotRequired[str]
    # Where the text comes from.
    source: NotRequired[BrainExportLine7DocumentSource]
    # Your own values. They are kept and returned, and have no further meaning to the service.
    metadata: NotRequired[Dict[str, Any]]
    # When what the document tells of happened.
    occurredAt: NotRequired[str]
    # Where the document stands in a sequence, such as a message in a conversation.
    sequence: NotRequired[BrainExportLine7DocumentSequence]
    # The origin of this version.
    provenance: NotRequired[ProvenanceInput]
    # What is done.
    op: Literal["document.put"]
    # The name under which later operations of the batch can refer to this one, as `$ref:name`.
    ref: NotRequired[str]
    # The version that must be current
    ifMatch: NotRequired[int]


class Operation9(TypedDict):
    # What is done.
    op: Literal["document.retire"]
    # The id. It never changes.
    id: str
    # The version that must be current
    ifMatch: NotRequired[int]


# One operation of a batch, chosen by `op`.
OperationInput = Union["Union[Operation2, Operation3, Operation4, Operation5, OperationInput2, Operation7, Operation8, Operation9]"]


class OperationInput2(TypedDict):
    # The id. It never changes.
    id: NotRequired[str]
    # The record that the statement is about.
    subject: RecordRef
    # The name of the relation.
    predicate: str
    # What the statement says of its subject: a value, or another record.
    object: StatementObjectInput
    # From when on the statement is true; null if always.
    validFrom: NotRequired[str]
    # Until when the statement is true; null if there is no end.
    validTo: NotRequired[Union[str, None]]
    # How sure the writer is, from 0 to 1; null if nothing was said.
    confidence: NotRequired[Union[float, None]]
    # The documents, and the quotes in them, that support the statement.
    sources: NotRequired[List[StatementSource]]
    # The origin of this version.
    provenance: NotRequired[ProvenanceInput]
    # What is done.
    op: Literal["statement.assert"]
    # The name under which later operations of the batch can refer to this one, as `$ref:name`.
    ref: NotRequired[str]


class OperationResult(TypedDict):
    # What one operation did. `changed` is false if everything was as it should be already.
    # What is done.
    op: str
    # The name under which later operations of the batch can refer to this one, as `$ref:name`.
    ref: NotRequired[str]
    # The id. It never changes.
    id: str
    # The version. Each change to the item makes the next one.
    version: NotRequired[int]
    # True if the operation changed anything.
    changed: bool


class OrganizationChangeBrain(TypedDict):
    # The Brain.
    # The id. It never changes.
    id: str
    # The name of the Brain in addresses. It is its identity.
    handle: str
    # The name, for people.
    name: Union[str, None]


class OrganizationChange(TypedDict):
    # A change as the queue of an organization lists it: with its Brain, and what a reviewer chooses by. `operations` counts the items by what they do (`{ "record.put": 3 }`), `targets` are those of the first three. `flags` are those of any item of a change that is not applied; they have `unchecked` where the change is too long to be looked at in a list. `outdated`: what it was proposed on has changed since; null where that was not looked at either.
    # The id. It never changes.
    id: str
    # What was decided about the change.
    decision: Literal["pending", "approved", "rejected", "superseded"]
    # Whether the change was applied to the Brain.
    application: Literal["not_applied", "scheduled", "blocked", "applied", "cancelled"]
    # The id of the key, or of the user whose session it was
    stagedBy: str
    # Who proposed it.
    stagedByActor: NotRequired[Actor]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # Why, for people.
    reason: Union[str, None]
    # The Brain state that this belongs to
    baseStateVersion: int
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]
    # The id of the change that this one replaces.
    supersedes: NotRequired[str]
    # The id of the earlier change that this one corrects.
    corrects: NotRequired[str]
    # The id of the key or user that decided.
    decidedBy: NotRequired[str]
    # Who decided.
    decidedByActor: NotRequired[Actor]
    # ISO 8601 UTC with milliseconds
    decidedAt: NotRequired[str]
    # Why it was decided so.
    decisionReason: NotRequired[str]
    # ISO 8601 UTC with milliseconds
    publishAt: NotRequired[str]
    # Why an approved change could not be applied
    blockedBy: NotRequired[str]
    # How many items the change has.
    itemCount: int
    # The Brain.
    brain: OrganizationChangeBrain
    # The name of the key, of the person, or of the agent whose run it was, while that is known
    stagedByName: NotRequired[str]
    # The name of the person who decided.
    decidedByName: NotRequired[str]
    # The operations, in their order.
    operations: Dict[str, int]
    # What the change is about: its first items.
    targets: List[ChangeTarget]
    # Warnings for the reviewer.
    flags: List[Literal["duplicate_text", "hidden_characters", "unverified_source", "unchecked"]]
    # True if the state that the change is based on has changed since.
    outdated: Union[bool, None]


class OrganizationContents(TypedDict):
    # What an organization has, and its deletion takes. Each number is counted up to 100,000 and stands for more from there on.
    # The Brains that the agent may use, and how.
    brains: int
    # How many records there are.
    records: int
    # How many statements there are.
    statements: int
    # How many documents there are.
    documents: int
    # How many management keys there are.
    managementKeys: int
    # Keys of Brains.
    brainKeys: int
    # Of the organization and of its Brains
    webhooks: int
    # The agents.
    agents: int
    # The runs.
    runs: int
    # Runs that go on, which end as abandoned
    openRuns: int
    # The triggers.
    triggers: int
    # The schedules.
    schedules: int
    # The conversations.
    conversations: int
    # The projects.
    projects: int
    # The connectors.
    connectors: int
    # The providers of models.
    providers: int
    # The schemas of this page.
    schemas: int
    # How many members there are.
    members: int
    # How many invitations there are.
    invitations: int
    # How many entries the audit log has.
    auditEntries: int


class OrganizationDeliveryLastAttempt(TypedDict):
    # ISO 8601 UTC with milliseconds
    at: str
    # The HTTP status of the answer; null if there was none.
    status: Union[int, None]
    # What went wrong; null if nothing did.
    error: Union[str, None]
    # The beginning of what the receiver answered.
    answer: str
    # How long it took, in milliseconds.
    milliseconds: int


class OrganizationDelivery(TypedDict):
    # One event for one webhook. Its id is the `webhook-id` of each attempt. `attempts` counts since the delivery was created or sent again; a pending one is attempted at `nextAttemptAt`.
    # The id. It never changes.
    id: str
    # The event.
    event: str
    # Where it stands.
    state: Literal["pending", "delivered", "failed"]
    # How many attempts were made.
    attempts: int
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # When it is tried again; null if it is not.
    nextAttemptAt: Union[str, None]
    # The newest attempt; null if there was none.
    lastAttempt: Union[OrganizationDeliveryLastAttempt, None]


# A line of an organization's export: what the organization is, then one line for each member, schema, project, version of an agent, connector, provider, trigger and schedule (never their secrets) and entry of the audit log. Each Brain follows as its own export, `header` to `trailer`, behind a line `brainExport` that names it. The last line is `end`, with how many lines and Brains there were; a file without it is truncated.
OrganizationExportLine = Union["Union[OrganizationExportLine2, OrganizationExportLine3, OrganizationExportLine4, OrganizationExportLine5, OrganizationExportLine6, OrganizationExportLine7, OrganizationExportLine8, OrganizationExportLine9, OrganizationExportLine10, OrganizationExportLine11, OrganizationExportLine12, BrainExportLine, OrganizationExportLine13]"]


class OrganizationExportLine2(TypedDict):
    # The organization.
    organization: OrganizationExportLine2Organization


class OrganizationExportLine2Organization(TypedDict):
    # The organization.
    # The id. It never changes.
    id: str
    # The name, for people.
    name: str
    # The readable name of the organization, as used in addresses.
    slug: str
    # What kind of export this is.
    format: Literal["noema-organization"]
    # The version of the format.
    version: Literal[1]
    # The tier, which sets limits.
    tier: str


class OrganizationExportLine3(TypedDict):
    # A member of the organization.
    member: OrganizationExportLine3Member


class OrganizationExportLine3Member(TypedDict):
    # A member of the organization.
    # The id of the user.
    userId: str
    # The email address.
    email: str
    # What the person is in the organization.
    role: str


class OrganizationExportLine4(TypedDict):
    # A schema of the organization.
    organizationSchema: OrganizationExportLine4OrganizationSchema


class OrganizationExportLine4OrganizationSchema(TypedDict):
    # A schema of the organization.
    # The name, for people.
    name: str
    # The version. Each change to the item makes the next one.
    version: int


class OrganizationExportLine5(TypedDict):
    # The project.
    project: DocumentRetiredDocument


class OrganizationExportLine6(TypedDict):
    # The version of the agent. A run keeps the one that it started with.
    agentVersion: OrganizationExportLine6AgentVersion


class OrganizationExportLine6AgentVersion(TypedDict):
    # The version of the agent. A run keeps the one that it started with.
    # The id of the agent.
    agentId: str
    # The version. Each change to the item makes the next one.
    version: int


class OrganizationExportLine7(TypedDict):
    # The connector.
    connector: DocumentRetiredDocument


class OrganizationExportLine8(TypedDict):
    # The provider of models.
    provider: OrganizationExportLine8Provider


class OrganizationExportLine8Provider(TypedDict):
    # The provider of models.
    # The name, for people.
    name: str


class OrganizationExportLine9(TypedDict):
    # The trigger.
    trigger: DocumentRetiredDocument


class OrganizationExportLine10(TypedDict):
    # The schedule.
    schedule: DocumentRetiredDocument


class OrganizationExportLine11(TypedDict):
    # An entry of the audit log.
    auditEntry: DocumentRetiredDocument


class OrganizationExportLine12(TypedDict):
    # Where the export of a Brain begins.
    brainExport: OrganizationExportLine12BrainExport


class OrganizationExportLine12BrainExport(TypedDict):
    # Where the export of a Brain begins.
    # The id. It never changes.
    id: str
    # The name of the Brain in addresses. It is its identity.
    handle: str


class OrganizationExportLine13(TypedDict):
    # Where it ends, in characters from the start of the text; exclusive.
    end: OrganizationExportLine13End


class OrganizationExportLine13End(TypedDict):
    # Where it ends, in characters from the start of the text; exclusive.
    # How many lines came before this one.
    lines: int
    # How many Brains the export has.
    brains: int


class OrganizationSchemaAnswerSchema(TypedDict):
    # The schema.
    # The name, for people.
    name: str
    # The version. Each change to the item makes the next one.
    version: int
    # The kinds of records.
    kinds: List[SchemaKind]
    # ISO 8601 UTC with milliseconds
    createdAt: str


class OrganizationSchemaAnswer(TypedDict):
    # The schema of the organization.
    # The schema.
    schema: OrganizationSchemaAnswerSchema


class OrganizationWebhookScope(TypedDict):
    # The id of the agent.
    agentId: str


class OrganizationWebhookScope2(TypedDict):
    # The handle of the Brain.
    brain: str


class OrganizationWebhook(TypedDict):
    # A webhook of an organization. During a rotation, the old secret is used until `nextSecretFrom`.
    # The id. It never changes.
    id: str
    # The address.
    url: str
    # The events of this page.
    events: List[str]
    # The agent or Brain that the webhook is limited to; null for everything.
    scope: Union[Union[OrganizationWebhookScope, OrganizationWebhookScope2], None]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # The id of the key, or of the `createdByActor`
    createdByKeyId: str
    # Who created it, if that was not a key
    createdByActor: NotRequired[Actor]
    # From when on only the new secret signs; null if no rotation is under way.
    nextSecretFrom: Union[str, None]


class PackKindsItem(TypedDict):
    # The kind.
    kind: str
    # What it is for, in a sentence or two.
    description: str


class PackAgentsItem(TypedDict):
    # The name, for people.
    name: str
    # What it is for, in a sentence or two.
    description: str
    # Whether the agent may only read the Brain or also write to it.
    access: Literal["read_only", "read_write"]


class PackTriggersItem(TypedDict):
    # The name, for people.
    name: str
    # The name of the agent in the pack.
    agent: str
    # What the run should achieve, for the model.
    expectedOutcome: str


class PackSample(TypedDict):
    # How much sample content the pack has.
    # How many records there are.
    records: int
    # How many statements there are.
    statements: int
    # How many documents there are.
    documents: int


class Pack(TypedDict):
    # What a pack brings: kinds for the schema, agents, triggers that start them, and how much sample content.
    # Such as people-and-conversations
    name: str
    # The title, for people.
    title: str
    # What it is for, in a sentence or two.
    description: str
    # The kinds of records.
    kinds: List[PackKindsItem]
    # The agents.
    agents: List[PackAgentsItem]
    # The triggers.
    triggers: List[PackTriggersItem]
    # How much sample content the pack has.
    sample: PackSample


class PlanItem(TypedDict):
    # One document of a plan: `baseVersion` is the current version, `otherSource` the source of a conflicting one.
    # The id. It never changes.
    id: str
    # What is done.
    op: Literal["add", "update", "retire", "unchanged", "conflict"]
    # The title, for people.
    title: Union[str, None]
    # The version that the plan is based on; null for a new document.
    baseVersion: Union[int, None]
    # The source that has this document, if it is not the one that is planned.
    otherSource: Union[str, None]


class Project(TypedDict):
    # A project. An archived one is kept with what belongs to it, and takes nothing new.
    # The id. It never changes.
    id: str
    # The name, for people.
    name: str
    # True for the project that is used if none is named.
    isDefault: bool
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # When it was archived; null while it is in use.
    archivedAt: Union[str, None]


class ProjectAnswer(TypedDict):
    # The project.
    # The project.
    project: Project


class Provenance(TypedDict):
    # The origin of a version: the change and the key that made it, and what the writer said about its source.
    # The id of the change that made this version.
    change: str
    # The id of the key, or of the `actor`
    key: str
    # Who wrote it, if that was not a key
    actor: NotRequired[Actor]
    # The origin, as the writer named it.
    source: NotRequired[str]
    # The receipt of the read that led to this write.
    receipt: NotRequired[str]
    # Whether a person vouches for it: `trusted`, or `unverified`.
    trust: NotRequired[Literal["trusted", "unverified"]]


class ProvenanceInput(TypedDict):
    # What the writer says about the origin of its knowledge. A `receipt` must be one of the same Brain. `trusted` is for people to say: with a management key or a session; to a Brain key it is 400.
    # The origin in your own words, such as a file name or a system.
    source: NotRequired[str]
    # The receipt of the read that led to this write. It must belong to the same Brain.
    receipt: NotRequired[str]
    # Whether a person vouches for it: `trusted`, or `unverified`.
    trust: NotRequired[Literal["trusted", "unverified"]]


class Provider(TypedDict):
    # An organization's provider. `baseUrl` is null where it is the usual one of its kind. The key and the values of headers are never answered: only whether there is a key, and the headers' names.
    # The name, for people.
    name: str
    # The kind.
    kind: Literal["openai", "anthropic", "google", "openai-compatible"]
    # The address of the API; null for the usual one.
    baseUrl: Union[str, None]
    # True if an API key is stored. It is never shown.
    hasApiKey: bool
    # Headers to send. Their values are stored encrypted and never shown.
    headers: List[str]
    # Why it cannot be used, where that is known
    problem: Union[str, None]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    updatedAt: str
    # Who set it last
    createdBy: Actor


class ProviderAnswer(TypedDict):
    # The provider, without its API key.
    # The provider of models.
    provider: Provider


class ReceiptServed(TypedDict):
    # What was served, by id and version; never text.
    # The records that were served, by id and version.
    records: List[ReceiptServedRecordsItem]
    # The statements that were served, by id and version.
    statements: List[ReceiptServedRecordsItem]
    # The documents that were served, by id and version.
    documents: List[ReceiptServedRecordsItem]


class ReceiptServedRecordsItem(TypedDict):
    # The id. It never changes.
    id: str
    # The version. Each change to the item makes the next one.
    version: int


ReceiptMovedItem = TypedDict(
    "ReceiptMovedItem",
    {
        "ref": "ReceiptMovedItemRef",
        "from": "int",
        "to": "Union[int, None]",
        "change": "str",
    },
)


class ReceiptMovedItemRef(TypedDict):
    # What has changed: its type and id.
    # What it is.
    type: Literal["record", "statement", "document"]
    # The id. It never changes.
    id: str


class Receipt(TypedDict):
    # What one read returned, and at which stateVersion. `current`: nothing has changed since; otherwise `moved` lists what has.
    # The id. It never changes.
    id: str
    # Your name for who reads. Receipts can be listed by it.
    consumerId: Union[str, None]
    # The operation.
    operation: Literal["search", "context", "query", "read"]
    # ISO 8601 UTC with milliseconds
    at: str
    # The Brain state that this belongs to
    stateVersion: int
    # What was served, by id and version; never text.
    served: ReceiptServed
    # True if everything that was served is still current.
    current: bool
    # True if the organization schema has a newer version.
    moved: List[ReceiptMovedItem]


class RecordDeleted(TypedDict):
    # What became of the write, and the record that it deletes.
    # What became of it: `landed` is applied, `staged` waits for review.
    outcome: Literal["landed", "staged"]
    # The change.
    change: ChangeRef
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]
    # The ids that links or objects name and no record has; they are written nevertheless
    missing: NotRequired[List[str]]
    # The record.
    record: RecordRef


class RecordRef(TypedDict):
    # How statements and events refer to a record.
    # The id. It never changes.
    id: str
    # The kind.
    kind: str


class RecordWrittenRecord(TypedDict):
    # The id. It never changes.
    id: str
    # The kind.
    kind: str
    # The version. Each change to the item makes the next one.
    version: NotRequired[int]


class RecordWritten(TypedDict):
    # What became of the write, and the record.
    # What became of it: `landed` is applied, `staged` waits for review.
    outcome: Literal["landed", "staged"]
    # The change.
    change: ChangeRef
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]
    # The ids that links or objects name and no record has; they are written nevertheless
    missing: NotRequired[List[str]]
    # The record.
    record: Union[BrainRecord, RecordWrittenRecord]


class RpcAnswerError(TypedDict):
    # What went wrong.
    # A finer reason within the kind, such as `stale_version`.
    code: int
    # What is wrong and what to do next. The wording may change.
    message: str
    # Any JSON value
    data: NotRequired[Any]


class RpcAnswer(TypedDict):
    # A JSON-RPC 2.0 answer: `result` or `error`.
    # The version of JSON-RPC.
    jsonrpc: Literal["2.0"]
    # The id. It never changes.
    id: Union[str, float, None]
    # What the method answered.
    result: NotRequired[Dict[str, Any]]
    # What went wrong.
    error: NotRequired[RpcAnswerError]


class RpcMessage(TypedDict):
    # A JSON-RPC 2.0 request, or a notification, which has no `id`.
    # The version of JSON-RPC.
    jsonrpc: Literal["2.0"]
    # The id. It never changes.
    id: NotRequired[Union[str, float]]
    # The method of JSON-RPC, such as tools/call.
    method: str
    # The parameters of the method.
    params: NotRequired[Dict[str, Any]]


class RunTrigger(TypedDict):
    # The trigger.
    # The id. It never changes.
    id: str
    # Where to continue. Opaque: send it back as `after`.
    cursor: str


class Run(TypedDict):
    # A run of an agent. `output` is there where the agent has an outputSchema; otherwise read the run's messages.
    # The id of the run.
    runId: str
    # The id of the agent.
    agentId: str
    # The version of the agent. A run keeps the one that it started with.
    agentVersion: int
    # The id of the project; without it, the default one.
    projectId: str
    # The id of the conversation; null if there is none.
    conversationId: Union[str, None]
    # Where it stands.
    state: Literal["queued", "running", "waiting", "completed", "failed", "abandoned"]
    # Where it stands.
    status: Literal["pending", "running", "succeeded", "failed", "abandoned"]
    # Any JSON value
    input: Any
    # Your own values. They are kept and returned, and have no further meaning to the service.
    metadata: NotRequired[Dict[str, Any]]
    # Any JSON value
    output: NotRequired[Any]
    # Why the run failed.
    failureReason: NotRequired[str]
    # What failed.
    failureCategory: NotRequired[Literal["model", "tool", "limit", "timeout", "validation", "internal"]]
    # Why the run was cancelled.
    abandonReason: NotRequired[str]
    # What the run used.
    usage: RunUsage
    # Who started the run.
    startedBy: Actor
    # The trigger.
    trigger: NotRequired[RunTrigger]
    # The id of the schedule that started the run.
    scheduleId: NotRequired[str]
    # The id of the run that started this one.
    parentRunId: NotRequired[str]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # When it started; null until then.
    startedAt: Union[str, None]
    # When it ended; null until then.
    completedAt: Union[str, None]


# What a run was asked: text, or messages of which the last is the question.
RunInput = Union["Union[str, List[InputMessage]]"]


class RunStarted(TypedDict):
    # The run.
    # The run.
    run: Run


class RunUsage(TypedDict):
    # What a run has used so far, runs that it started included. `costCents` is rounded; it is left out where the price of a model is not known.
    # How many tokens the models read.
    inputTokens: int
    # How many tokens the models wrote.
    outputTokens: int
    # What the models cost, in US cents; absent if a price is unknown.
    costCents: NotRequired[int]


class SchedulePaused(TypedDict):
    # Why it does not run at present.
    # Why, for people.
    reason: str


class Schedule(TypedDict):
    # A schedule. `nextRunAt` is null while it starts nothing. `paused` says why, if that is not that it is not enabled: it goes on by itself once a cap allows, otherwise when it is changed.
    # The id. It never changes.
    id: str
    # The id of the agent.
    agentId: str
    # When to run, as five fields: minute, hour, day, month, weekday.
    cron: str
    # The time zone, such as Europe/Berlin.
    timezone: str
    # What the run is given: a text, or messages.
    input: RunInput
    # True if it is active.
    enabled: bool
    # When it runs next; null if it does not.
    nextRunAt: Union[str, None]
    # The id of the run that it started last.
    lastRunId: Union[str, None]
    # When it last started a run; null if never.
    lastFiredAt: Union[str, None]
    # Why it does not run at present.
    paused: NotRequired[SchedulePaused]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    updatedAt: str
    # Who created it.
    createdBy: Actor


class ScheduleAnswer(TypedDict):
    # The schedule.
    # The schedule.
    schedule: Schedule


class SchemaField(TypedDict):
    # A declared field. `required`: a record cannot be made without it. `many`: a list of such values. `unique`: no two live records of the kind share a value. `notifyBefore`: how long before the date the stream has an event.
    # The name, for people.
    name: str
    # What it is.
    type: Literal["string", "text", "integer", "number", "boolean", "date", "datetime", "enum", "json"]
    # True if every record of the kind must have it.
    required: bool
    # True if there may be several values.
    many: bool
    # True if queries may ask by this field.
    indexed: bool
    # True if no two live records of the kind may have the same value.
    unique: bool
    # The only values that are accepted.
    values: NotRequired[List[str]]
    # How long before the date reminders come, as ISO 8601 durations.
    notifyBefore: NotRequired[List[str]]
    # What it is for, in a sentence or two.
    description: str


class SchemaFieldInput(TypedDict):
    # A declared field. `required`: a record cannot be made without it. `many`: a list of such values. `unique`: no two live records of the kind share a value. `notifyBefore`: how long before the date the stream has an event.
    # The name, for people.
    name: str
    # What it is.
    type: Literal["string", "text", "integer", "number", "boolean", "date", "datetime", "enum", "json"]
    # True if every record of the kind must have it.
    required: NotRequired[bool]
    # True if there may be several values.
    many: NotRequired[bool]
    # True if queries may ask by this field.
    indexed: NotRequired[bool]
    # True if no two live records of the kind may have the same value.
    unique: NotRequired[bool]
    # The only values that are accepted.
    values: NotRequired[List[str]]
    # How long before the date reminders come, as ISO 8601 durations.
    notifyBefore: NotRequired[List[str]]
    # What it is for, in a sentence or two.
    description: NotRequired[str]


class SchemaKind(TypedDict):
    # A declared kind. `strict`: its records have no fields other than these.
    # The kind.
    kind: str
    # The title, for people.
    title: Union[str, None]
    # What it is for, in a sentence or two.
    description: Union[str, None]
    # If true, records of the kind may have no field or link that the schema does not name.
    strict: bool
    # The fields that records of the kind may have.
    fields: List[SchemaField]
    # The links that records of the kind may have.
    links: List[SchemaLink]


class SchemaKindInput(TypedDict):
    # A declared kind. `strict`: its records have no fields other than these.
    # The kind.
    kind: str
    # The title, for people.
    title: NotRequired[Union[str, None]]
    # What it is for, in a sentence or two.
    description: NotRequired[Union[str, None]]
    # If true, records of the kind may have no field or link that the schema does not name.
    strict: NotRequired[bool]
    # The fields that records of the kind may have.
    fields: NotRequired[List[SchemaFieldInput]]
    # The links that records of the kind may have.
    links: NotRequired[List[SchemaLinkInput]]


class SchemaLink(TypedDict):
    # A declared link. `to`: the kinds that it may lead to, any if empty. Without `many`: at most one per record.
    # The name of the relation.
    predicate: str
    # The id of the record that is pointed to.
    to: List[str]
    # True if there may be several values.
    many: bool


class SchemaLinkInput(TypedDict):
    # A declared link. `to`: the kinds that it may lead to, any if empty. Without `many`: at most one per record.
    # The name of the relation.
    predicate: str
    # The id of the record that is pointed to.
    to: NotRequired[List[str]]
    # True if there may be several values.
    many: NotRequired[bool]


# One step of a schema change, selected by `op`. What it names must exist in the schema after the steps before it.
SchemaOperation = Union["Union[SchemaOperation2, SchemaOperation3, SchemaOperation4, SchemaOperation5, SchemaOperation6, SchemaOperation7, SchemaOperation8, SchemaOperation9]"]


class SchemaOperation2(TypedDict):
    # What is done.
    op: Literal["addKind"]
    # The kind.
    kind: str
    # The title, for people.
    title: NotRequired[Union[str, None]]
    # What it is for, in a sentence or two.
    description: NotRequired[Union[str, None]]
    # If true, records of the kind may have no field or link that the schema does not name.
    strict: NotRequired[bool]
    # The fields of the new kind.
    fields: NotRequired[List[SchemaField]]
    # The links of the new kind.
    links: NotRequired[List[SchemaLink]]


class SchemaOperation3(TypedDict):
    # What is done.
    op: Literal["addField"]
    # The kind.
    kind: str
    # The field as it shall be.
    field: SchemaField


class SchemaOperation4(TypedDict):
    # What is done.
    op: Literal["setField"]
    # The kind.
    kind: str
    # The field as it shall be.
    field: SchemaField


class SchemaOperation5(TypedDict):
    # What is done.
    op: Literal["retireField"]
    # The kind.
    kind: str
    # The name, for people.
    name: str


class SchemaOperation6(TypedDict):
    # What is done.
    op: Literal["retireKind"]
    # The kind.
    kind: str


class SchemaOperation7(TypedDict):
    # What is done.
    op: Literal["addLink"]
    # The kind.
    kind: str
    # A named reference to another record.
    link: SchemaLink


class SchemaOperation8(TypedDict):
    # What is done.
    op: Literal["retireLink"]
    # The kind.
    kind: str
    # The name of the relation.
    predicate: str


class SchemaOperation9(TypedDict):
    # What is done.
    op: Literal["setStrict"]
    # The kind.
    kind: str
    # If true, records of the kind may have no field or link that the schema does not name.
    strict: bool


# One step of a schema change, selected by `op`. What it names must exist in the schema after the steps before it.
SchemaOperationInput = Union["Union[SchemaOperationInput2, SchemaOperationInput3, SchemaOperationInput4, SchemaOperation5, SchemaOperation6, SchemaOperationInput5, SchemaOperation8, SchemaOperation9]"]


class SchemaOperationInput2(TypedDict):
    # What is done.
    op: Literal["addKind"]
    # The kind.
    kind: str
    # The title, for people.
    title: NotRequired[Union[str, None]]
    # What it is for, in a sentence or two.
    description: NotRequired[Union[str, None]]
    # If true, records of the kind may have no field or link that the schema does not name.
    strict: NotRequired[bool]
    # The fields of the new kind.
    fields: NotRequired[List[SchemaFieldInput]]
    # The links of the new kind.
    links: NotRequired[List[SchemaLinkInput]]


class SchemaOperationInput3(TypedDict):
    # What is done.
    op: Literal["addField"]
    # The kind.
    kind: str
    # The field as it shall be.
    field: SchemaFieldInput


class SchemaOperationInput4(TypedDict):
    # What is done.
    op: Literal["setField"]
    # The kind.
    kind: str
    # The field as it shall be.
    field: SchemaFieldInput


class SchemaOperationInput5(TypedDict):
    # What is done.
    op: Literal["addLink"]
    # The kind.
    kind: str
    # A named reference to another record.
    link: SchemaLinkInput


class SchemaProposal(TypedDict):
    # The change that proposes the new schema, with its items.
    # What became of it: `landed` is applied, `staged` waits for review.
    outcome: Literal["landed", "staged"]
    # The change.
    change: ChangeRef
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]
    # The ids that links or objects name and no record has; they are written nevertheless
    missing: NotRequired[List[str]]
    # The items.
    items: List[ChangeSchemaItem]


class SearchHit(TypedDict):
    # One version that was found, shown by its best passage.
    # What it is.
    type: Literal["record", "statement", "document"]
    # The id. It never changes.
    id: str
    # A record's kind, or that of the record that a statement is about
    kind: NotRequired[str]
    # The version shown
    version: int
    # The title, for people.
    title: str
    # Plain text, to be escaped like any other
    snippet: str
    # Positions of the words of the query in the snippet
    highlights: List[Span]
    # Position of the snippet in a document's text
    span: NotRequired[Span]
    # Higher is better; comparable within one response only
    score: float
    # How much speaks for this item answering the query
    evidence: Literal["strong", "weak", "none"]
    # Why it was found.
    why: List[SearchReason]
    # The origin of this version.
    provenance: Provenance


# Why an item was found: words of the query in its text, title or date, similar meaning, or a match right next to it. `reranked` says why it stands where it does.
SearchReason = Union["Union[SearchReason2, SearchReason3, SearchReason4, SearchReason5]"]


class SearchReason2(TypedDict):
    # Why, for people.
    reason: Literal["words"]
    # The words that were found.
    words: List[str]


class SearchReason3(TypedDict):
    # Why, for people.
    reason: Literal["meaning"]
    # Cosine, from -1 to 1
    similarity: float


class SearchReason4(TypedDict):
    # Why, for people.
    reason: Literal["neighbour"]


class SearchReason5(TypedDict):
    # Why, for people.
    reason: Literal["reranked"]
    # What the reranker says of it; the scale is that of its model
    relevance: float


class SnapshotCounts(TypedDict):
    # How many of each there are.
    # How many documents the plan adds.
    add: int
    # How many documents the plan updates.
    update: int
    # How many documents the plan retires.
    retire: int
    # How many documents stay as they are.
    unchanged: int


class SnapshotGuard(TypedDict):
    # The limit on retiring many documents at once.
    # How many documents of the source are served now.
    served: int
    # How many documents may be retired without `allowRetire`.
    mostRetired: int
    # True if applying the plan needs `allowRetire`.
    needsAllowRetire: bool


class Snapshot(TypedDict):
    # A snapshot of a source with its plan. `conflicts` counts items whose id belongs to another source; they prevent applying it.
    # The id of the snapshot.
    snapshot: str
    # The name of the source.
    source: str
    # The revision of the plan. Send it back to apply exactly this plan.
    planRevision: int
    # Where it stands.
    status: Literal["open", "planned", "unchanged", "applied"]
    # True if this is everything that the source has, so that what is missing may be retired.
    complete: bool
    # How many of each there are.
    counts: SnapshotCounts
    # How many items of the plan belong to another source.
    conflicts: int
    # The limit on retiring many documents at once.
    guard: SnapshotGuard
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    plannedAt: str
    # When it was applied; null until then.
    appliedAt: Union[str, None]


class SnapshotApplied(TypedDict):
    # What became of the plan.
    # What became of it: `landed` is applied, `staged` waits for review.
    outcome: Literal["landed", "staged"]
    # The change.
    change: Union[ChangeRef, None]
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]
    # The snapshot.
    snapshot: Snapshot


class SnapshotPlanned(TypedDict):
    # The plan.
    # The snapshot.
    snapshot: Snapshot
    # The Brain state that this belongs to
    stateVersion: int


class Span(TypedDict):
    # A range of a text, in UTF-16 code units: from `start` up to, not including, `end`.
    # Where it starts, in characters from the start of the text.
    start: int
    # Where it ends, in characters from the start of the text; exclusive.
    end: int


class StatementRetraction(TypedDict):
    # The Brain state that this belongs to
    stateVersion: int
    # The id of the change that retracted it.
    change: str
    # Why, for people.
    reason: Union[str, None]


class Statement(TypedDict):
    # A claim about a record, on two timelines: `validFrom`/`validTo` in the world, `assertedAt`/`retractedAt` in the Brain. Asserting it again with another `validTo`, `confidence` or `sources` makes its next version: `assertedAt`, `provenance` and `stateVersion`, the Brain state in which that was asserted, are those of the version.
    # The id. It never changes.
    id: str
    # The version. Each change to the item makes the next one.
    version: int
    # The record that the statement is about.
    subject: RecordRef
    # The name of the relation.
    predicate: str
    # What the statement says of its subject: a value, or another record.
    object: StatementObject
    # From when on the statement is true; null if always.
    validFrom: Union[str, None]
    # Until when the statement is true; null if there is no end.
    validTo: Union[str, None]
    # How sure the writer is, from 0 to 1; null if nothing was said.
    confidence: Union[float, None]
    # The documents, and the quotes in them, that support the statement.
    sources: List[StatementSource]
    # The Brain state that this belongs to
    stateVersion: int
    # The origin of this version.
    provenance: Provenance
    # ISO 8601 UTC with milliseconds
    assertedAt: str
    # When the statement was retracted; null while it stands.
    retractedAt: Union[str, None]
    # What retracted the statement, and why; null while it stands.
    retraction: Union[StatementRetraction, None]


class StatementAsserted(TypedDict):
    # What became of the write, and the statement.
    # What became of it: `landed` is applied, `staged` waits for review.
    outcome: Literal["landed", "staged"]
    # The change.
    change: ChangeRef
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]
    # The ids that links or objects name and no record has; they are written nevertheless
    missing: NotRequired[List[str]]
    # The statement.
    statement: Union[Statement, DocumentWrittenDocument]


# The object of a statement: another record, or a plain value.
StatementObject = Union["Union[StatementObject2, StatementObject3]"]


class StatementObject2(TypedDict):
    # The record.
    record: RecordRef


class StatementObject3(TypedDict):
    # Any JSON value
    value: Any


# The object of a statement: another record, or a plain value.
StatementObjectInput = Union["Union[StatementObject2, StatementObject3]"]


class StatementRetracted(TypedDict):
    # What became of the write, and the statement that it retracts.
    # What became of it: `landed` is applied, `staged` waits for review.
    outcome: Literal["landed", "staged"]
    # The change.
    change: ChangeRef
    # The state of the Brain. Each applied change makes the next one.
    stateVersion: Union[int, None]
    # The ids that links or objects name and no record has; they are written nevertheless
    missing: NotRequired[List[str]]
    # The statement.
    statement: DocumentRetiredDocument


class StatementSource(TypedDict):
    # A document that supports a statement, with the version and the words that were read.
    # The document.
    document: str
    # The version. Each change to the item makes the next one.
    version: NotRequired[int]
    # The words of the document that support the statement.
    quote: NotRequired[str]


class Task(TypedDict):
    # A question of a run to a person. `options` are answers that it proposes; others are taken too.
    # The id of the task.
    taskId: str
    # The id of the run.
    runId: str
    # The id of the agent.
    agentId: str
    # Where it stands.
    state: Literal["open", "completed", "expired"]
    # What the run asks.
    question: str
    # The answers to choose from; null if any text will do.
    options: Union[List[str], None]
    # The beginning of what the receiver answered.
    answer: NotRequired[str]
    # Who answered.
    answeredBy: NotRequired[Actor]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # When it expires; null if never.
    expiresAt: Union[str, None]


class TriggerKindScopesItem(TypedDict):
    # The kind of record that the trigger listens to.
    entityKind: str


class Trigger(TypedDict):
    # A trigger: `knowledgeGraphId` is the id of the Brain. A run that it starts may go as far as the agent's own access to its Brains and `requiredAccess` both allow. Without kindScopes it looks at every kind.
    # The id. It never changes.
    id: str
    # The id of the Brain.
    knowledgeGraphId: str
    # The id of the agent.
    agentId: str
    # The name, for people.
    name: str
    # What the run should achieve, for the model.
    expectedOutcome: str
    # Whether runs may only read the Brain or also write to it.
    requiredAccess: Literal["read_only", "read_write"]
    # True if it is active.
    enabled: bool
    # The kinds of records whose changes start a run.
    kindScopes: List[TriggerKindScopesItem]


class TriggerWithRuns(TypedDict):
    # A trigger with what became of it: the run that it started last, and why it starts none at the moment, if so. It goes on from where it stands: by itself once a cap allows, otherwise when it is changed.
    # The trigger.
    trigger: Trigger
    # The id of the run that it started last.
    lastRunId: NotRequired[str]
    # ISO 8601 UTC with milliseconds
    lastFiredAt: NotRequired[str]
    # Why it does not run at present.
    paused: NotRequired[SchedulePaused]


class WebhookTest(TypedDict):
    # The result of a test delivery.
    # True if the receiver answered with a status from 200 to 299.
    delivered: bool
    # Where it stands.
    status: Union[int, None]
    # What went wrong.
    error: Union[str, None]
    # The beginning of what the receiver answered.
    answer: str
    # How long it took, in milliseconds.
    milliseconds: int


class WhoamiAnswerUser(TypedDict):
    # The id. It never changes.
    id: str
    # The email address.
    email: str
    # True if the address is confirmed.
    emailVerified: bool


class WhoamiAnswerOrganizationsItem(TypedDict):
    # The id. It never changes.
    id: str
    # The name, for people.
    name: str


class WhoamiAnswer(TypedDict):
    # The answer.
    # Who calls, or what kind of thing it is.
    kind: Literal["management", "brain", "session"]
    # The person behind the call; null if there is none.
    user: Union[WhoamiAnswerUser, None]
    # Whether the caller administers the whole service
    administrator: bool
    # The organizations.
    organizations: List[WhoamiAnswerOrganizationsItem]
    # The Brain.
    brain: Union[OrganizationExportLine12BrainExport, None]
    # What a key may do on its Brains. Empty for a session, which has all four in each of its organizations
    capabilities: List[Literal["read", "write", "review", "admin"]]


class AccessRequestsSubmitBody(TypedDict):
    # The email address.
    email: str
    # What the operator should know.
    message: NotRequired[str]


class AccessRequestsSubmitAnswer(TypedDict):
    # The answer.
    # True: the request was received.
    submitted: Literal[True]


class AdminSetBillingTierBody(TypedDict):
    # The id of the organization.
    tenantId: str
    # The tier, which sets limits.
    tier: Literal["free", "business", "enterprise", "staff"]


class AdminSetBillingTierAnswer(TypedDict):
    # The answer.
    # The id of the organization.
    tenantId: str
    # The tier, which sets limits.
    tier: Literal["free", "business", "enterprise", "staff"]


class AdminListEventsQuery(TypedDict):
    # Only those of this kind.
    kind: NotRequired[Literal["access_request", "signup", "organization_ended"]]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # How many items to skip.
    offset: NotRequired[int]


class AdminListEventsAnswer(TypedDict):
    # The answer.
    # The events of this page.
    events: List[AdminEvent]


class AdminListOrganizationsQuery(TypedDict):
    # Only organizations that this address owns
    owner: NotRequired[str]
    # What to look for.
    q: NotRequired[str]
    # Only organizations of this tier.
    tier: NotRequired[Literal["free", "business", "enterprise", "staff"]]
    # ended: refused to everybody, and being erased
    state: NotRequired[Literal["active", "ended"]]
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]


class AdminListOrganizationsAnswerOrganizationsItem(TypedDict):
    # The id. It never changes.
    id: str
    # The name, for people.
    name: str
    # The readable name of the organization, as used in addresses.
    slug: str
    # The tier, which sets limits.
    tier: Literal["free", "business", "enterprise", "staff"]
    # ended: refused to everybody, and being erased
    state: Literal["active", "ended"]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # The owners of the organization.
    owners: List[AdminListOrganizationsAnswerOrganizationsItemOwnersItem]
    # How many members there are.
    members: int
    # How many Brains there are.
    brains: int


class AdminListOrganizationsAnswerOrganizationsItemOwnersItem(TypedDict):
    # The id of the user.
    userId: str
    # The email address.
    email: str
    # True if the address is confirmed.
    emailVerified: bool


class AdminListOrganizationsAnswer(TypedDict):
    # The answer.
    # The organizations.
    organizations: List[AdminListOrganizationsAnswerOrganizationsItem]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class AdminOrganizationsGetAnswerOrganization(TypedDict):
    # The organization.
    # The id. It never changes.
    id: str
    # The name, for people.
    name: str
    # The readable name of the organization, as used in addresses.
    slug: str
    # The tier, which sets limits.
    tier: Literal["free", "business", "enterprise", "staff"]
    # ended: refused to everybody, and being erased
    state: Literal["active", "ended"]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # The owners of the organization.
    owners: List[AdminListOrganizationsAnswerOrganizationsItemOwnersItem]
    # How many members there are.
    members: int
    # The Brains that the agent may use, and how.
    brains: int


class AdminOrganizationsGetAnswerMembersItem(TypedDict):
    # The id of the user.
    userId: str
    # The name, for people.
    name: str
    # The email address.
    email: str
    # True if the address is confirmed.
    emailVerified: bool
    # What the person is in the organization.
    role: str
    # ISO 8601 UTC with milliseconds
    joinedAt: str


class AdminOrganizationsGetAnswerUse(TypedDict):
    # How much is used today.
    # The Brains that the agent may use, and how.
    brains: AdminOrganizationsGetAnswerUseBrains
    # The number of writes of a day.
    dailyWrites: AdminOrganizationsGetAnswerUseBrains
    # The bytes of content of a day.
    dailyBytes: AdminOrganizationsGetAnswerUseBrains
    # The number of runs of a day.
    dailyRuns: AdminOrganizationsGetAnswerUseBrains


class AdminOrganizationsGetAnswerUseBrains(TypedDict):
    # The Brains that the agent may use, and how.
    # How much is used.
    used: int
    # The maximum.
    max: Union[int, None]


class AdminOrganizationsGetAnswer(TypedDict):
    # The answer.
    # The organization.
    organization: AdminOrganizationsGetAnswerOrganization
    # How many members there are.
    members: List[AdminOrganizationsGetAnswerMembersItem]
    # The tier whose limits hold now.
    caps: Union[Literal["free", "business", "enterprise", "staff"], Literal["unverified"]]
    # How much is used today.
    use: AdminOrganizationsGetAnswerUse
    # How many organizations of the same owners are counted together.
    countedTogether: int
    # Why it cannot be ended by an administrator; null if it can.
    protected: bool


class AdminOrganizationsEndBody(TypedDict):
    # The name or the slug of the organization
    confirm: str
    # Why, for people.
    reason: NotRequired[str]


class AdminOrganizationsEndAnswer(TypedDict):
    # The answer.
    # True: it is gone.
    deleted: Literal[True]
    # What was erased, by count.
    erased: OrganizationContents


class AdminOrganizationsPreviewEndAnswerOrganization(TypedDict):
    # The organization.
    # The id. It never changes.
    id: str
    # The name, for people.
    name: str
    # The readable name of the organization, as used in addresses.
    slug: str


class AdminOrganizationsPreviewEndAnswer(TypedDict):
    # The answer.
    # The organization.
    organization: AdminOrganizationsPreviewEndAnswerOrganization
    # What goes with it, by count.
    takes: OrganizationContents
    # Brains with a hold, which keep it from being ended
    heldBrains: int
    # Why it cannot be ended by an administrator; null if it can.
    protected: bool


class AdminListTiersAnswerTiersItem(TypedDict):
    # unverified: whatever the tier, while no owner has confirmed an address
    tier: Union[Literal["free", "business", "enterprise", "staff"], Literal["unverified"]]
    # Whether a new account has it
    isDefault: bool
    # The Brains that the agent may use, and how.
    brains: Union[int, None]
    # The number of writes of a day.
    dailyWrites: Union[int, None]
    # The bytes of content of a day.
    dailyBytes: Union[int, None]
    # The number of runs of a day.
    dailyRuns: Union[int, None]
    # Requests of one key, in a second in the long run and at once
    rate: Union[AdminListTiersAnswerTiersItemRate, None]


class AdminListTiersAnswerTiersItemRate(TypedDict):
    # How many requests may be sent in a second, over time.
    perSecond: int
    # How many requests may be sent at once.
    burst: int


class AdminListTiersAnswer(TypedDict):
    # The answer.
    # The tiers with their limits; null stands for no limit.
    tiers: List[AdminListTiersAnswerTiersItem]


class AdminListMailQuery(TypedDict):
    # Only those in this state.
    state: NotRequired[Literal["stored", "pending", "sent", "failed"]]
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]


class AdminListMailAnswerMailItem(TypedDict):
    # The id. It never changes.
    id: str
    # The address that the mail is for.
    to: str
    # The subject line of the mail.
    subject: str
    # The text.
    text: Union[str, None]
    # Where it stands.
    state: Literal["stored", "pending", "sent", "failed"]
    # How many attempts were made.
    attempts: int
    # When it is tried next, where it is
    nextAttemptAt: Union[str, None]
    # What went wrong at the last attempt.
    lastError: Union[str, None]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # When it was sent; null until then.
    sentAt: Union[str, None]


class AdminListMailAnswer(TypedDict):
    # The answer.
    # The mails of this page.
    mail: List[AdminListMailAnswerMailItem]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class AdminRetryMailAnswer(TypedDict):
    # The answer.
    # The mails of this page.
    mail: AdminListMailAnswerMailItem


class AdminHealthAnswerVersions(TypedDict):
    # The versions of this page, or of each part of the service.
    # The version of the service.
    service: str
    # The version of Node.js.
    node: str
    # The version of PostgreSQL.
    postgresql: str
    # The last migration that the database has, and the last that this node knows
    schema: AdminHealthAnswerVersionsSchema


class AdminHealthAnswerVersionsSchema(TypedDict):
    # The last migration that the database has, and the last that this node knows
    # The number of the newest migration that the database has.
    applied: int
    # The number of the newest migration that this version of the service knows.
    known: int


class AdminHealthAnswerNodesItem(TypedDict):
    # The id. It never changes.
    id: str
    # The version of the software that the node runs.
    version: str
    # What the node does: answer requests, background work, or both.
    roles: List[str]
    # ISO 8601 UTC with milliseconds
    startedAt: str
    # ISO 8601 UTC with milliseconds
    seenAt: str
    # True if the node was heard of lately.
    alive: bool
    # Of its data folder; null where it has none
    disk: Union[AdminHealthAnswerNodesItemDisk, None]
    # The background work of the node.
    workers: List[AdminHealthAnswerNodesItemWorkersItem]


class AdminHealthAnswerNodesItemDisk(TypedDict):
    # How many bytes are free.
    freeBytes: int
    # How many bytes there are.
    totalBytes: int


class AdminHealthAnswerNodesItemWorkersItem(TypedDict):
    # The name of the background work.
    name: str
    # When it last succeeded; null if never.
    lastSuccess: Union[str, None]
    # How many attempts have failed since the last success.
    consecutiveFailures: int
    # The kind of the last failure while it lasts
    lastError: Union[str, None]
    # Turns under way, keys that are asked for next, and for how long the oldest was due
    turns: NotRequired[AdminHealthAnswerNodesItemWorkersItemTurns]


class AdminHealthAnswerNodesItemWorkersItemTurns(TypedDict):
    # Turns under way, keys that are asked for next, and for how long the oldest was due
    # How many are running.
    running: int
    # How many runs wait for a place.
    pending: int
    # How many seconds the oldest one has waited.
    lagSeconds: float


class AdminHealthAnswerQueuesItem(TypedDict):
    # The name of the queue.
    name: str
    # How many items wait to be worked on.
    due: int
    # Since when the oldest item has waited; null if none does.
    oldestDueAt: Union[str, None]


class AdminHealthAnswerLags(TypedDict):
    # How far background work is behind.
    # In events; null where there are more than 20,000 Brains
    index: Union[AdminHealthAnswerLagsIndex, None]
    # In passages; null as above, and where search by meaning is off
    embedding: Union[AdminHealthAnswerLagsIndex, None]


class AdminHealthAnswerLagsIndex(TypedDict):
    # How many Brains are behind.
    brains: int
    # How far behind it is.
    behind: int


class AdminHealthAnswerVectors(TypedDict):
    # The vectors of the model that is set: those of another model have another one
    space: str
    # How many Brains are searched by vectors of the model that is set
    currentBrains: int
    # How many are searched by those of a former model, until all of their passages are embedded anew
    formerBrains: int


class AdminHealthAnswerWebhooksItem(TypedDict):
    # The id. It never changes.
    id: str
    # The id of the Brain.
    brainId: str
    # How many events are still to be delivered.
    behind: int


class AdminHealthAnswerMail(TypedDict):
    # Whether a mail server is set up that delivers mail
    # Whether mails are sent, or only kept.
    delivers: bool


class AdminHealthAnswerBackups(TypedDict):
    # When Noema last backed the database up, and how the archive of its log fares.
    # The newest backup of each kind, the newest first; empty where there never was one
    last: List[AdminHealthAnswerBackupsLastItem]
    # How the archive of the write-ahead log fares; null where the database server has none
    archive: Union[AdminHealthAnswerBackupsArchive, None]


class AdminHealthAnswerBackupsLastItem(TypedDict):
    # `file`: made by `noema backup`; `base`: by `noema backup --base`, of the built-in database
    kind: Literal["file", "base"]
    # ISO 8601 UTC with milliseconds
    madeAt: str
    # How large it is, in bytes.
    bytes: int


class AdminHealthAnswerBackupsArchive(TypedDict):
    # When a segment was last archived; null if never
    lastSuccess: Union[str, None]
    # Whether the last attempt to archive a segment failed
    failing: bool


class AdminHealthAnswerDatabase(TypedDict):
    # How the database is doing.
    # How large it is, in bytes.
    bytes: int
    # Whether it is the PostgreSQL that Noema runs itself
    builtIn: bool
    # How many connections are open.
    connections: int
    # How many connections there may be.
    maxConnections: int
    # How old the oldest open transaction is, in seconds; null if there is none.
    oldestTransactionSeconds: Union[float, None]


class AdminHealthAnswer(TypedDict):
    # The answer.
    # ISO 8601 UTC with milliseconds
    at: str
    # The versions of this page, or of each part of the service.
    versions: AdminHealthAnswerVersions
    # The nodes of the service.
    nodes: List[AdminHealthAnswerNodesItem]
    # The queues of background work.
    queues: List[AdminHealthAnswerQueuesItem]
    # How far background work is behind.
    lags: AdminHealthAnswerLags
    # By which vectors Brains are searched; null as `lags.embedding`
    vectors: Union[AdminHealthAnswerVectors, None]
    # Webhooks of Brains that have not been sent all events yet: the fifty that lack most
    webhooks: List[AdminHealthAnswerWebhooksItem]
    # Whether a mail server is set up that delivers mail
    mail: AdminHealthAnswerMail
    # When Noema last backed the database up, and how the archive of its log fares.
    backups: AdminHealthAnswerBackups
    # How the database is doing.
    database: AdminHealthAnswerDatabase


class AdminAccessRequestsListQuery(TypedDict):
    # Only those in this state.
    state: NotRequired[Literal["waiting", "approved", "refused"]]
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]


class AdminAccessRequestsListAnswerRequestsItem(TypedDict):
    # The id. It never changes.
    id: str
    # The email address.
    email: str
    # A message for people.
    message: Union[str, None]
    # Where it stands.
    state: Literal["waiting", "approved", "refused"]
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # When it was decided; null until then.
    decidedAt: Union[str, None]
    # The id of the administrator
    decidedBy: Union[str, None]
    # Why it was refused
    reason: Union[str, None]
    # The tier that its approval gave
    tier: Union[Literal["free", "business", "enterprise", "staff"], None]
    # The invitation code that its approval made, as long as there is one
    code: Union[AdminAccessRequestsListAnswerRequestsItemCode, None]
    # The account.
    account: Union[AdminAccessRequestsListAnswerRequestsItemAccount, None]


class AdminAccessRequestsListAnswerRequestsItemCode(TypedDict):
    # The code.
    code: str
    # How often the code can still be used; null for any number.
    usesLeft: Union[int, None]
    # When it expires; null if never.
    expiresAt: Union[str, None]


class AdminAccessRequestsListAnswerRequestsItemAccount(TypedDict):
    # The id of the user.
    userId: str
    # The organization.
    organization: Union[AdminAccessRequestsListAnswerRequestsItemAccountOrganization, None]


class AdminAccessRequestsListAnswerRequestsItemAccountOrganization(TypedDict):
    # The id. It never changes.
    id: str
    # The name, for people.
    name: str
    # The tier, which sets limits.
    tier: Literal["free", "business", "enterprise", "staff"]


class AdminAccessRequestsListAnswer(TypedDict):
    # The answer.
    # The requests of this page.
    requests: List[AdminAccessRequestsListAnswerRequestsItem]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class AdminAccessRequestsApproveBody(TypedDict):
    # The tier that whoever comes in gets
    tier: NotRequired[Literal["free", "business", "enterprise", "staff"]]


class AdminAccessRequestsApproveAnswer(TypedDict):
    # The answer.
    # The request.
    request: AdminAccessRequestsListAnswerRequestsItem


class AdminAccessRequestsRefuseBody(TypedDict):
    # Why, for people.
    reason: str
    # Whether the address is told, and why
    mail: NotRequired[bool]


# The answer.
AdminAccessRequestsRefuseAnswer = Union["AdminAccessRequestsApproveAnswer"]


class AdminInvitationCodesListAnswer(TypedDict):
    # The answer.
    # The codes.
    codes: List[InvitationCode]


class AdminInvitationCodesCreateBody(TypedDict):
    # The code.
    code: str
    # A note for the operator.
    label: NotRequired[str]
    # The tier that it gives
    tier: NotRequired[Literal["free", "business", "enterprise", "staff"]]
    # How often the code may be used; null for any number.
    maxUses: NotRequired[int]
    # When it expires; null if never.
    expiresAt: NotRequired[str]


class AdminInvitationCodesCreateAnswer(TypedDict):
    # The answer.
    # The code.
    code: InvitationCode


class AdminInvitationCodesDeleteAnswer(TypedDict):
    # The answer.
    # True: it is gone.
    deleted: Literal[True]


AuditListQuery = TypedDict(
    "AuditListQuery",
    {
        "action": NotRequired["Literal[\"organization.created\", \"organization.changed\", \"tier.set\", \"member.joined\", \"member.changed\", \"member.removed\", \"member.left\", \"invitation.sent\", \"invitation.cancelled\", \"account.address_confirmed\", \"account.password_changed\", \"account.sign_in_linked\", \"account.sign_in_unlinked\", \"account.two_factor_enabled\", \"account.two_factor_disabled\", \"account.passkey_added\", \"account.passkey_removed\", \"key.minted\", \"key.rotated\", \"key.revoked\", \"brain.created\", \"brain.changed\", \"brain.held\", \"brain.released\", \"brain.imported\", \"brain.deleted\", \"webhook.created\", \"webhook.rotated\", \"webhook.changed\", \"webhook.rewound\", \"webhook.deleted\", \"schema.stored\", \"pack.installed\", \"project.created\", \"project.changed\", \"project.archived\", \"agent.created\", \"agent.changed\", \"agent.archived\", \"connector.created\", \"connector.changed\", \"connector.deleted\", \"provider.created\", \"provider.replaced\", \"provider.deleted\", \"trigger.created\", \"trigger.changed\", \"trigger.deleted\", \"schedule.created\", \"schedule.changed\", \"schedule.deleted\"]"],
        "target": NotRequired["str"],
        "actor": NotRequired["str"],
        "from": NotRequired["str"],
        "to": NotRequired["str"],
        "after": NotRequired["str"],
        "limit": NotRequired["int"],
        "order": NotRequired["Literal[\"asc\", \"desc\"]"],
    },
)


class AuditListAnswer(TypedDict):
    # The answer.
    # The entries of this page.
    entries: List[AuditEntry]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class OrganizationGetAnswerOrganization(TypedDict):
    # The organization.
    # The id. It never changes.
    id: str
    # The name, for people.
    name: str
    # The readable name of the organization, as used in addresses.
    slug: str
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # How many members there are.
    members: int
    # What the person is in the organization.
    role: Union[Literal["owner", "admin", "member"], None]
    # When runs of the agent are stopped.
    limits: OrganizationGetAnswerOrganizationLimits


class OrganizationGetAnswerOrganizationLimits(TypedDict):
    # When runs of the agent are stopped.
    # The tier, which sets limits.
    tier: Literal["free", "business", "enterprise", "staff"]
    # Whether one of its owners has confirmed an address
    confirmed: bool
    # The limit on Brains, and how many there are.
    brains: AdminOrganizationsGetAnswerUseBrains
    # The limit on writes of a day, and how many there were.
    writesToday: AdminOrganizationsGetAnswerUseBrains
    # Bytes of content
    bytesToday: AdminOrganizationsGetAnswerUseBrains
    # The limit on runs of a day, and how many there were.
    runsToday: AdminOrganizationsGetAnswerUseBrains
    # ISO 8601 UTC with milliseconds
    resetsAt: str
    # How many requests may be sent.
    rates: Union[OrganizationGetAnswerOrganizationLimitsRates, None]


class OrganizationGetAnswerOrganizationLimitsRates(TypedDict):
    # Of each key or person
    key: OrganizationGetAnswerOrganizationLimitsRatesKey
    # The organization.
    organization: OrganizationGetAnswerOrganizationLimitsRatesKey


class OrganizationGetAnswerOrganizationLimitsRatesKey(TypedDict):
    # Of each key or person
    # How many requests may be sent in a second, over time.
    perSecond: float
    # How many requests may be sent at once.
    burst: float


class OrganizationGetAnswer(TypedDict):
    # The answer.
    # The organization.
    organization: OrganizationGetAnswerOrganization


class OrganizationDeleteBody(TypedDict):
    # The name or the slug of the organization
    confirm: str


# The answer.
OrganizationDeleteAnswer = Union["AdminOrganizationsEndAnswer"]


class OrganizationExportQuery(TypedDict):
    # Whether earlier versions are exported, too.
    history: NotRequired[str]


class OrganizationPreviewDeletionAnswer(TypedDict):
    # The answer.
    # The organization.
    organization: AdminOrganizationsPreviewEndAnswerOrganization
    # What goes with it, by count.
    takes: OrganizationContents
    # Handles of Brains with a hold, which keep the organization from being deleted
    heldBrains: List[str]


class AccountPreviewDeletionAnswerAccount(TypedDict):
    # The account.
    # The id. It never changes.
    id: str
    # The email address.
    email: str


class AccountPreviewDeletionAnswerOrganizationsItem(TypedDict):
    # The id. It never changes.
    id: str
    # The name, for people.
    name: str
    # The readable name of the organization, as used in addresses.
    slug: str
    # What the person is in the organization.
    role: Literal["owner", "admin", "member"]
    # deleted: the personal organization, which nobody else belongs to. left: it goes on without the account. undecided: it has no other owner; hand it over, or name it to be deleted, too.
    fate: Literal["deleted", "left", "undecided"]
    # How many other members the organization has.
    otherMembers: int
    # What would be erased with it; null where it goes on
    takes: Union[OrganizationContents, None]
    # Handles of Brains with a hold, which keep the organization from being deleted
    heldBrains: List[str]


class AccountPreviewDeletionAnswer(TypedDict):
    # The answer.
    # The account.
    account: AccountPreviewDeletionAnswerAccount
    # How the person must prove who they are: with the password, or by having signed in lately.
    proof: Literal["password", "fresh_session"]
    # The organizations.
    organizations: List[AccountPreviewDeletionAnswerOrganizationsItem]


class AccountDeleteBody(TypedDict):
    # The address of the account
    confirm: str
    # Your password, if the account has one.
    password: NotRequired[str]
    # Ids of organizations to delete with the account
    organizations: NotRequired[List[str]]
    # If true, Brain keys that the account created are revoked, too.
    revokeBrainKeys: NotRequired[bool]


class AccountDeleteAnswerOrganizations(TypedDict):
    # The organizations.
    # The names of the organizations that end with the account.
    deleted: List[str]
    # The names of the organizations that the account leaves.
    left: List[str]


class AccountDeleteAnswer(TypedDict):
    # The answer.
    # True: it is gone.
    deleted: Literal[True]
    # The organizations.
    organizations: AccountDeleteAnswerOrganizations


class NotificationsListQuery(TypedDict):
    # Only states that go on, or that have ended
    state: NotRequired[Literal["open", "resolved"]]
    # Only notifications that are not read
    unread: NotRequired[Literal["true"]]
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]


class NotificationsListAnswerWaiting(TypedDict):
    # How much waits for people.
    # How many are unread.
    unread: int
    # Changes of all Brains that wait for review
    changes: int
    # Tasks of all agents that are open
    tasks: int


class NotificationsListAnswer(TypedDict):
    # The answer.
    # The notifications of this page.
    notifications: List[Notification]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool
    # How much waits for people.
    waiting: NotificationsListAnswerWaiting


class NotificationsWaitingAnswer(TypedDict):
    # The answer.
    # How much waits for people.
    waiting: NotificationsListAnswerWaiting


class NotificationsReadBody(TypedDict):
    # The ids.
    ids: NotRequired[List[str]]
    # The id of the newest notification to mark. It and all older ones are marked as read.
    upTo: NotRequired[str]


# The answer.
NotificationsReadAnswer = Union["NotificationsWaitingAnswer"]


# The answer.
NotificationsSettingsGetAnswer = Union["NotificationSettingsAnswer"]


class NotificationsSettingsPatchBody(TypedDict):
    # True if notifications are also sent as mail.
    mail: NotRequired[bool]
    # The hour of the day at which mails are sent, from 0 to 23.
    hour: NotRequired[int]
    # The time zone, such as Europe/Berlin.
    timezone: NotRequired[str]


# The answer.
NotificationsSettingsPatchAnswer = Union["NotificationSettingsAnswer"]


class KeysMintBody(TypedDict):
    # The name, for people.
    name: str
    # When it expires; null if never.
    expiresAt: NotRequired[str]
    # A key of your choice. A repeat with the same key does nothing twice.
    idempotencyKey: NotRequired[str]


# The answer.
KeysMintAnswer = Union["ManagementKeyMinted"]


class KeysListQuery(TypedDict):
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]


class KeysListAnswer(TypedDict):
    # The answer.
    # The keys.
    keys: List[ManagementKey]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class KeysRevokeAnswerRemaining(TypedDict):
    # What remains in the organization and may need attention.
    # Keys of Brains.
    brainKeys: List[KeysRevokeAnswerRemainingBrainKeysItem]
    # The webhooks.
    webhooks: List[KeysRevokeAnswerRemainingWebhooksItem]
    # The providers of models.
    providers: List[KeysRevokeAnswerRemainingProvidersItem]
    # The connectors.
    connectors: List[KeysRevokeAnswerRemainingConnectorsItem]
    # The triggers.
    triggers: List[WhoamiAnswerOrganizationsItem]
    # The schedules.
    schedules: List[KeysRevokeAnswerRemainingSchedulesItem]


class KeysRevokeAnswerRemainingBrainKeysItem(TypedDict):
    # The id. It never changes.
    id: str
    # The name, for people.
    name: str
    # The handle of the Brain.
    brain: str


class KeysRevokeAnswerRemainingWebhooksItem(TypedDict):
    # The id. It never changes.
    id: str
    # The address that events are sent to.
    url: str
    # The Brain.
    brain: Union[str, None]


class KeysRevokeAnswerRemainingProvidersItem(TypedDict):
    # The name, for people.
    name: str
    # The address of the API; null for the usual one.
    baseUrl: Union[str, None]


class KeysRevokeAnswerRemainingConnectorsItem(TypedDict):
    # The id. It never changes.
    id: str
    # The name, for people.
    name: str
    # The address.
    url: str


class KeysRevokeAnswerRemainingSchedulesItem(TypedDict):
    # The id. It never changes.
    id: str
    # When to run, as five fields: minute, hour, day, month, weekday.
    cron: str


class KeysRevokeAnswer(TypedDict):
    # The answer.
    # The key.
    key: ManagementKey
    # What remains in the organization and may need attention.
    remaining: KeysRevokeAnswerRemaining


class BrainsPutBody(TypedDict):
    # The name, for people.
    name: NotRequired[str]
    # What the Brain is for. Agents are told.
    purpose: NotRequired[str]
    # How the Brain takes writes: `direct` applies them, `review` lets them wait for a decision.
    mode: NotRequired[Literal["direct", "review"]]
    # The name of the organization schema to begin from. Only for a new Brain.
    schema: NotRequired[str]


# The answer.
BrainsPutAnswer = Union["BrainPut"]


class BrainsGetAnswer(TypedDict):
    # The answer.
    # The Brain.
    brain: BrainDetail


class BrainsPatchBody(TypedDict):
    # How the Brain takes writes: `direct` applies them, `review` lets them wait for a decision.
    mode: NotRequired[Literal["direct", "review"]]
    # The name, for people.
    name: NotRequired[str]
    # What the Brain is for. Agents are told.
    purpose: NotRequired[str]
    # Which writes need review whatever the mode is, and who may decide.
    reviewRules: NotRequired[BrainDetailReviewRules]


class BrainsPatchAnswerBrain(TypedDict):
    # The name of the Brain in addresses. It is its identity.
    handle: str
    # How the Brain takes writes: `direct` applies them, `review` lets them wait for a decision.
    mode: Literal["direct", "review"]
    # Whether the Brain can be used.
    availability: Literal["active", "held", "deleted"]


class BrainsPatchAnswer(TypedDict):
    # The answer.
    # The Brain.
    brain: Union[Brain, BrainsPatchAnswerBrain]


class BrainsDeleteAnswer(TypedDict):
    # The answer.
    # True: it is gone.
    deleted: Literal[True]
    # What was erased, by count.
    erased: PackSample


BrainsListQuery = Union["KeysListQuery"]


class BrainsListAnswer(TypedDict):
    # The answer.
    # The Brains of this page.
    brains: List[Brain]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class ChangesListQuery(TypedDict):
    # Only changes with this decision.
    decision: NotRequired[Literal["pending", "approved", "rejected", "superseded"]]
    # Only changes in this state of application.
    application: NotRequired[Literal["not_applied", "scheduled", "blocked", "applied", "cancelled"]]
    # Only changes of the Brain with this handle
    brain: NotRequired[str]
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]


class ChangesListAnswer(TypedDict):
    # The answer.
    # The changes of this page.
    changes: List[OrganizationChange]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class WebhooksCreateBody(TypedDict):
    # The address to send events to: HTTPS and a public host.
    url: str
    # The events to deliver.
    events: List[Literal["run.created", "run.completed", "run.failed", "run.abandoned", "task.created", "task.completed", "task.expired", "operation.succeeded", "operation.failed", "operation.abandoned", "knowledge.corrected"]]
    # The agent or Brain that the webhook is limited to; null for everything.
    scope: NotRequired[Union[OrganizationWebhookScope, OrganizationWebhookScope2]]


class WebhooksCreateAnswer(TypedDict):
    # The answer.
    # The webhook.
    webhook: OrganizationWebhook
    # Signs deliveries; shown once
    secret: str


WebhooksListQuery = Union["KeysListQuery"]


class WebhooksListAnswer(TypedDict):
    # The answer.
    # The webhooks.
    webhooks: List[OrganizationWebhook]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class WebhooksPatchBody(TypedDict):
    # The address.
    url: NotRequired[str]
    # The events of this page.
    events: NotRequired[List[Literal["run.created", "run.completed", "run.failed", "run.abandoned", "task.created", "task.completed", "task.expired", "operation.succeeded", "operation.failed", "operation.abandoned", "knowledge.corrected"]]]
    # The agent or Brain that the webhook is limited to; null for everything.
    scope: NotRequired[Union[Union[OrganizationWebhookScope, OrganizationWebhookScope2], None]]


class WebhooksPatchAnswer(TypedDict):
    # The answer.
    # The webhook.
    webhook: OrganizationWebhook


# The answer.
WebhooksDeleteAnswer = Union["AdminInvitationCodesDeleteAnswer"]


# The answer.
WebhooksTestAnswer = Union["WebhookTest"]


# The answer.
WebhooksRotateAnswer = Union["WebhooksCreateAnswer"]


WebhooksDeliveriesQuery = Union["KeysListQuery"]


class WebhooksDeliveriesAnswer(TypedDict):
    # The answer.
    # The deliveries of this page.
    deliveries: List[OrganizationDelivery]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class WebhooksRedeliverAnswer(TypedDict):
    # The answer.
    # The delivery.
    delivery: OrganizationDelivery


WebhooksRewindBody = TypedDict(
    "WebhooksRewindBody",
    {
        "from": "str",
        "failed": NotRequired["bool"],
    },
)


class WebhooksRewindAnswer(TypedDict):
    # The answer.
    # How many deliveries are sent again
    count: int
    # The id of the delivery to go on from; null where there are no more
    next: Union[str, None]


class ActivityQuery(TypedDict):
    # Only operations of this type.
    type: NotRequired[Literal["tool_call", "llm_call", "system_action"]]
    # Only those with this status.
    status: NotRequired[Literal["running", "succeeded", "failed", "abandoned"]]
    # Only what was created at or after this time.
    since: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]


class ActivityAnswer(TypedDict):
    # The answer.
    # The operations, in their order.
    operations: List[ActivityOperation]


ActivityDaysQuery = TypedDict(
    "ActivityDaysQuery",
    {
        "from": NotRequired["str"],
        "to": NotRequired["str"],
        "timezone": NotRequired["str"],
    },
)


class ActivityDaysAnswer(TypedDict):
    # The answer.
    # The time zone, such as Europe/Berlin.
    timezone: str
    # One entry for each day.
    days: List[ActivityDay]


class OverviewAnswerOverview(TypedDict):
    # The overview.
    # How many Brains there are.
    brains: int
    # How many records there are.
    records: int
    # How many statements there are.
    statements: int
    # How many documents there are.
    documents: int
    # How many agents there are.
    agents: int
    # How many runs have not ended.
    openRuns: int


class OverviewAnswer(TypedDict):
    # The answer.
    # The overview.
    overview: OverviewAnswerOverview


class RunsStartBody(TypedDict):
    # The id of the agent.
    agentId: str
    # What the run is given: a text, or messages.
    input: RunInput
    # The id of the project; without it, the default one.
    projectId: NotRequired[str]
    # The id of the conversation; null if there is none.
    conversationId: NotRequired[str]
    # Your own values. They are kept and returned, and have no further meaning to the service.
    metadata: NotRequired[Dict[str, Any]]


# The answer.
RunsStartAnswer = Union["RunStarted"]


class RunsListQuery(TypedDict):
    # Only those of this agent.
    agentId: NotRequired[str]
    # Only those in this state.
    state: NotRequired[Literal["queued", "running", "waiting", "completed", "failed", "abandoned"]]
    # Only runs of this conversation.
    conversationId: NotRequired[str]
    # Only runs that this trigger started
    triggerId: NotRequired[str]
    # Only runs that this schedule started
    scheduleId: NotRequired[str]
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]


class RunsListAnswer(TypedDict):
    # The answer.
    # The runs.
    runs: List[Run]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


# The answer.
RunsGetAnswer = Union["RunStarted"]


class RunsCancelBody(TypedDict):
    # Why, for people.
    reason: NotRequired[str]


# The answer.
RunsCancelAnswer = Union["RunStarted"]


class RunsStreamQuery(TypedDict):
    # The number of a part; what comes after it is sent
    after: NotRequired[int]


RunsMessagesQuery = Union["KeysListQuery"]


class RunsMessagesAnswer(TypedDict):
    # The answer.
    # The messages.
    messages: List[Message]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


RunsOperationsQuery = Union["KeysListQuery"]


class RunsOperationsAnswer(TypedDict):
    # The answer.
    # The operations, in their order.
    operations: List[ActivityOperation]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class TasksListQuery(TypedDict):
    # Only those in this state.
    state: NotRequired[Literal["open", "completed", "expired"]]
    # Only those of this run.
    runId: NotRequired[str]
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]


class TasksListAnswer(TypedDict):
    # The answer.
    # The tasks of this page.
    tasks: List[Task]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class TasksGetAnswer(TypedDict):
    # The answer.
    # The task.
    task: Task


class TasksCompleteBody(TypedDict):
    # The answer. The run goes on with it.
    answer: str


# The answer.
TasksCompleteAnswer = Union["TasksGetAnswer"]


class SchemasPutBody(TypedDict):
    # The kinds of records.
    kinds: List[SchemaKindInput]


# The answer.
SchemasPutAnswer = Union["OrganizationSchemaAnswer"]


class SchemasGetQuery(TypedDict):
    # This version instead of the current one.
    version: NotRequired[str]


# The answer.
SchemasGetAnswer = Union["OrganizationSchemaAnswer"]


SchemasListQuery = Union["KeysListQuery"]


class SchemasListAnswerSchemasItem(TypedDict):
    # The name, for people.
    name: str
    # The version. Each change to the item makes the next one.
    version: int
    # ISO 8601 UTC with milliseconds
    createdAt: str


class SchemasListAnswer(TypedDict):
    # The answer.
    # The schemas of this page.
    schemas: List[SchemasListAnswerSchemasItem]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class ProjectsCreateBody(TypedDict):
    # The name, for people.
    name: str


# The answer.
ProjectsCreateAnswer = Union["ProjectAnswer"]


ProjectsListQuery = Union["KeysListQuery"]


class ProjectsListAnswer(TypedDict):
    # The answer.
    # The projects.
    projects: List[Project]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class ProjectsPatchBody(TypedDict):
    # The name, for people.
    name: NotRequired[str]


# The answer.
ProjectsPatchAnswer = Union["ProjectAnswer"]


# The answer.
ProjectsDeleteAnswer = Union["ProjectAnswer"]


class AgentsCreateBodyBrainsItem(TypedDict):
    # The name of the Brain in addresses. It is its identity.
    handle: str
    # Whether the agent may only read the Brain or also write to it.
    access: NotRequired[Literal["read_only", "read_write"]]


class AgentsCreateBodyLimits(TypedDict):
    # When runs of the agent are stopped.
    # The maximum number of steps of a run.
    maxSteps: NotRequired[int]
    # The maximum cost of a run, in US cents.
    maxCostCents: NotRequired[Union[int, None]]
    # How long a run may take, in seconds. Waiting for people does not count.
    timeoutSeconds: NotRequired[int]


class AgentsCreateBody(TypedDict):
    # The name, for people.
    name: str
    # What the agent is told before every run.
    instructions: str
    # The model, as `provider/model`, or `noema/extractive`, which needs no provider.
    model: str
    # The id of the project; without it, the default one.
    projectId: NotRequired[str]
    # The tools.
    tools: NotRequired[List[AgentToolInput]]
    # The Brains that the agent may use, and how.
    brains: NotRequired[List[AgentsCreateBodyBrainsItem]]
    # A JSON Schema of an object
    outputSchema: NotRequired[Dict[str, Any]]
    # When runs of the agent are stopped.
    limits: NotRequired[AgentsCreateBodyLimits]


# The answer.
AgentsCreateAnswer = Union["AgentAnswer"]


class AgentsListQuery(TypedDict):
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]
    # Only those of this project.
    projectId: NotRequired[str]
    # Whether archived ones are listed, too.
    archived: NotRequired[Literal["true", "false"]]


class AgentsListAnswer(TypedDict):
    # The answer.
    # The agents.
    agents: List[Agent]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


# The answer.
AgentsGetAnswer = Union["AgentAnswer"]


class AgentsPatchBody(TypedDict):
    # The name, for people.
    name: NotRequired[str]
    # What the agent is told before every run.
    instructions: NotRequired[str]
    # The model, as `provider/model`, or `noema/extractive`, which needs no provider.
    model: NotRequired[str]
    # The tools.
    tools: NotRequired[List[AgentToolInput]]
    # The Brains that the agent may use, and how.
    brains: NotRequired[List[AgentsCreateBodyBrainsItem]]
    # A JSON Schema that the output must match; null for text.
    outputSchema: NotRequired[Union[Dict[str, Any], None]]
    # When runs of the agent are stopped.
    limits: NotRequired[AgentsCreateBodyLimits]


# The answer.
AgentsPatchAnswer = Union["AgentAnswer"]


# The answer.
AgentsDeleteAnswer = Union["AgentAnswer"]


AgentsVersionsQuery = Union["KeysListQuery"]


class AgentsVersionsAnswer(TypedDict):
    # The answer.
    # The versions of this page, or of each part of the service.
    versions: List[AgentVersion]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class SchedulesCreateBody(TypedDict):
    # The id of the agent.
    agentId: str
    # When to run, as five fields: minute, hour, day, month, weekday.
    cron: str
    # The time zone, such as Europe/Berlin.
    timezone: NotRequired[str]
    # What the run is given: a text, or messages.
    input: RunInput
    # True if it is active.
    enabled: NotRequired[bool]


# The answer.
SchedulesCreateAnswer = Union["ScheduleAnswer"]


class SchedulesListQuery(TypedDict):
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]
    # Only those of this agent.
    agentId: NotRequired[str]


class SchedulesListAnswer(TypedDict):
    # The answer.
    # The schedules.
    schedules: List[Schedule]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class SchedulesPatchBody(TypedDict):
    # The id of the agent.
    agentId: NotRequired[str]
    # When to run, as five fields: minute, hour, day, month, weekday.
    cron: NotRequired[str]
    # The time zone, such as Europe/Berlin.
    timezone: NotRequired[str]
    # What the run is given: a text, or messages.
    input: NotRequired[RunInput]
    # True if it is active.
    enabled: NotRequired[bool]


# The answer.
SchedulesPatchAnswer = Union["ScheduleAnswer"]


# The answer.
SchedulesDeleteAnswer = Union["AdminInvitationCodesDeleteAnswer"]


class TriggersListAnswer(TypedDict):
    # The answer.
    # The triggers.
    triggers: List[TriggerWithRuns]


class TriggersCreateBody(TypedDict):
    # The id of the Brain.
    knowledgeGraphId: str
    # The id of the agent.
    agentId: str
    # The name, for people.
    name: str
    # What the run should achieve, for the model.
    expectedOutcome: NotRequired[str]
    # Whether runs may only read the Brain or also write to it.
    requiredAccess: NotRequired[Literal["read_only", "read_write"]]
    # True if it is active.
    enabled: NotRequired[bool]
    # The kinds of records whose changes start a run.
    kindScopes: NotRequired[List[TriggerKindScopesItem]]


# The answer.
TriggersCreateAnswer = Union["TriggerWithRuns"]


class TriggersPatchBody(TypedDict):
    # The id of the agent.
    agentId: NotRequired[str]
    # The name, for people.
    name: NotRequired[str]
    # What the run should achieve, for the model.
    expectedOutcome: NotRequired[str]
    # Whether runs may only read the Brain or also write to it.
    requiredAccess: NotRequired[Literal["read_only", "read_write"]]
    # True if it is active.
    enabled: NotRequired[bool]
    # The kinds of records whose changes start a run.
    kindScopes: NotRequired[List[TriggerKindScopesItem]]


# The answer.
TriggersPatchAnswer = Union["TriggerWithRuns"]


# The answer.
TriggersDeleteAnswer = Union["AdminInvitationCodesDeleteAnswer"]


class ConversationsCreateBody(TypedDict):
    # The id of the agent.
    agentId: NotRequired[str]
    # The title, for people.
    title: NotRequired[str]


# The answer.
ConversationsCreateAnswer = Union["ConversationAnswer"]


ConversationsListQuery = Union["SchedulesListQuery"]


class ConversationsListAnswer(TypedDict):
    # The answer.
    # The conversations.
    conversations: List[Conversation]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


# The answer.
ConversationsGetAnswer = Union["ConversationAnswer"]


# The answer.
ConversationsDeleteAnswer = Union["AdminInvitationCodesDeleteAnswer"]


ConversationsMessagesQuery = Union["KeysListQuery"]


# The answer.
ConversationsMessagesAnswer = Union["RunsMessagesAnswer"]


class ConnectorsCreateBody(TypedDict):
    # The name, for people.
    name: str
    # The address.
    url: str
    # Headers to send. Their values are stored encrypted and never shown.
    headers: NotRequired[Dict[str, str]]


class ConnectorsCreateAnswer(TypedDict):
    # The answer.
    # The connector.
    connector: Connector


ConnectorsListQuery = Union["KeysListQuery"]


class ConnectorsListAnswer(TypedDict):
    # The answer.
    # The connectors.
    connectors: List[Connector]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class ConnectorsGetAnswer(TypedDict):
    # The answer.
    # The connector.
    connector: ConnectorWithTools


class ConnectorsPatchBody(TypedDict):
    # The name, for people.
    name: NotRequired[str]
    # The address.
    url: NotRequired[str]
    # Headers to send. Their values are stored encrypted and never shown.
    headers: NotRequired[Union[Dict[str, str], None]]


# The answer.
ConnectorsPatchAnswer = Union["ConnectorsCreateAnswer"]


# The answer.
ConnectorsDeleteAnswer = Union["AdminInvitationCodesDeleteAnswer"]


class ConnectorsTestAnswer(TypedDict):
    # The answer.
    # True if it works.
    ok: bool
    # What went wrong; null if nothing did.
    error: Union[str, None]
    # The tools.
    tools: Union[List[ConnectorTool], None]
    # How many entries are left out.
    omitted: int
    # How long it took, in milliseconds.
    milliseconds: int


class PacksListAnswer(TypedDict):
    # The answer.
    # The packs.
    packs: List[Pack]


class PacksInstallBody(TypedDict):
    # The handle of the Brain to install into. It is created if it does not exist.
    brain: NotRequired[str]
    # The model, as `provider/model`, or `noema/extractive`, which needs no provider.
    model: NotRequired[str]


class PacksInstallAnswerInstalled(TypedDict):
    # What was installed.
    # Such as people-and-conversations
    pack: str
    # The Brain.
    brain: OrganizationExportLine12BrainExport
    # The items.
    items: List[PacksInstallAnswerInstalledItemsItem]


class PacksInstallAnswerInstalledItemsItem(TypedDict):
    # What it is.
    type: Literal["brain", "agent", "trigger", "schema", "sample"]
    # The name, for people.
    name: str
    # What became of the item: created, staged for review, or present before.
    outcome: Literal["created", "staged", "present"]
    # The id. It never changes.
    id: NotRequired[str]
    # The change.
    change: NotRequired[str]


class PacksInstallAnswer(TypedDict):
    # The answer.
    # What was installed.
    installed: PacksInstallAnswerInstalled


class ProvidersPutBody(TypedDict):
    # Which API the provider speaks.
    kind: Literal["openai", "anthropic", "google", "openai-compatible"]
    # The address of the API; null for the usual one.
    baseUrl: NotRequired[str]
    # Needed by all but openai-compatible ones
    apiKey: NotRequired[str]
    # Headers to send. Their values are stored encrypted and never shown.
    headers: NotRequired[Dict[str, str]]


# The answer.
ProvidersPutAnswer = Union["ProviderAnswer"]


# The answer.
ProvidersDeleteAnswer = Union["AdminInvitationCodesDeleteAnswer"]


ProvidersListQuery = Union["KeysListQuery"]


class ProvidersListAnswerSharedItem(TypedDict):
    # The name, for people.
    name: str
    # The kind.
    kind: Literal["openai", "anthropic", "google", "openai-compatible"]


class ProvidersListAnswer(TypedDict):
    # The answer.
    # The providers of models.
    providers: List[Provider]
    # The providers that the operator offers to every organization.
    shared: List[ProvidersListAnswerSharedItem]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class ProvidersTestBody(TypedDict):
    # The model, as `provider/model`, or `noema/extractive`, which needs no provider.
    model: NotRequired[str]


class ProvidersTestAnswer(TypedDict):
    # The answer.
    # True if it works.
    ok: bool
    # The HTTP status of the answer; null if there was none.
    status: Union[int, None]
    # What went wrong; null if nothing did.
    error: Union[str, None]
    # How long it took, in milliseconds.
    milliseconds: int


class BrainHoldBody(TypedDict):
    # Why, for people.
    reason: str


# The answer.
BrainHoldAnswer = Union["BrainHeld"]


# The answer.
BrainReleaseAnswer = Union["BrainHeld"]


BrainExportQuery = Union["OrganizationExportQuery"]


class BrainImportAnswerImported(TypedDict):
    # How many of each were imported.
    # How many versions of the schema were imported.
    schemas: int
    # How many changes were imported.
    changes: int
    # How many records there are.
    records: int
    # How many statements there are.
    statements: int
    # How many documents there are.
    documents: int
    # How many dates were imported.
    dates: int


class BrainImportAnswer(TypedDict):
    # The answer.
    # The Brain.
    brain: Brain
    # How many of each were imported.
    imported: BrainImportAnswerImported


class BrainKeysMintBody(TypedDict):
    # The name, for people.
    name: str
    # What the key may do.
    capabilities: List[Literal["read", "write", "review", "admin"]]
    # A key of your choice. A repeat with the same key does nothing twice.
    idempotencyKey: NotRequired[str]


# The answer.
BrainKeysMintAnswer = Union["BrainKeyMinted"]


BrainKeysListQuery = Union["KeysListQuery"]


class BrainKeysListAnswer(TypedDict):
    # The answer.
    # The keys.
    keys: List[BrainKey]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class BrainKeysRotateAnswerPrevious(TypedDict):
    # The key that was replaced.
    # The id. It never changes.
    id: str
    # ISO 8601 UTC with milliseconds
    worksUntil: str


class BrainKeysRotateAnswer(TypedDict):
    # The answer.
    # The key.
    key: BrainKey
    # The secret. It is shown once.
    secret: str
    # The key that was replaced.
    previous: BrainKeysRotateAnswerPrevious


class BrainKeysRevokeAnswer(TypedDict):
    # The answer.
    # The key.
    key: BrainKey


class BrainRecordsCreateBody(TypedDict):
    # The kind.
    kind: str
    # A readable name, unique among the live records of its kind.
    slug: NotRequired[str]
    # The fields and their values.
    fields: NotRequired[Dict[str, Any]]
    # The references to other records.
    links: NotRequired[List[Link]]
    # The origin of this version.
    provenance: NotRequired[ProvenanceInput]
    # The id of the earlier change that this one corrects.
    corrects: NotRequired[str]


# The answer.
BrainRecordsCreateAnswer = Union["RecordWritten"]


class BrainRecordsListQuery(TypedDict):
    # Only those of this kind.
    kind: NotRequired[str]
    # Only the record with this slug.
    slug: NotRequired[str]
    # The id of a record: those that link to it
    linksTo: NotRequired[str]
    # With linksTo: those that link to it by this predicate
    predicate: NotRequired[str]
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]
    # Read the Brain as it was at this stateVersion.
    asOf: NotRequired[int]


class BrainRecordsListAnswer(TypedDict):
    # The answer.
    # The records of this page.
    records: List[BrainRecord]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool
    # The Brain state that this belongs to
    stateVersion: int


BrainRecordsPutBody = Union["BrainRecordsCreateBody"]


# The answer.
BrainRecordsPutAnswer = Union["RecordWritten"]


class BrainRecordsPatchBody(TypedDict):
    # The kind.
    kind: NotRequired[str]
    # A readable name, unique among the live records of its kind.
    slug: NotRequired[Union[str, None]]
    # The fields and their values.
    fields: NotRequired[Dict[str, Any]]
    # The references to other records.
    links: NotRequired[List[Operation4LinksItem]]
    # The origin of this version.
    provenance: NotRequired[ProvenanceInput]
    # The id of the earlier change that this one corrects.
    corrects: NotRequired[str]


# The answer.
BrainRecordsPatchAnswer = Union["RecordWritten"]


# The answer.
BrainRecordsDeleteAnswer = Union["RecordDeleted"]


class BrainRecordsGetQuery(TypedDict):
    # Read the Brain as it was at this stateVersion.
    asOf: NotRequired[int]


class BrainRecordsGetAnswer(TypedDict):
    # The answer.
    # The record.
    record: BrainRecord
    # The Brain state that this belongs to
    stateVersion: int


BrainRecordsHistoryQuery = Union["KeysListQuery"]


class BrainRecordsHistoryAnswerVersionsItem(TypedDict):
    # The record.
    record: BrainRecord
    # What ended this version; null while it is current
    ended: Union[BrainExportLine5Ended, None]


class BrainRecordsHistoryAnswer(TypedDict):
    # The answer.
    # The versions of this page, or of each part of the service.
    versions: List[BrainRecordsHistoryAnswerVersionsItem]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool
    # The Brain state that this belongs to
    stateVersion: int


class BrainRecordsNeighboursQuery(TypedDict):
    # How many steps away a record may be
    depth: NotRequired[int]
    # How many neighbours of one record are followed
    perRecord: NotRequired[int]
    # Only records of these kinds, separated by commas
    kinds: NotRequired[str]
    # The fields of each record that are returned, separated by commas
    select: NotRequired[str]
    # Read the Brain as it was at this stateVersion.
    asOf: NotRequired[int]


class BrainRecordsNeighboursAnswerRecordsItem(TypedDict):
    # The id. It never changes.
    id: str
    # The kind.
    kind: Union[str, None]
    # A readable name, unique among the live records of its kind.
    slug: Union[str, None]
    # The version. Each change to the item makes the next one.
    version: Union[int, None]
    # Those of `select`; none without it
    fields: Dict[str, Any]
    # How many steps away it is
    distance: int
    # How many of its neighbours are left out; null where none were counted
    hidden: Union[int, None]
    # True if there is more after this page.
    hasMore: bool


BrainRecordsNeighboursAnswerRelationsItem = TypedDict(
    "BrainRecordsNeighboursAnswerRelationsItem",
    {
        "type": "Literal[\"link\", \"statement\"]",
        "from": "str",
        "to": "str",
        "predicate": "str",
        "statement": NotRequired["str"],
    },
)


class BrainRecordsNeighboursAnswer(TypedDict):
    # The answer.
    # The records of this page.
    records: List[BrainRecordsNeighboursAnswerRecordsItem]
    # What leads from one of the records to another
    relations: List[BrainRecordsNeighboursAnswerRelationsItem]
    # True if not all linked records fit into the answer.
    truncated: NotRequired[Literal[True]]
    # The Brain state that this belongs to
    stateVersion: int


class BrainStatementsAssertBody(TypedDict):
    # The id. It never changes.
    id: NotRequired[str]
    # The record that the statement is about.
    subject: RecordRef
    # The name of the relation.
    predicate: str
    # What the statement says of its subject: a value, or another record.
    object: StatementObjectInput
    # From when on the statement is true; null if always.
    validFrom: NotRequired[str]
    # Until when the statement is true; null if there is no end.
    validTo: NotRequired[Union[str, None]]
    # How sure the writer is, from 0 to 1; null if nothing was said.
    confidence: NotRequired[Union[float, None]]
    # The documents, and the quotes in them, that support the statement.
    sources: NotRequired[List[StatementSource]]
    # The origin of this version.
    provenance: NotRequired[ProvenanceInput]
    # The id of the earlier change that this one corrects.
    corrects: NotRequired[str]


# The answer.
BrainStatementsAssertAnswer = Union["StatementAsserted"]


class BrainStatementsListQuery(TypedDict):
    # Only statements about this record, by id.
    subject: NotRequired[str]
    # Only those with this predicate.
    predicate: NotRequired[str]
    # The id of a record: statements that it is the object of
    object: NotRequired[str]
    # Only statements that are true at this time.
    validAt: NotRequired[str]
    # Whether retracted statements are listed instead of live ones.
    retracted: NotRequired[str]
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]
    # Read the Brain as it was at this stateVersion.
    asOf: NotRequired[int]


class BrainStatementsListAnswer(TypedDict):
    # The answer.
    # The statements of this page.
    statements: List[Statement]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool
    # The Brain state that this belongs to
    stateVersion: int


class BrainStatementsRetractBody(TypedDict):
    # Why, for people.
    reason: NotRequired[str]
    # The id of the earlier change that this one corrects.
    corrects: NotRequired[str]


# The answer.
BrainStatementsRetractAnswer = Union["StatementRetracted"]


class BrainStatementsGetQuery(TypedDict):
    # Whether retracted statements are listed instead of live ones.
    retracted: NotRequired[str]
    # Read the Brain as it was at this stateVersion.
    asOf: NotRequired[int]


class BrainStatementsGetAnswer(TypedDict):
    # The answer.
    # The statement.
    statement: Statement
    # The Brain state that this belongs to
    stateVersion: int


class BrainDocumentsPutBody(TypedDict):
    # The id. It never changes.
    id: NotRequired[str]
    # The text.
    text: str
    # The title, for people.
    title: NotRequired[str]
    # The media type of the text, such as text/markdown.
    contentType: NotRequired[str]
    # Where the text comes from.
    source: NotRequired[BrainExportLine7DocumentSource]
    # Your own values. They are kept and returned, and have no further meaning to the service.
    metadata: NotRequired[Dict[str, Any]]
    # When what the document tells of happened.
    occurredAt: NotRequired[str]
    # Where the document stands in a sequence, such as a message in a conversation.
    sequence: NotRequired[BrainExportLine7DocumentSequence]
    # The origin of this version.
    provenance: NotRequired[ProvenanceInput]
    # The id of the earlier change that this one corrects.
    corrects: NotRequired[str]


# The answer.
BrainDocumentsPutAnswer = Union["DocumentWritten"]


class BrainDocumentsListQuery(TypedDict):
    # Only documents of this source.
    source: NotRequired[str]
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]
    # Read the Brain as it was at this stateVersion.
    asOf: NotRequired[int]


class BrainDocumentsListAnswer(TypedDict):
    # The answer.
    # The documents of this page.
    documents: List[Document]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool
    # The Brain state that this belongs to
    stateVersion: int


# The answer.
BrainDocumentsRetireAnswer = Union["DocumentRetired"]


class BrainDocumentsGetQuery(TypedDict):
    # This version instead of the current one.
    version: NotRequired[str]
    # Read the Brain as it was at this stateVersion.
    asOf: NotRequired[int]


class BrainDocumentsGetAnswerDocument(TypedDict):
    # The document.
    # The id. It never changes.
    id: str
    # The version. Each change to the item makes the next one.
    version: int
    # SHA-256 of the text in hex
    hash: str
    # The title, for people.
    title: Union[str, None]
    # The media type of the text, such as text/markdown.
    contentType: str
    # Where it stands.
    status: Literal["served", "retired"]
    # Where the text comes from.
    source: Union[BrainExportLine7DocumentSource, None]
    # Your own values. They are kept and returned, and have no further meaning to the service.
    metadata: Dict[str, Any]
    # When what the document tells of happened.
    occurredAt: Union[str, None]
    # Where the document stands in a sequence, such as a message in a conversation.
    sequence: Union[BrainExportLine7DocumentSequence, None]
    # Length of the text in UTF-16 code units
    length: int
    # The Brain state that this belongs to
    stateVersion: int
    # The origin of this version.
    provenance: Provenance
    # ISO 8601 UTC with milliseconds
    createdAt: str
    # ISO 8601 UTC with milliseconds
    updatedAt: str
    # The text.
    text: str
    # Why search cannot find this version, where it cannot
    unsearchable: NotRequired[str]


class BrainDocumentsGetAnswer(TypedDict):
    # The answer.
    # The document.
    document: BrainDocumentsGetAnswerDocument
    # The Brain state that this belongs to
    stateVersion: int


BrainDocumentsVersionsQuery = Union["KeysListQuery"]


class BrainDocumentsVersionsAnswer(TypedDict):
    # The answer.
    # The versions of this page, or of each part of the service.
    versions: List[Document]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool
    # The Brain state that this belongs to
    stateVersion: int


class BrainSnapshotsPlanBodyItemsItem(TypedDict):
    # The id. It never changes.
    id: str
    # The text.
    text: str
    # The title, for people.
    title: NotRequired[str]
    # The media type of the text, such as text/markdown.
    contentType: NotRequired[str]
    # Your own values. They are kept and returned, and have no further meaning to the service.
    metadata: NotRequired[Dict[str, Any]]
    # When what the document tells of happened.
    occurredAt: NotRequired[str]
    # Where the document stands in a sequence, such as a message in a conversation.
    sequence: NotRequired[BrainExportLine7DocumentSequence]
    # The origin of this version.
    provenance: NotRequired[ProvenanceInput]
    # The address of the original.
    uri: NotRequired[str]
    # The id that the source uses for this document.
    externalId: NotRequired[str]


class BrainSnapshotsPlanBody(TypedDict):
    # The items.
    items: List[BrainSnapshotsPlanBodyItemsItem]
    # True if this is everything that the source has, so that what is missing may be retired.
    complete: bool
    # The id of an open snapshot, to which the items are added.
    snapshot: NotRequired[str]


# The answer.
BrainSnapshotsPlanAnswer = Union["SnapshotPlanned"]


BrainSnapshotsListQuery = Union["KeysListQuery"]


class BrainSnapshotsListAnswer(TypedDict):
    # The answer.
    # The snapshots of this page.
    snapshots: List[Snapshot]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool
    # The Brain state that this belongs to
    stateVersion: int


class BrainSnapshotsApplyBody(TypedDict):
    # The revision of the plan. Send it back to apply exactly this plan.
    planRevision: int
    # Retire more documents than the guard allows
    allowRetire: NotRequired[bool]


# The answer.
BrainSnapshotsApplyAnswer = Union["SnapshotApplied"]


class BrainSnapshotsGetQuery(TypedDict):
    # Only items with this operation.
    op: NotRequired[Literal["add", "update", "retire", "unchanged", "conflict"]]
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]


class BrainSnapshotsGetAnswer(TypedDict):
    # The answer.
    # The snapshot.
    snapshot: Snapshot
    # The items.
    items: List[PlanItem]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool
    # The Brain state that this belongs to
    stateVersion: int


class BrainBatchBody(TypedDict):
    # The operations, in their order.
    operations: List[OperationInput]
    # The id of the earlier change that this one corrects.
    corrects: NotRequired[str]
    # true: the change waits for review, also where writes are applied
    review: NotRequired[bool]


# The answer.
BrainBatchAnswer = Union["BatchAnswer"]


class BrainChangesListQuery(TypedDict):
    # Only changes with this decision.
    decision: NotRequired[Literal["pending", "approved", "rejected", "superseded"]]
    # Only changes in this state of application.
    application: NotRequired[Literal["not_applied", "scheduled", "blocked", "applied", "cancelled"]]
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]


class BrainChangesListAnswer(TypedDict):
    # The answer.
    # The changes of this page.
    changes: List[ChangeSummary]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class BrainChangesGetAnswer(TypedDict):
    # The answer.
    # The change.
    change: Change
    # The Brain state that this belongs to
    stateVersion: int


class BrainChangesDecideBodyEditsValue(TypedDict):
    # The fields and their values.
    fields: Dict[str, Any]


class BrainChangesDecideBody(TypedDict):
    # Your decision.
    decision: Literal["approved", "rejected"]
    # The items.
    items: NotRequired[List[str]]
    # New field values for items, by item: the reviewer changes what is approved.
    edits: NotRequired[Dict[str, BrainChangesDecideBodyEditsValue]]
    # Why, for people.
    reason: NotRequired[str]
    # Whether an approved change is applied: at once (true), later by hand (false), or at a time.
    publish: NotRequired[Union[bool, str]]


# The answer.
BrainChangesDecideAnswer = Union["ChangeSettled"]


# The answer.
BrainChangesPublishAnswer = Union["ChangeSettled"]


BrainChangesCancelBody = Union["RunsCancelBody"]


# The answer.
BrainChangesCancelAnswer = Union["ChangeSettled"]


# The answer.
BrainChangesRebaseAnswer = Union["ChangeSettled"]


BrainChangesRevertBody = Union["RunsCancelBody"]


# The answer.
BrainChangesRevertAnswer = Union["ChangeReverted"]


class BrainSchemaGetQuery(TypedDict):
    # This version instead of the current one.
    version: NotRequired[str]


class BrainSchemaGetAnswer(TypedDict):
    # The answer.
    # The schema.
    schema: BrainSchema


class BrainSchemaEvolveBody(TypedDict):
    # The nth schema of the Brain; 0 declares nothing
    baseVersion: int
    # The operations, in their order.
    operations: List[SchemaOperationInput]
    # Why, for people.
    reason: NotRequired[str]


# The answer.
BrainSchemaEvolveAnswer = Union["SchemaProposal"]


BrainSchemaPromoteBody = TypedDict(
    "BrainSchemaPromoteBody",
    {
        "emerged": "List[str]",
        "as": NotRequired["Literal[\"string\", \"text\", \"integer\", \"number\", \"boolean\", \"date\", \"datetime\", \"json\"]"],
        "reason": NotRequired["str"],
    },
)


# The answer.
BrainSchemaPromoteAnswer = Union["SchemaProposal"]


BrainSchemaEmergedQuery = Union["KeysListQuery"]


class BrainSchemaEmergedAnswer(TypedDict):
    # The answer.
    # Structure that records have and the schema does not name.
    emerged: List[EmergedStructure]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class BrainSchemaLineageAnswerLineage(TypedDict):
    # How the schema of the Brain relates to that of the organization.
    # The organization schema and version that the Brain began from.
    forkedFrom: Union[BrainSchemaLineageAnswerLineageForkedFrom, None]
    # The organization schema that the Brain began from; null if there is none.
    baseline: BrainSchemaLineageAnswerLineageBaseline
    # What the Brain changed since then.
    local: BrainSchemaLineageAnswerLineageLocal
    # What the organization changed since then.
    upstream: BrainSchemaLineageAnswerLineageLocal


class BrainSchemaLineageAnswerLineageForkedFrom(TypedDict):
    # The name of the organization schema.
    schema: str
    # The version. Each change to the item makes the next one.
    version: int


class BrainSchemaLineageAnswerLineageBaseline(TypedDict):
    # The organization schema that the Brain began from; null if there is none.
    # The newest version of the organization schema; null if it is gone.
    currentVersion: Union[int, None]
    # True if the organization schema has a newer version.
    moved: bool


class BrainSchemaLineageAnswerLineageLocal(TypedDict):
    # What the Brain changed since then.
    # The names of what was added.
    added: List[str]
    # The names of what changed.
    changed: List[str]
    # The names of what was removed.
    removed: List[str]


class BrainSchemaLineageAnswer(TypedDict):
    # The answer.
    # How the schema of the Brain relates to that of the organization.
    lineage: BrainSchemaLineageAnswerLineage


class BrainContextBodyMessagesItem(TypedDict):
    # Who speaks.
    role: Literal["user", "assistant", "system", "tool"]
    # What was said.
    content: str


class BrainContextBodyBudget(TypedDict):
    # How many tokens the context may have.
    # How many tokens.
    tokens: int


class BrainContextBody(TypedDict):
    # What to look for.
    query: NotRequired[str]
    # A conversation, oldest first
    messages: NotRequired[List[BrainContextBodyMessagesItem]]
    # Your name for who reads. Receipts can be listed by it.
    consumerId: NotRequired[str]
    # How many tokens the context may have.
    budget: NotRequired[BrainContextBodyBudget]
    # Only records of these kinds.
    kinds: NotRequired[List[str]]
    # Only items of these types
    include: NotRequired[List[Literal["record", "statement", "document"]]]
    # Leaves out items with less evidence; without it, weak ones if there are strong ones
    minEvidence: NotRequired[Literal["weak", "strong"]]
    # Has the best results put in order by the reranker that the operator set up, which takes longer. Without one, or when it does not respond in time, they stay as they are and `degraded` says so
    rerank: NotRequired[bool]
    # Read the Brain as it was at this stateVersion.
    asOf: NotRequired[int]
    # Only statements that are valid at this time
    validAt: NotRequired[str]
    # The maximum number of items.
    limit: NotRequired[int]


class BrainContextAnswerBudget(TypedDict):
    # How the tokens were spent.
    # How many tokens.
    tokens: int
    # How many tokens the context has.
    used: int
    # How many items were found but did not fit
    dropped: int


class BrainContextAnswer(TypedDict):
    # The answer.
    # Markdown
    context: str
    # The items.
    items: List[ContextItem]
    # The best of its items; none where nothing here seems to answer the query
    evidence: Literal["strong", "weak", "none"]
    # How the tokens were spent.
    budget: BrainContextAnswerBudget
    # Why the answer may be incomplete; absent if nothing lacks.
    degraded: NotRequired[List[Degradation]]
    # The receipt of the versions that were returned
    receipt: str
    # The Brain state that this belongs to
    stateVersion: int


class BrainQueryBodyLinks(TypedDict):
    # Which linked records to return as well.
    # The name of the relation.
    predicate: NotRequired[str]
    # Which links to follow: those that leave, those that arrive, or both.
    direction: NotRequired[Literal["out", "in", "both"]]
    # How many links to follow, from 0 to 2.
    depth: NotRequired[int]


class BrainQueryBody(TypedDict):
    # The kind.
    kind: str
    # What the fields must be.
    where: NotRequired[Dict[str, Any]]
    # The fields to return; all of them without it.
    select: NotRequired[List[str]]
    # Which linked records to return as well.
    links: NotRequired[BrainQueryBodyLinks]
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]
    # Your name for who reads. Receipts can be listed by it.
    consumerId: NotRequired[str]
    # Read the Brain as it was at this stateVersion.
    asOf: NotRequired[int]


class BrainQueryAnswer(TypedDict):
    # The answer.
    # The records of this page.
    records: List[BrainRecord]
    # The linked records.
    linked: NotRequired[List[BrainRecord]]
    # True if not all linked records fit into the answer.
    truncated: NotRequired[Literal[True]]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool
    # The receipt of the versions that were returned
    receipt: str
    # The Brain state that this belongs to
    stateVersion: int


class BrainReceiptsGetAnswer(TypedDict):
    # The answer.
    # The receipt: what was served to you, by address and version.
    receipt: Receipt
    # The Brain state that this belongs to
    stateVersion: int


class BrainReceiptsListQuery(TypedDict):
    # Your name for who reads. Receipts can be listed by it.
    consumerId: NotRequired[str]
    # Only those about this record, by id.
    record: NotRequired[str]
    # Only those about this statement, by id.
    statement: NotRequired[str]
    # Only those about this document, by id.
    document: NotRequired[str]
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # desc: newest first. A cursor continues in the order that it was given in
    order: NotRequired[Literal["asc", "desc"]]


class BrainReceiptsListAnswer(TypedDict):
    # The answer.
    # The receipts of this page.
    receipts: List[Receipt]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool
    # The Brain state that this belongs to
    stateVersion: int


class BrainEventsListQuery(TypedDict):
    # Opaque; send it back as `after`
    after: NotRequired[str]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # Begin so many events before the end of the stream, 0 for what is still to come. Nothing beside `after`
    newest: NotRequired[int]
    # Comma-separated event types
    types: NotRequired[str]


BrainEventsListAnswerEventsItem = Union["Union[BrainEventsListAnswerEventsItem2, BrainEventsListAnswerEventsItem3, BrainEventsListAnswerEventsItem4, BrainEventsListAnswerEventsItem5, BrainEventsListAnswerEventsItem6, BrainEventsListAnswerEventsItem7, BrainEventsListAnswerEventsItem8, BrainEventsListAnswerEventsItem9, BrainEventsListAnswerEventsItem10, BrainEventsListAnswerEventsItem11, BrainEventsListAnswerEventsItem12, BrainEventsListAnswerEventsItem13, BrainEventsListAnswerEventsItem14, BrainEventsListAnswerEventsItem15]"]


class BrainEventsListAnswerEventsItem2(TypedDict):
    # Opaque; send it back as `after`
    cursor: str
    # What it is.
    type: Literal["record.accepted"]
    # ISO 8601 UTC with milliseconds
    occurredAt: str
    # The answer.
    data: BrainEventsListAnswerEventsItem2Data


class BrainEventsListAnswerEventsItem2Data(TypedDict):
    # The answer.
    # The record.
    record: RecordRef
    # Whether the record was created or updated.
    operation: Literal["created", "updated"]
    # The names of the fields that changed.
    fields: List[str]
    # The predicates of the links that changed.
    links: List[str]
    # The kind that the record had before.
    retypedFrom: NotRequired[str]
    # The change.
    change: str
    # The Brain state that this belongs to
    stateVersion: NotRequired[int]


class BrainEventsListAnswerEventsItem3(TypedDict):
    # Opaque; send it back as `after`
    cursor: str
    # What it is.
    type: Literal["record.deleted"]
    # ISO 8601 UTC with milliseconds
    occurredAt: str
    # The answer.
    data: BrainEventsListAnswerEventsItem3Data


class BrainEventsListAnswerEventsItem3Data(TypedDict):
    # The answer.
    # The record.
    record: RecordRef
    # The change.
    change: str
    # The Brain state that this belongs to
    stateVersion: NotRequired[int]


class BrainEventsListAnswerEventsItem4(TypedDict):
    # Opaque; send it back as `after`
    cursor: str
    # What it is.
    type: Literal["statement.asserted"]
    # ISO 8601 UTC with milliseconds
    occurredAt: str
    # The answer.
    data: BrainEventsListAnswerEventsItem4Data


class BrainEventsListAnswerEventsItem4Data(TypedDict):
    # The answer.
    # The statement.
    statement: DocumentRetiredDocument
    # The name of the relation.
    predicate: str
    # The record that the statement is about.
    subject: RecordRef
    # The change.
    change: str
    # The Brain state that this belongs to
    stateVersion: NotRequired[int]


class BrainEventsListAnswerEventsItem5(TypedDict):
    # Opaque; send it back as `after`
    cursor: str
    # What it is.
    type: Literal["statement.retracted"]
    # ISO 8601 UTC with milliseconds
    occurredAt: str
    # The answer.
    data: BrainEventsListAnswerEventsItem5Data


class BrainEventsListAnswerEventsItem5Data(TypedDict):
    # The answer.
    # The statement.
    statement: DocumentRetiredDocument
    # The change.
    change: str
    # The Brain state that this belongs to
    stateVersion: NotRequired[int]


class BrainEventsListAnswerEventsItem6(TypedDict):
    # Opaque; send it back as `after`
    cursor: str
    # What it is.
    type: Literal["document.served"]
    # ISO 8601 UTC with milliseconds
    occurredAt: str
    # The answer.
    data: BrainEventsListAnswerEventsItem6Data


class BrainEventsListAnswerEventsItem6Data(TypedDict):
    # The answer.
    # The document.
    document: BrainEventsListAnswerEventsItem6DataDocument
    # The version. Each change to the item makes the next one.
    version: int
    # The change.
    change: str


class BrainEventsListAnswerEventsItem6DataDocument(TypedDict):
    # The document.
    # The id. It never changes.
    id: str
    # Where the text comes from.
    source: NotRequired[str]


class BrainEventsListAnswerEventsItem7(TypedDict):
    # Opaque; send it back as `after`
    cursor: str
    # What it is.
    type: Literal["document.retired"]
    # ISO 8601 UTC with milliseconds
    occurredAt: str
    # The answer.
    data: BrainEventsListAnswerEventsItem7Data


class BrainEventsListAnswerEventsItem7Data(TypedDict):
    # The answer.
    # The document.
    document: BrainEventsListAnswerEventsItem6DataDocument
    # The change.
    change: str


class BrainEventsListAnswerEventsItem8(TypedDict):
    # Opaque; send it back as `after`
    cursor: str
    # What it is.
    type: Literal["schema.evolved"]
    # ISO 8601 UTC with milliseconds
    occurredAt: str
    # The answer.
    data: BrainEventsListAnswerEventsItem8Data


class BrainEventsListAnswerEventsItem8Data(TypedDict):
    # The answer.
    # The version of the schema.
    schemaVersion: int
    # The version of the schema before.
    previousSchemaVersion: int


class BrainEventsListAnswerEventsItem9(TypedDict):
    # Opaque; send it back as `after`
    cursor: str
    # What it is.
    type: Literal["change.staged"]
    # ISO 8601 UTC with milliseconds
    occurredAt: str
    # The answer.
    data: BrainEventsListAnswerEventsItem9Data


class BrainEventsListAnswerEventsItem9Data(TypedDict):
    # The answer.
    # The change.
    change: str
    # The id of the change that this one replaces.
    supersedes: NotRequired[str]


class BrainEventsListAnswerEventsItem10(TypedDict):
    # Opaque; send it back as `after`
    cursor: str
    # What it is.
    type: Literal["change.decided"]
    # ISO 8601 UTC with milliseconds
    occurredAt: str
    # The answer.
    data: BrainEventsListAnswerEventsItem10Data


class BrainEventsListAnswerEventsItem10Data(TypedDict):
    # The answer.
    # The change.
    change: str
    # What was decided about the change.
    decision: Literal["pending", "approved", "rejected", "superseded"]
    # Whether the change was applied to the Brain.
    application: Literal["not_applied", "scheduled", "blocked", "applied", "cancelled"]


class BrainEventsListAnswerEventsItem11(TypedDict):
    # Opaque; send it back as `after`
    cursor: str
    # What it is.
    type: Literal["change.published"]
    # ISO 8601 UTC with milliseconds
    occurredAt: str
    # The answer.
    data: BrainEventsListAnswerEventsItem11Data


class BrainEventsListAnswerEventsItem11Data(TypedDict):
    # The answer.
    # The change.
    change: str
    # The Brain state that this belongs to
    stateVersion: NotRequired[int]


class BrainEventsListAnswerEventsItem12(TypedDict):
    # Opaque; send it back as `after`
    cursor: str
    # What it is.
    type: Literal["availability.changed"]
    # ISO 8601 UTC with milliseconds
    occurredAt: str
    # The answer.
    data: BrainEventsListAnswerEventsItem12Data


BrainEventsListAnswerEventsItem12Data = TypedDict(
    "BrainEventsListAnswerEventsItem12Data",
    {
        "from": "Literal[\"active\", \"held\", \"deleted\"]",
        "to": "Literal[\"active\", \"held\", \"deleted\"]",
    },
)


class BrainEventsListAnswerEventsItem13(TypedDict):
    # Opaque; send it back as `after`
    cursor: str
    # What it is.
    type: Literal["snapshot.planned"]
    # ISO 8601 UTC with milliseconds
    occurredAt: str
    # The answer.
    data: BrainEventsListAnswerEventsItem13Data


class BrainEventsListAnswerEventsItem13Data(TypedDict):
    # The answer.
    # The name of the source.
    source: str
    # The snapshot.
    snapshot: str
    # The revision of the plan. Send it back to apply exactly this plan.
    planRevision: int


class BrainEventsListAnswerEventsItem14(TypedDict):
    # Opaque; send it back as `after`
    cursor: str
    # What it is.
    type: Literal["snapshot.applied"]
    # ISO 8601 UTC with milliseconds
    occurredAt: str
    # The answer.
    data: BrainEventsListAnswerEventsItem14Data


class BrainEventsListAnswerEventsItem14Data(TypedDict):
    # The answer.
    # The name of the source.
    source: str
    # The snapshot.
    snapshot: str
    # The revision of the plan. Send it back to apply exactly this plan.
    planRevision: int
    # The id of the change that waits for review.
    reviewChange: NotRequired[str]


class BrainEventsListAnswerEventsItem15(TypedDict):
    # Opaque; send it back as `after`
    cursor: str
    # What it is.
    type: Literal["date.reached"]
    # ISO 8601 UTC with milliseconds
    occurredAt: str
    # The answer.
    data: BrainEventsListAnswerEventsItem15Data


class BrainEventsListAnswerEventsItem15Data(TypedDict):
    # The answer.
    # The record.
    record: RecordRef
    # The name of the field.
    field: str
    # How long before the date the reminder comes, as an ISO 8601 duration.
    offset: str
    # ISO 8601 UTC with milliseconds
    dueAt: str


class BrainEventsListAnswer(TypedDict):
    # The answer.
    # The events of this page.
    events: List[BrainEventsListAnswerEventsItem]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


BrainDatesListQuery = TypedDict(
    "BrainDatesListQuery",
    {
        "from": NotRequired["str"],
        "to": NotRequired["str"],
        "after": NotRequired["str"],
        "limit": NotRequired["int"],
        "order": NotRequired["Literal[\"asc\", \"desc\"]"],
    },
)


class BrainDatesListAnswer(TypedDict):
    # The answer.
    # Dates, in the order in which they come.
    dates: List[ComingDate]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class BrainWebhooksCreateBody(TypedDict):
    # The address to send events to: HTTPS and a public host.
    url: str
    # The types of events that are delivered.
    types: NotRequired[List[Literal["record.accepted", "record.deleted", "statement.asserted", "statement.retracted", "document.served", "document.retired", "schema.evolved", "change.staged", "change.decided", "change.published", "availability.changed", "snapshot.planned", "snapshot.applied", "date.reached"]]]
    # Opaque; send it back as `after`
    after: NotRequired[str]


class BrainWebhooksCreateAnswer(TypedDict):
    # The answer.
    # The webhook.
    webhook: BrainWebhook
    # Signs deliveries; shown once
    secret: str


class BrainWebhooksListAnswer(TypedDict):
    # The answer.
    # The webhooks.
    webhooks: List[BrainWebhookProgress]


# The answer.
BrainWebhooksDeleteAnswer = Union["AdminInvitationCodesDeleteAnswer"]


class BrainWebhooksPatchBody(TypedDict):
    # The address.
    url: NotRequired[str]
    # The types of events that are delivered.
    types: NotRequired[Union[List[Literal["record.accepted", "record.deleted", "statement.asserted", "statement.retracted", "document.served", "document.retired", "schema.evolved", "change.staged", "change.decided", "change.published", "availability.changed", "snapshot.planned", "snapshot.applied", "date.reached"]], None]]
    # Why it does not run at present.
    paused: NotRequired[bool]


class BrainWebhooksPatchAnswer(TypedDict):
    # The answer.
    # The webhook.
    webhook: BrainWebhookProgress


# The answer.
BrainWebhooksTestAnswer = Union["WebhookTest"]


BrainWebhooksRewindBody = TypedDict(
    "BrainWebhooksRewindBody",
    {
        "after": NotRequired["str"],
        "from": NotRequired["str"],
    },
)


# The answer.
BrainWebhooksRewindAnswer = Union["BrainWebhooksPatchAnswer"]


class BrainWebhooksRotateAnswer(TypedDict):
    # The answer.
    # The webhook.
    webhook: BrainWebhookProgress
    # Signs deliveries; shown once
    secret: str


BrainWebhooksDeliveriesQuery = Union["KeysListQuery"]


class BrainWebhooksDeliveriesAnswer(TypedDict):
    # The answer.
    # The deliveries of this page.
    deliveries: List[BrainWebhookDelivery]
    # Opaque; send it back as `after`
    cursor: str
    # True if there is more after this page.
    hasMore: bool


class BrainSearchQuery(TypedDict):
    # What to look for.
    q: str
    # How to search: by words, by meaning, or both.
    mode: NotRequired[Literal["hybrid", "lexical", "semantic"]]
    # The maximum number of items of the page.
    limit: NotRequired[int]
    # Your name for who reads. Receipts can be listed by it.
    consumerId: NotRequired[str]
    # Comma-separated: only items of these types
    types: NotRequired[str]
    # Comma-separated: only records of these kinds, and statements about them
    kinds: NotRequired[str]
    # Leaves out results with less evidence than this
    minEvidence: NotRequired[Literal["weak", "strong"]]
    # Has the best results put in order by the reranker that the operator set up, which takes longer. Without one, or when it does not respond in time, they stay as they are and `degraded` says so
    rerank: NotRequired[Literal["true", "false"]]
    # Read the Brain as it was at this stateVersion.
    asOf: NotRequired[int]


class BrainSearchAnswer(TypedDict):
    # The answer.
    # The hits, the best one first.
    results: List[SearchHit]
    # The best of its results; none where nothing here seems to answer the query
    evidence: Literal["strong", "weak", "none"]
    # How the search was done.
    mode: Literal["hybrid", "lexical", "semantic"]
    # Why the answer may be incomplete; absent if nothing lacks.
    degraded: NotRequired[List[Degradation]]
    # The receipt of the versions that were returned
    receipt: str
    # The Brain state that this belongs to
    stateVersion: int


BrainMcpBody = Union["RpcMessage"]


BrainMcpAnswer = Union["RpcAnswer"]


McpBody = Union["RpcMessage"]


McpAnswer = Union["RpcAnswer"]


OpenapiAnswer = Union["Dict[str, Any]"]
