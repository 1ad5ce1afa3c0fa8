import type { Call } from './callers.ts'

// An organization with content for every page. A page whose path has a parameter needs a line in `toAddress`, and its item must
// be created in `seed`.

const brain = '/v1/brains/handbook'

const writeBrain = async (call: Call) => {
  await call('PUT', brain, { purpose: 'What the team knows about its work' })
  await call('POST', `${brain}/batch`, {
    operations: [
      { op: 'record.put', id: 'ada', kind: 'person', fields: { name: 'Ada', role: 'Keeps the harbour log' } },
      {
        op: 'record.put',
        id: 'bo',
        kind: 'person',
        fields: { name: 'Bo' },
        links: [{ predicate: 'reports to', to: 'ada' }],
      },
      { op: 'document.put', id: 'wiki/harbour.md', title: 'Harbour', text: 'The harbour is closed in winter.' },
      {
        op: 'statement.assert',
        id: 'keeps',
        subject: { id: 'ada', kind: 'person' },
        predicate: 'keeps',
        object: { value: 'the harbour log' },
      },
    ],
  })
  const { receipt } = await call('GET', `${brain}/search?q=harbour`)
  await call('POST', `${brain}/keys`, { name: 'support-agent', capabilities: ['read', 'write'] })
  // No receiver listens there, and no event of this type occurs.
  const hook = { url: 'http://127.0.0.1:9/hook', types: ['date.reached'] }
  const { webhook } = await call('POST', `${brain}/webhooks`, hook)
  const planned = await call('POST', `${brain}/sources/wiki/snapshots`, {
    items: [{ id: 'wiki/harbour.md', title: 'Harbour', text: 'The harbour is open all year.' }],
    complete: false,
  })
  return {
    webhook: String(webhook.id),
    receipt: String(receipt),
    snapshot: String(planned.snapshot.snapshot ?? planned.snapshot.id),
  }
}

const stageChange = async (call: Call) => {
  await call('PUT', '/v1/brains/reviewed', { mode: 'review' })
  await call('POST', '/v1/brains/reviewed/records', { kind: 'person', fields: { name: 'Chen' } })
  const { changes } = await call('GET', '/v1/changes')
  return String(changes.find((change: { brain: { handle: string } }) => change.brain.handle === 'reviewed').id)
}

const runAgent = async (call: Call) => {
  const { agent } = await call('POST', '/v1/agents', {
    name: 'Reader',
    instructions: 'Answer from the Brain.',
    model: 'noema/extractive',
    brains: [{ handle: 'handbook', access: 'read_only' }],
  })
  const { run } = await call('POST', '/v1/runs', { agentId: agent.id, input: 'When is the harbour closed?' })
  const { conversation } = await call('POST', '/v1/conversations', { agentId: agent.id, title: 'Harbours' })
  return { agent: String(agent.id), run: String(run.runId), conversation: String(conversation.id) }
}

/** Adds content to the operator's pages. The caller must be an administrator of the service. */
export const seedAdministration = async (call: Call) => {
  await call('POST', '/v1/access-requests', { email: 'stranger@example.com', message: 'We would like to try it.' })
  await call('POST', '/v1/admin/invitation-codes', { code: 'spring-2027', label: 'Spring', maxUses: 10 })
}

const automate = async (call: Call, agentId: string) => {
  const { brain: found } = await call('GET', brain)
  const { trigger } = await call('POST', '/v1/automations/triggers', {
    ...{ knowledgeGraphId: found.id, agentId, name: 'New pages', expectedOutcome: 'Say what changed.' },
    kindScopes: [{ entityKind: 'document' }],
  })
  await call('POST', `${brain}/documents`, { id: 'wiki/quay.md', text: 'The quay is new.' })
  const { schedule } = await call('POST', '/v1/schedules', { agentId, cron: '0 9 * * 1-5', input: 'What is new?' })
  return { trigger: String(trigger.id), schedule: String(schedule.id) }
}

const hookOrganization = async (call: Call) => {
  const { webhook } = await call('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['run.failed'] })
  return String(webhook.id)
}

/** Fills an organization. Returns a function from the path of a page to its URL. */
export const seed = async (call: Call): Promise<(path: string) => string | undefined> => {
  const { organizations } = await call('GET', '/v1/whoami')
  const { webhook, receipt, snapshot } = await writeBrain(call)
  const change = await stageChange(call)
  const { agent, run, conversation } = await runAgent(call)
  const { trigger, schedule } = await automate(call, agent)
  const hook = await hookOrganization(call)
  await call('POST', '/v1/evals', {
    name: 'Harbours',
    target: { brain: 'handbook', read: 'search' },
    cases: [{ id: 'closed', input: 'When is the harbour closed?', expected: { evidence: 'weak' } }],
    graders: [{ type: 'evidence' }],
  })
  await call('POST', '/v1/artifacts?path=reports/q3.json', { orders: 12 })
  await call('PUT', '/v1/schemas/people', { kinds: [{ kind: 'person', fields: [{ name: 'name', type: 'string' }] }] })
  const things: Readonly<Record<string, string>> = {
    '/settings/webhooks/$id': `/settings/webhooks/${hook}`,
    '/brains/$handle/records/$id': '/brains/handbook/records/ada',
    '/brains/$handle/statements/$id': '/brains/handbook/statements/keeps',
    '/brains/$handle/documents/$id': '/brains/handbook/documents/wiki%2Fharbour.md',
    '/brains/$handle/sources/$source/snapshots/$snapshot': `/brains/handbook/sources/wiki/snapshots/${snapshot}`,
    '/brains/$handle/webhooks/$id': `/brains/handbook/webhooks/${webhook}`,
    '/brains/$handle/playground': '/brains/handbook/playground?q=harbour',
    '/brains/$handle/graph': '/brains/handbook/graph?seed=ada',
    '/brains/$handle/receipts/$id': `/brains/handbook/receipts/${receipt}`,
    '/brains/$handle/changes': '/brains/reviewed/changes',
    '/brains/$handle/changes/$id': `/brains/reviewed/changes/${change}`,
    '/automations/triggers/$id': `/automations/triggers/${trigger}`,
    '/automations/schedules/$id': `/automations/schedules/${schedule}`,
    '/settings/schemas/$name': '/settings/schemas/people',
    '/agents/$id': `/agents/${agent}`,
    '/agents/$id/chat': `/agents/${agent}/chat`,
    '/runs/$id': `/runs/${run}`,
    '/admin/organizations/$id': `/admin/organizations/${organizations[0].id}`,
    '/conversations/$id': `/conversations/${conversation}`,
  }
  return (path) => {
    const address = things[path] ?? path.replace('$handle', 'handbook')
    return address.includes('$') ? undefined : address
  }
}
