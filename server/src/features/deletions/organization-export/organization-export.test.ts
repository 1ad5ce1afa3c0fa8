import { organizationExportLine } from '@noema/contracts/deletions.ts'
import { expect, test } from 'vitest'
import { addBrain, createMember, type TestBrain } from '../../../test/app.ts'
import { useBrain, useOwnApp } from '../../../test/harness.ts'
import { callOrganizations, joinOrganization } from '../../../test/organizations.ts'
import { plant } from '../../../test/secrets/plant.ts'

const app = useOwnApp()
const brain = useBrain(app)

const send = (path: string, key: string, init: RequestInit = {}) =>
  fetch(app.base + path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } })

/** The lines of an organization's export: its own, and those of each Brain by its handle. */
const readExport = async (key: string, query = '') => {
  const response = await send(`/v1/organization/export${query}`, key)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  const own: Record<string, unknown>[] = []
  const brains = new Map<string, string[]>()
  let reading: string[] | undefined
  const lines = (await response.text()).split('\n').filter((line) => line !== '')
  for (const line of lines) {
    const value = JSON.parse(line)
    expect(organizationExportLine.safeParse(value).error).toBeUndefined()
    if (reading) reading.push(line)
    else own.push(value)
    if (value.brainExport) {
      reading = []
      brains.set(value.brainExport.handle, reading)
    }
    if (value.trailer) reading = undefined
  }
  return { own, brains, count: lines.length }
}

const importInto = async ({ key }: Pick<TestBrain, 'key'>, handle: string, lines: readonly string[]) => {
  await send(`/v1/brains/${handle}`, key, { method: 'PUT' })
  const headers = { 'content-type': 'application/x-ndjson' }
  return send(`/v1/brains/${handle}/import`, key, { method: 'POST', headers, body: `${lines.join('\n')}\n` })
}

test('END-08 an organization is exported as one stream, and each Brain of it is imported again as it was', async () => {
  await plant(app, brain, 'planted')
  await brain.call('PUT', '/records/one', { kind: 'note', fields: { text: 'first' } })
  await brain.call('PATCH', '/records/one', { fields: { text: 'second' } })
  const { own, brains, count } = await readExport(brain.key, '?history=true')
  const sorts = own.map((line) => Object.keys(line)[0])
  expect([sorts[0], sorts.at(-1)]).toEqual(['organization', 'end'])
  for (const sort of [
    'member',
    'organizationSchema',
    'corpus',
    'pack',
    'goal',
    'evalVersion',
    'evalCase',
    'rubric',
    'project',
    'agentVersion',
    'connector',
    'provider',
    'trigger',
    'schedule',
    'artifact',
    'artifactChunk',
  ])
    expect(sorts).toContain(sort)
  expect(own.at(-1)).toEqual({ end: { lines: count, brains: 2 } })
  const chunks = own.flatMap(({ artifactChunk }) => (artifactChunk as { base64: string } | undefined)?.base64 ?? [])
  expect(Buffer.from(chunks.join(''), 'base64').toString()).toBe('zqorganization-file')
  const { entries } = (await app.request('GET', '/v1/audit?limit=500', { key: brain.key })).body.data
  expect(own.filter((line) => line.auditEntry)).toHaveLength(entries.length)
  expect([...brains.keys()]).toEqual(['brain', 'planted'])
  const other = await createMember(app)
  for (const [handle, lines] of brains) {
    expect((await importInto(other, handle, lines)).status).toBe(200)
    const again = await send(`/v1/brains/${handle}/export?history=true`, other.key)
    expect((await again.text()).trimEnd().split('\n')).toEqual(lines)
  }
})

test('END-08 no secret is in an export', async () => {
  const response = await send('/v1/organization/export', brain.key)
  const text = await response.text()
  expect(text).not.toContain('zqsealed-')
  expect(text).not.toMatch(/n[sb]k_[0-9A-Za-z]{20}/)
  expect(text).not.toMatch(/whsec_/)
})

test('END-08 it is for owners: signed in, or by a key that one of them minted', async () => {
  const admin = await joinOrganization(app, brain, 'admin')
  const minted = await app.request('POST', '/v1/keys', { headers: admin.session, body: { name: 'admin' } })
  const path = '/v1/organization/export'
  expect((await app.request('GET', path, { key: minted.body.data.secret })).status).toBe(403)
  expect((await app.request('GET', path, { headers: admin.session })).status).toBe(403)
  expect((await app.request('GET', path, { headers: brain.session })).status).toBe(200)
  expect((await app.request('GET', path, { key: await brain.mintKey(['read', 'admin']) })).status).toBe(401)
})

