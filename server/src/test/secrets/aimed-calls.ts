import type { Planted } from './plant.ts'

// Calls of every endpoint about what was planted, those that destroy last. What an MCP tool does is called with the same
// arguments.

export type Aimed = { params?: Record<string, string>; query?: Record<string, string>; body?: object }

const planted = { params: { id: 'planted' } }
const onWebhook = ({ webhook }: Planted): Aimed[] => [{ params: { id: webhook } }]
const onOrganizationWebhook = ({ organizationWebhook }: Planted): Aimed[] => [{ params: { id: organizationWebhook } }]
const onAgent = ({ agent }: Planted): Aimed[] => [{ params: { id: agent } }]
const onConversation = ({ conversation }: Planted): Aimed[] => [{ params: { id: conversation } }]
const onProject = ({ project }: Planted): Aimed[] => [{ params: { id: project } }]
const onRun = ({ run }: Planted): Aimed[] => [{ params: { id: run } }]
const everything = (): Aimed[] => [{}]
const item = { id: 'planned', text: 'zqcontent-snapshot', title: 'zqcontent-plan' }
const operationsOn = ({ record, statement, document }: Planted) => [
  { op: 'record.put', id: 'planted', ...record },
  { op: 'record.patch', id: 'planted' },
  { op: 'statement.assert', ...statement },
  { op: 'document.put', ...document },
]

