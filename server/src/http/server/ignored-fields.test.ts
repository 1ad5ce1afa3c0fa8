import { expect, test } from 'vitest'
import { useApp, useBrain, useMember } from '../../test/harness.ts'

const app = useApp()
const brain = useBrain(app)
const member = useMember(app)
const strict = { prefer: 'handling=strict' }

const ignored = async (method: string, below: string, body: unknown, headers: Record<string, string> = {}) => {
  const answer = await brain.call(method, below, body, { headers })
  return [answer.status, answer.headers.get('ignored-fields')]
}

test('D-04b fields that are not declared are dropped and named, at any depth and in every alternative', async () => {
  await brain.call('PUT', '/records/ada', { kind: 'person' })
  const subject = { id: 'ada', kind: 'person' }
  expect(
    await ignored('POST', '/records', { kind: 'a', feilds: { x: 1 }, links: [{ predicate: 'p', to: 'x', too: 1 }] }),
  ).toEqual([201, 'feilds, links.0.too'])
  const operations = [
    { op: 'record.create', kind: 'a', tilte: 1 },
    { op: 'document.put', text: 'x', source: { name: 's', urii: 'x' } },
  ]
  expect(await ignored('POST', '/batch', { operations, why: 'x' })).toEqual([
    200,
    'operations.0.tilte, operations.1.source.urii, why',
  ])
  const values = { record: { id: 'ada', kind: 'person', version: 1 }, extra: 1 }
  expect(await ignored('POST', '/statements', { subject, predicate: 'p', object: values })).toEqual([
    201,
    'object.record.version, object.extra',
  ])
  expect(
    await ignored('POST', '/statements', { subject, predicate: 'q', object: { value: { any: 1 }, extra: 1 } }),
  ).toEqual([201, 'object.extra'])
  const scope = { brain: 'brain', extra: 1 }
  const body = { url: 'http://127.0.0.1:9/', events: ['knowledge.corrected'], scope }
  const hook = await app.request('POST', '/v1/webhooks', {
    key: member.key,
    body: { ...body, scope: { brain: 'x', extra: 1 } },
  })
  expect([hook.status === 400 ? 'refused' : 'taken', hook.headers.get('ignored-fields')]).toEqual([
    'taken',
    'scope.extra',
  ])
  expect(await ignored('DELETE', '/records/ada', { reason: 'x' })).toEqual([200, 'reason'])
})

test('D-04b fields that are not declared are named in lists that replace another form', async () => {
  const agent = { name: 'Quotes', instructions: 'Answer.', model: 'noema/extractive' }
  const made = await app.request('POST', '/v1/agents', { key: member.key, body: agent })
  const part = { type: 'text', text: 'Who?', state: 'done' }
  const input = [
    { role: 'user', text: 'Hello', name: 'm1' },
    { role: 'user', parts: [part] },
  ]
  const start = (headers: Record<string, string>) =>
    app.request('POST', '/v1/runs', { key: member.key, body: { agentId: made.body.data.agent.id, input }, headers })
  const answer = await start({})
  expect([answer.status, answer.headers.get('ignored-fields')]).toEqual([202, 'input.0.name, input.1.parts.0.state'])
  const refused = await start(strict)
  expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'body.input.0'])
})

test('D-04b open objects of a contract have no undeclared fields', async () => {
  const open = { kind: 'a', fields: { anything: { at: ['all'] } } }
  expect(await ignored('POST', '/records', open, strict)).toEqual([201, null])
  const document = { text: 'open', metadata: { any: { thing: 1 } } }
  expect(await ignored('POST', '/documents', document, strict)).toEqual([201, null])
})

test('D-04b Prefer: handling=strict refuses them with the accepted names, and writes nothing', async () => {
  const before = (await brain.call('GET', '')).body.data.brain.stateVersion
  for (const prefer of ['handling=strict', 'wait=10, Handling="strict"; x=y', 'respond-async,handling=strict']) {
    const answer = await brain.call('POST', '/records', { kind: 'a', feilds: {}, slgu: 1 }, { headers: { prefer } })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('preference-applied')).toBe('handling=strict')
    expect(answer.body.error).toMatchObject({
      kind: 'validation',
      message:
        'body: This takes no "feilds", "slgu"; it takes kind, slug, fields, links, expiresAt, provenance, corrects.',
      details: [{ path: 'body' }],
    })
  }
  const batch = {
    operations: [
      { op: 'record.create', kind: 'a' },
      { op: 'record.create', kind: 'a', feilds: {} },
    ],
  }
  const refused = await brain.call('POST', '/batch', batch, { headers: strict })
  expect(refused.body.error.details[0].path).toBe('body.operations.1')
  const applied = await brain.call('PUT', '/records/b', { kind: 'b' }, { headers: strict })
  expect([applied.status, applied.headers.get('preference-applied')]).toEqual([201, 'handling=strict'])
  for (const prefer of ['handling=lenient', 'strict', 'xhandling=strict', 'handling=stricter'])
    expect(await ignored('PUT', '/records/b', { kind: 'b', x: 1 }, { prefer })).toEqual([200, 'x'])
  expect((await brain.call('GET', '')).body.data.brain.stateVersion).toBe(before + 1)
})

test('D-04b a decision whose fields are misspelt is refused before it decides anything', async () => {
  await brain.call('PATCH', '', { reviewRules: { always: ['record.delete'] } })
  await brain.call('PUT', '/records/kept', { kind: 'a' })
  const { id } = (await brain.call('DELETE', '/records/kept')).body.data.change
  const decide = (body: object) => brain.call('POST', `/changes/${id}/decide`, body, { headers: strict })
  expect((await decide({ decision: 'approved', publishAt: '2099-01-01T00:00:00Z' })).status).toBe(400)
  expect((await decide({ decision: 'approved', edits: { '1': { feilds: {} } } })).body.error.details[0].path).toBe(
    'body.edits.1',
  )
  expect((await brain.call('GET', `/changes/${id}`)).body.data.change.decision).toBe('pending')
})

test('D-04b IDM-01 a repeat under an idempotency key names what its own body had, and a strict one is refused', async () => {
  const key = { 'idempotency-key': 'spelt' }
  const body = { kind: 'a', feilds: 1 }
  const answers = [
    await brain.call('POST', '/records', body, { headers: key }),
    await brain.call('POST', '/records', body, { headers: key }),
  ]
  expect(answers.map(({ headers }) => [headers.get('ignored-fields'), headers.get('idempotent-replayed')])).toEqual([
    ['feilds', null],
    ['feilds', 'true'],
  ])
  expect((await brain.call('POST', '/records', body, { headers: { ...key, ...strict } })).status).toBe(400)
})

test('D-04b the header stays small and legible, whatever a body is called', async () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`name${index}`.padEnd(150, 'é, %'), 1]))
  const answer = await brain.call('POST', '/records', { kind: 'a', ...many })
  const fields = answer.headers.get('ignored-fields') ?? ''
  expect(answer.status).toBe(201)
  expect(fields.length).toBeLessThan(1_100)
  expect(fields).toMatch(/^name0[\x21-\x7e, ]+, \+49\d\d$/)
  const odd = await brain.call('POST', '/records', { kind: 'a', 'a,b\r\nset-cookie: x': 1 })
  expect(odd.headers.get('ignored-fields')).toBe('a%2Cb%0D%0Aset-cookie:%20x')
  const refused = await brain.call('POST', '/records', { kind: 'a', ...many }, { headers: strict })
  expect(refused.status).toBe(400)
  expect(JSON.stringify(refused.body).length).toBeLessThan(10_000)
})