test('END-08 SUR-04 an export of an organization takes one place of its transfers, however many Brains it has', async () => {
  const node = await app.startNode({ NOEMA_MAX_TRANSFERS: '1/1/1' })
  const owned = await createMember(app)
  for (const handle of ['one', 'two', 'three']) await addBrain(app, owned, handle)
  const answer = await node.request('GET', '/v1/organization/export', { key: owned.key })
  expect(answer.status).toBe(200)
  expect((await node.request('GET', '/v1/organization/export', { key: owned.key })).status).toBe(200)
  await node.close()
})

test('END-08 it pages through more members, entries and Brains than one read takes', async () => {
  const owned = await createMember(app)
  const { organizationId } = owned
  await callOrganizations(app, owned, 'update', { organizationId, data: { name: 'Many' } })
  await app.database.pool.query(
    `insert into audit_entries (organization_id, id, at, actor, action, target_type, target_id, target)
     select $1, 'aud_' || lpad(number::text, 10, '0'), now(), '{"type":"system","id":"test"}', 'key.minted', 'key', 'key',
       '{"type":"key","id":"key"}' from generate_series(1, 1200) as number`,
    [organizationId],
  )
  for (let version = 1; version <= 20; version++)
    await app.request('PUT', '/v1/schemas/many', { key: owned.key, body: { kinds: [{ kind: `kind-${version}` }] } })
  const { own } = await readExport(owned.key)
  expect(own.filter((line) => line.auditEntry).length).toBeGreaterThanOrEqual(1_202)
  expect(own.filter((line) => line.organizationSchema)).toHaveLength(20)
})

test('END-08 ACC-04 an owner exports nothing of a Brain that is not open to them, nor of what may hold its content', async () => {
  const owned = await addBrain(app, await createMember(app), 'closed')
  await plant(app, owned, 'closed')
  const other = await joinOrganization(app, owned, 'owner')
  const make = async (path: string, body: object) => {
    const answer = await app.request('POST', path, { headers: owned.session, body })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body.data
  }
  const { agent } = await make('/v1/agents', {
    ...{ name: 'zqhidden-agent', instructions: 'zqhidden-text', model: 'noema/extractive' },
    brains: [{ handle: 'closed', access: 'read_only' }],
  })
  const agentId = agent.id
  await make('/v1/schedules', { agentId, cron: '0 9 * * *', input: 'zqhidden-schedule', enabled: false })
  const patch = async (path: string, body: object) =>
    expect((await app.request('PATCH', path, { headers: owned.session, body })).status).toBe(200)
  // Earlier versions stay hidden with what they read.
  const former = await make('/v1/agents', {
    ...{ name: 'Former', instructions: 'zqhidden-former', model: 'noema/extractive' },
    brains: [{ handle: 'closed', access: 'read_only' }],
  })
  await patch(`/v1/agents/${former.agent.id}`, { instructions: 'Be brief.', brains: [] })
  const tested = await make('/v1/evals', {
    ...{ name: 'Former', target: { brain: 'closed', read: 'search' }, graders: [{ type: 'found' }] },
    cases: [{ id: 'one', input: 'zqhidden-case', expected: { found: [{ type: 'document', id: 'a' }] } }],
  })
  await addBrain(app, owned, 'open')
  await patch(`/v1/evals/${tested.eval.id}`, {
    target: { brain: 'open', read: 'search' },
    cases: [{ id: 'two', input: 'An open case.', expected: { found: [{ type: 'document', id: 'a' }] } }],
  })
  const criteria = [{ type: 'contains', values: ['zqhidden-criterion'] }]
  await make('/v1/goals', { agentId, objective: 'zqhidden-objective', criteria })
  await app.request('PATCH', `${owned.path}/access`, { headers: owned.session, body: { openTo: 'members' } })
  const read = async ({ session }: Pick<TestBrain, 'session'>) => {
    const response = await fetch(`${app.base}/v1/organization/export`, { headers: session })
    const lines = (await response.text()).trimEnd().split('\n')
    return lines.filter((line) => !line.startsWith('{"auditEntry"')).join('\n')
  }
  expect(await read(owned)).toMatch(/zqhidden-case.*zqhidden-text.*zqhidden-schedule/s)
  const exported = await read(other)
  expect(exported).toContain('"end"')
  expect(exported).toContain('An open case.')
  expect(exported).toContain('Be brief.')
  expect(exported).not.toMatch(/zqhidden-|zqcontent-|zqorganization-trigger/)
})