/** What is called of each endpoint, in this order. */
export const aimedCalls: Readonly<Record<string, (planted: Planted) => Aimed[]>> = {
  whoami: everything,
  'brains.list': everything,
  'brains.get': everything,
  'keys.list': everything,
  'audit.list': everything,
  'accessRequests.submit': () => [{ body: { email: 'planted@example.com' } }],
  'admin.listEvents': everything,
  'admin.listOrganizations': everything,
  'admin.listMail': everything,
  'admin.invitationCodes.list': everything,
  'admin.invitationCodes.create': () => [{ body: { code: 'planted' } }],
  'admin.invitationCodes.delete': () => [{ params: { code: 'planted' } }],
  'admin.setBillingTier': ({ organizationId }) => [{ body: { tenantId: organizationId, tier: 'free' } }],
  'webhooks.list': everything,
  'webhooks.deliveries': onOrganizationWebhook,
  'projects.list': everything,
  'agents.list': everything,
  'agents.get': onAgent,
  'agents.versions': onAgent,
  'triggers.list': everything,
  'schedules.list': everything,
  'conversations.list': everything,
  'conversations.get': onConversation,
  'conversations.messages': onConversation,
  'packs.list': everything,
  'providers.list': everything,
  activity: everything,
  'runs.stream': onRun,
  'runs.messages': onRun,
  'runs.operations': onRun,
  'schemas.list': everything,
  'schemas.get': () => [{ params: { name: 'planted' } }],
  'brain.keys.list': everything,
  'brain.records.get': () => [planted, { ...planted, query: { asOf: '3' } }],
  'brain.records.list': () => [{}, { query: { kind: 'person', slug: 'zqcontent-slug' } }],
  'brain.records.history': () => [planted],
  'brain.statements.get': () => [planted, { params: { id: 'over' }, query: { retracted: 'true' } }],
  'brain.statements.list': () => [{}, { query: { retracted: 'true' } }, { query: { subject: 'planted' } }],
  'brain.documents.get': () => [planted],
  'brain.documents.list': everything,
  'brain.documents.versions': () => [planted],
  'brain.snapshots.get': ({ snapshot }) => [{ params: { source: 'sample', snapshot } }],
  'brain.snapshots.list': () => [{ params: { source: 'sample' } }],
  'brain.changes.list': everything,
  'brain.changes.get': ({ landed, pending, approved, decided }) =>
    [landed, pending, approved, decided].map((id) => ({ params: { id } })),
  'brain.schema.get': everything,
  'brain.schema.emerged': everything,
  'brain.schema.lineage': everything,
  'brain.events.list': everything,
  'brain.search': () => [{ query: { q: 'planted' } }],
  'brain.context': () => [{ body: { query: 'planted' } }],
  'brain.query': () => [
    { body: { kind: 'person', links: { depth: 1 } } },
    { body: { kind: 'declared', where: { choice: 'x' } } },
  ],
  'brain.receipts.get': ({ receipt }) => [{ params: { id: receipt } }],
  'brain.receipts.list': everything,
  'brain.webhooks.list': everything,
  'brain.webhooks.deliveries': onWebhook,
  'brain.export': everything,
  'brain.mcp': () => [{ body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }],
  mcp: () => [{ body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }],

  'brain.records.create': ({ record }) => [{ body: { kind: 'person' } }, { body: record }],
  'brain.records.put': ({ record }) => [
    { ...planted, body: record },
    { params: { id: 'elsewhere' }, body: record },
  ],
  'brain.records.patch': () => [
    { ...planted, body: {} },
    { ...planted, body: { fields: { added: 1 } } },
    { params: { id: 'retyped' }, body: { kind: 'strict' } },
    { ...planted, body: { kind: 'declared', fields: { choice: 1 } } },
  ],
  'brain.statements.assert': ({ statement }) => [
    { body: statement },
    { body: { ...statement, object: { value: 'another' } } },
    { body: { ...statement, subject: { id: 'planted', kind: 'company' } } },
  ],
  'brain.documents.put': ({ document }) => [
    { body: document },
    { body: { id: 'planted', text: 'What is planted: zqcontent-text.' } },
    { body: { id: 'planted', text: 'Another text' } },
  ],
  'brain.batch': (made) => [{ body: { operations: operationsOn(made) } }],
  'brain.snapshots.plan': () => [
    { params: { source: 'sample' }, body: { items: [item], complete: true } },
    { params: { source: 'sample' }, body: { items: [{ ...item, id: 'planted' }], complete: false } },
  ],
  'brain.snapshots.apply': ({ snapshot }) => [{ params: { source: 'sample', snapshot }, body: { planRevision: 1 } }],
  'brain.schema.evolve': () => [
    { body: { baseVersion: 1, operations: [{ op: 'addKind', kind: 'person', strict: true }] } },
    { body: { baseVersion: 1, operations: [{ op: 'setStrict', kind: 'declared', strict: true }] } },
    { body: { baseVersion: 1, operations: [{ op: 'addKind', kind: 'declared' }] } },
    { body: { baseVersion: 7, operations: [{ op: 'addKind', kind: 'person' }] } },
  ],
  'brain.schema.promote': () => [{ body: { emerged: ['person'] } }],
  'brain.webhooks.create': () => [{ body: { url: 'http://127.0.0.1:9/', types: ['date.reached'] } }],
  'brain.webhooks.test': onWebhook,
  'brain.webhooks.rewind': ({ webhook, cursor }) => [{ params: { id: webhook }, body: { after: cursor } }],
  'brain.webhooks.rotate': onWebhook,
  'brain.changes.rebase': ({ pending }) => [{ params: { id: pending } }],
  'brain.changes.decide': ({ pending, landed }) =>
    [pending, landed].map((id) => ({ params: { id }, body: { decision: 'rejected' } })),
  'brain.changes.publish': ({ approved }) => [{ params: { id: approved } }],
  'brain.changes.cancel': ({ cancellable }) => [{ params: { id: cancellable }, body: {} }],
  'brain.changes.revert': ({ landed, revertible }) => [landed, revertible].map((id) => ({ params: { id }, body: {} })),
  'brains.patch': () => [{ body: {} }, { body: { reviewRules: { always: [] } } }, { body: { mode: 'review' } }],
  'brains.put': () => [{ body: {} }],
  'keys.mint': () => [{ body: { name: 'sample' } }],
  'keys.revoke': ({ managementKey }) => [{ params: { id: managementKey } }],
  'brain.keys.mint': () => [{ body: { name: 'sample', capabilities: ['read'] } }],
  'brain.keys.rotate': ({ brainKey }) => [{ params: { keyId: brainKey } }],
  'brain.keys.revoke': ({ brainKey }) => [{ params: { keyId: brainKey } }],
  'webhooks.create': () => [{ body: { url: 'http://127.0.0.1:9/', events: ['run.completed'] } }],
  'webhooks.test': onOrganizationWebhook,
  'webhooks.rotate': onOrganizationWebhook,
  'webhooks.redeliver': ({ organizationWebhook: id, organizationDelivery: delivery }) => [{ params: { id, delivery } }],
  'projects.create': () => [{ body: { name: 'sample' } }],
  'projects.patch': (given) => onProject(given).map((call) => ({ ...call, body: {} })),
  'conversations.create': () => [{ body: { title: 'sample' } }],
  'schedules.create': ({ agent: agentId }) => [
    { body: { agentId, cron: '0 9 * * *', input: 'sample', enabled: false } },
  ],
  'schedules.patch': ({ schedule: id }) => [{ params: { id }, body: {} }],
  'packs.install': ({ brain: { handle: brain } }) => [{ params: { name: 'research-notes' }, body: { brain } }],
  'triggers.create': ({ agent: agentId, brain: { id: knowledgeGraphId } }) => [
    { body: { agentId, knowledgeGraphId, name: 'sample', enabled: false } },
  ],
  'triggers.patch': ({ trigger: id }) => [{ params: { id }, body: {} }],
  'agents.create': () => [{ body: { name: 'sample', instructions: 'Answer.', model: 'noema/extractive' } }],
  'agents.patch': (given) => onAgent(given).map((call) => ({ ...call, body: {} })),
  'providers.test': () => [{ params: { name: 'planted' } }, { params: { name: 'planted' }, body: { model: 'm' } }],
  'providers.put': () => [
    { params: { name: 'other' }, body: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/' } },
  ],
  'schemas.put': () => [{ params: { name: 'planted' }, body: { kinds: [] } }],
  'brain.hold': () => [{ body: { reason: 'zqreader-hold' } }],
  'brain.release': everything,
  'brain.import': everything,
  'brain.records.delete': () => [planted],
  'brain.statements.retract': () => [{ ...planted, body: {} }],
  'brain.documents.retire': () => [planted],
  'webhooks.delete': onOrganizationWebhook,
  'conversations.delete': onConversation,
  'schedules.delete': ({ schedule: id }) => [{ params: { id } }],
  'triggers.delete': ({ trigger: id }) => [{ params: { id } }],
  'agents.delete': onAgent,
  'projects.delete': onProject,
  'providers.delete': () => [{ params: { name: 'planted' } }],
  'brain.webhooks.delete': onWebhook,
  'brains.delete': everything,
}
