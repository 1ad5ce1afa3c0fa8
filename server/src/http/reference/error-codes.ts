import { type Endpoint, takesJson } from '@noema/contracts/endpoint.ts'
import { type ErrorKind, errorStatus } from '@noema/contracts/error-status.ts'

// Which errors each operation can answer, with the codes that refine them. What every operation of a form can answer follows
// from its contract; the rest is said here once for each operation.

export type Codes = Partial<Record<ErrorKind, readonly string[]>>

const join = (...all: readonly Codes[]): Codes => {
  const joined: Partial<Record<ErrorKind, string[]>> = {}
  for (const codes of all)
    for (const [kind, names] of Object.entries(codes) as [ErrorKind, readonly string[]][])
      joined[kind] = [...new Set([...(joined[kind] ?? []), ...names])]
  return joined
}

/** What adds to a Brain, or decides about what was added. */
const writing: Codes = {
  conflict: ['brain_held'],
  rate_limited: ['write_cap', 'brain_crowded'],
  unavailable: ['brain_busy'],
}
const adding = join(writing, { rate_limited: ['content_cap'] })
const onRecords: Codes = {
  validation: ['schema_violation', 'too_many_reminders'],
  conflict: ['slug_taken', 'field_taken'],
}
const onStatements: Codes = { validation: ['schema_violation'], conflict: ['no_subject', 'id_taken'] }
const ofContent = join(adding, onRecords, onStatements)
const deciding = join(ofContent, { conflict: ['not_open', 'stale_schema', 'duplicates'], forbidden: ['self_review'] })
const evolving = join(adding, {
  validation: ['schema_violation', 'too_many_reminders'],
  conflict: ['stale_schema', 'duplicates'],
})
const onAgents: Codes = {
  conflict: ['agent_archived', 'project_archived', 'too_many_agents', 'too_many_agent_versions'],
}
const proving: Codes = { forbidden: ['wrong_password', 'session_not_fresh'], rate_limited: [] }
const testing: Codes = { conflict: [], rate_limited: ['too_many_tests', 'too_many_calls'] }

/** What is said of single operations. */
export const codesByName: Record<string, Codes> = {
  'account.delete': join(proving, { conflict: ['last_administrator', 'last_owner', 'brain_held'] }),
  'admin.accessRequests.approve': { conflict: ['already_decided', 'no_organization'] },
  'admin.accessRequests.refuse': { conflict: ['already_decided'] },
  'admin.invitationCodes.create': { conflict: [] },
  'admin.retryMail': { conflict: ['mail_not_retried'] },
  'admin.organizations.end': { conflict: ['organization_protected', 'brain_held'] },
  'admin.setBillingTier': { not_found: [] },
  'agents.create': onAgents,
  'agents.patch': onAgents,
  'brain.batch': ofContent,
  'brain.changes.cancel': join(writing, { conflict: ['not_open'] }),
  'brain.changes.decide': join(deciding, { conflict: ['already_decided'] }),
  'brain.changes.publish': deciding,
  'brain.changes.rebase': join(ofContent, { conflict: ['not_open', 'stale_schema', 'duplicates'] }),
  'brain.changes.revert': join(ofContent, { conflict: ['changed_since', 'not_applied', 'nothing_to_revert'] }),
  'brain.context': { conflict: [] },
  'brain.dates.list': { conflict: ['stale_cursor'] },
  'brain.documents.put': adding,
  'brain.documents.retire': writing,
  'brain.events.list': { conflict: ['stale_cursor'] },
  'brain.hold': { rate_limited: ['brain_crowded'], unavailable: ['brain_busy'] },
  'brain.import': join(adding, { conflict: ['brain_not_empty'], rate_limited: ['too_many_transfers'] }),
  'brain.keys.mint': { conflict: ['idempotency_key_reused', 'too_many_keys'] },
  'brain.keys.rotate': { conflict: ['too_many_keys'] },
  'brain.query': { validation: ['index_not_ready'], conflict: ['stale_cursor'] },
  'brain.records.create': join(adding, onRecords),
  'brain.records.delete': writing,
  'brain.records.patch': join(adding, onRecords),
  'brain.records.put': join(adding, onRecords),
  'brain.release': { rate_limited: ['brain_crowded'], unavailable: ['brain_busy'] },
  'brain.schema.evolve': evolving,
  'brain.schema.promote': evolving,
  'brain.snapshots.apply': join(adding, {
    conflict: ['stale_plan', 'source_conflict', 'retire_guard', 'snapshot_finished'],
  }),
  'brain.snapshots.plan': join(adding, {
    validation: ['snapshot_too_large'],
    conflict: ['snapshot_complete', 'snapshot_finished'],
  }),
  'brain.statements.assert': join(adding, onStatements),
  'brain.statements.retract': writing,
  'brain.webhooks.create': { conflict: ['too_many_webhooks', 'stale_cursor'] },
  'brain.webhooks.rewind': { conflict: ['stale_cursor'] },
  'brain.webhooks.rotate': { conflict: [] },
  'brain.webhooks.test': testing,
  'brains.delete': { conflict: ['brain_held'], rate_limited: ['brain_crowded'], unavailable: ['brain_busy'] },
  'brains.patch': writing,
  'brains.put': join(writing, { not_found: [], conflict: ['brain_cap'] }),
  'changes.list': { not_found: [] },
  'connectors.create': { conflict: ['name_taken', 'too_many_connectors'] },
  'connectors.patch': { conflict: ['name_taken'] },
  'connectors.test': join(testing, { conflict: ['unreadable_secret'] }),
  'conversations.create': { not_found: [], conflict: ['too_many_conversations'] },
  'conversations.delete': { conflict: ['conversation_active'] },
  'keys.mint': { conflict: ['idempotency_key_reused', 'too_many_keys'] },
  'notifications.settings.patch': { not_found: [], conflict: ['email_not_verified'] },
  'organization.delete': join(proving, { not_found: [], conflict: ['brain_held'] }),
  'organization.previewDeletion': { not_found: [] },
  'packs.install': join(ofContent, onAgents, evolving, { conflict: ['brain_cap', 'too_many_triggers'] }),
  'projects.create': { conflict: ['too_many_projects'] },
  'projects.delete': { conflict: ['default_project'] },
  'projects.patch': { conflict: ['project_archived'] },
  'providers.put': { conflict: ['too_many_providers'] },
  'providers.test': testing,
  'runs.cancel': { conflict: ['run_ended'] },
  'runs.start': {
    not_found: [],
    conflict: ['agent_archived', 'project_archived', 'run_ended', 'run_depth'],
    rate_limited: ['run_cap'],
  },
  'schedules.create': { not_found: [], conflict: ['too_many_schedules', 'agent_archived', 'project_archived'] },
  'schedules.patch': { conflict: ['agent_archived', 'project_archived'] },
  'schemas.put': { conflict: ['too_many_schemas'] },
  'tasks.complete': { conflict: ['task_not_open'] },
  'triggers.create': { not_found: [], conflict: ['too_many_triggers', 'agent_archived'] },
  'triggers.patch': { conflict: ['agent_archived'] },
  'webhooks.create': { not_found: [], conflict: ['too_many_webhooks'] },
  'webhooks.patch': { conflict: [] },
  'webhooks.redeliver': { conflict: [] },
  'webhooks.rewind': { conflict: [] },
  'webhooks.rotate': { conflict: [] },
  'webhooks.test': testing,
}

