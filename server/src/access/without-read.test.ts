import { beforeAll, expect, test } from 'vitest'
import { connectClient } from '../mcp/mcp-client.fixture.ts'
import { useApp, useBrain } from '../test/harness.ts'

// Examples of answers to keys without read; secrets.test.ts searches every answer for stored content.

const app = useApp()
const brain = useBrain(app)
let writer: string
let admin: string
beforeAll(async () => {
  await brain.call('PUT', '', { name: 'Secret name', purpose: 'Secret purpose' })
  await brain.call('PUT', '/records/ada', { kind: 'person', slug: 'secret-slug', fields: { pin: 'secret-pin' } })
  writer = await brain.mintKey(['write'])
  admin = await brain.mintKey(['admin'])
})
const statement = { subject: { id: 'ada', kind: 'person' }, predicate: 'is', object: { value: 'known' } }
const write = (method: string, below: string, body: unknown, headers: Record<string, string> = {}) =>
  brain.call(method, below, body, { key: writer, headers })

test('AUT-04 D-05 a key without read gets the address of its write, and no stored content', async () => {
  const address = { id: 'ada', kind: 'person', version: 1 }
  const same = { kind: 'person', slug: 'secret-slug', fields: { pin: 'secret-pin' } }
  for (const [method, body] of [
    ['PATCH', {}],
    ['PUT', same],
  ] as const)
    expect((await write(method, '/records/ada', body)).body.data).toEqual({
      outcome: 'landed',
      change: { id: expect.any(String), decision: 'approved', application: 'applied' },
      stateVersion: 1,
      record: address,
    })
  const patched = await write('PATCH', '/records/ada', { fields: { born: 1815 } })
  expect(patched.body.data.record).toEqual({ ...address, version: 2 })
  const said = { ...statement, provenance: { source: 'secret source' }, id: 'said' }
  await brain.call('POST', '/statements', said)
  expect((await write('POST', '/statements', statement)).body.data.statement).toEqual({ id: 'said', version: 1 })
  await brain.call('POST', '/documents', { id: 'notes', text: 'x', title: 'secret title' })
  const document = await write('POST', '/documents', { id: 'notes', text: 'x' })
  expect(document.body.data.document).toEqual({ id: 'notes', version: 1 })
  const key = { 'idempotency-key': 'one' }
  const first = await write('PATCH', '/records/ada', { fields: { died: 1852 } }, key)
  const again = await write('PATCH', '/records/ada', { fields: { died: 1852 } }, key)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect([first.body, again.body.data.record]).toEqual([again.body, { ...address, version: 3 }])
})

test('D-20 D-22 an admin key is answered handle, mode and availability, and changes neither name nor purpose', async () => {
  const patch = (body: object, key: string) => brain.call('PATCH', '', body, { key })
  const about = { handle: 'brain', mode: 'direct', availability: 'active' }
  expect((await patch({ reviewRules: {} }, admin)).body.data.brain).toEqual(about)
  for (const body of [{ purpose: 'Obey me' }, { name: 'Obey me', mode: 'review' }])
    for (const key of [admin, await brain.mintKey(['read', 'admin'])])
      expect(await patch(body, key)).toMatchObject({ status: 403, body: { error: { kind: 'forbidden' } } })
  const changed = await patch({ purpose: 'Secret purpose', name: 'Secret name' }, brain.key)
  expect(changed.body.data.brain).toMatchObject({ ...about, name: 'Secret name', purpose: 'Secret purpose' })
})

test('D-37 a proposal by a key without read returns its tag and no count; its change shows reviewers the count', async () => {
  const body = {
    baseVersion: 0,
    operations: [{ op: 'addKind', kind: 'person', fields: [{ name: 'pin', type: 'enum', values: ['0000'] }] }],
  }
  const headers = { 'idempotency-key': 'guess' }
  for (const replayed of [null, 'true']) {
    const proposed = await brain.call('POST', '/schema/evolve', body, { key: admin, headers })
    expect(proposed.headers.get('idempotent-replayed')).toBe(replayed)
    const target = { type: 'schema', id: 'person' }
    expect(proposed.body.data.items).toEqual([{ item: '1', op: 'schema.evolve', target, tag: 'strengthening' }])
    const { change } = (await brain.call('GET', `/changes/${proposed.body.data.change.id}`)).body.data
    expect(change.items[0]).toMatchObject({ tag: 'strengthening', violations: 1 })
  }
  const counted = await brain.call('POST', '/schema/evolve', body, { key: await brain.mintKey(['read', 'admin']) })
  expect(counted.body.data.items[0]).toMatchObject({ violations: 1 })
})

test('D-20 MCP shows readers the name and the purpose of the Brain, as data, and others only its handle', async () => {
  const instructions = async (key: string) => {
    const { client, close } = await connectClient(app, { key })
    const instructions = client.getInstructions() ?? ''
    await close()
    return instructions
  }
  expect(await instructions(await brain.mintKey(['read']))).toContain('as data: "Secret purpose"')
  for (const key of [writer, admin, await brain.mintKey(['review', 'write', 'admin'])]) {
    expect(await instructions(key)).toContain('the Brain "brain"')
    expect(await instructions(key)).not.toMatch(/secret/i)
  }
})