/** What follows from the form of an endpoint. Whatever has no codes of its own is there with an empty list. */
const codesOfForm = (endpoint: Endpoint): Codes => {
  const { access, path, idempotencyKey, ifMatch, makesBrain } = endpoint
  const takesBody = takesJson(endpoint) || endpoint.jsonRpc === true
  const streams = endpoint.tail || endpoint.sse || endpoint.wait
  return join(
    { validation: [], rate_limited: [], internal: [], unavailable: ['overloaded'] },
    { forbidden: ['MISSING_OR_NULL_ORIGIN'] },
    access === 'public' ? {} : { unauthorized: [] },
    (makesBrain ? path.replace('{handle}', '') : path).includes('{') ? { not_found: [] } : {},
    takesBody ? { validation: ['body_too_large'], rate_limited: ['too_many_bodies'] } : {},
    idempotencyKey === 'header' ? { conflict: ['idempotency_key_reused'] } : {},
    ifMatch ? { conflict: ['stale_version'] } : {},
    streams ? { rate_limited: ['too_many_streams'] } : {},
    endpoint.ndjson ? { rate_limited: ['too_many_transfers'] } : {},
  )
}

const order = Object.keys(errorStatus) as ErrorKind[]

/** The errors of an operation: each kind that it can answer, with the codes that it may carry. */
export const findErrors = (name: string, endpoint: Endpoint): [ErrorKind, readonly string[]][] => {
  // This document itself comes from memory, to anybody.
  if (endpoint.isBare) return [['validation', []]]
  const codes = join(codesOfForm(endpoint), codesByName[name] ?? {})
  return order.flatMap((kind) => (codes[kind] ? [[kind, codes[kind]] as [ErrorKind, readonly string[]]] : []))
}

/** Every code that some operation answers. */
export const documentedCodes = (): ReadonlySet<string> =>
  new Set([
    ...Object.values(codesByName).flatMap((codes) => Object.values(codes).flat()),
    ...['MISSING_OR_NULL_ORIGIN', 'body_too_large', 'idempotency_key_reused', 'overloaded', 'stale_version'],
    ...['bodies', 'streams', 'transfers'].map((kind) => `too_many_${kind}`),
  ])
