import { createHash, randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { moveFiles } from '../../../operator/move-files.ts'
import { createMember, startTestApp, type TestApp, type TestMember, testSecret } from '../../../test/app.ts'
import { type ObjectServer, startObjectServer } from '../../../test/object-server.ts'
import { createOrganizationErasing } from '../../deletions/organization-deletion/erase-organization.ts'
import { eraseDueBodies, eraseLostObjects } from './erase-bodies.ts'
import { useFiles } from './use-files.fixture.ts'

// Files in a store of objects that fails, or that is set or given up while there are files.

const MiB = 1024 * 1024
/** `app` has the store; nodes on the same database: `plain` does not have it, `hurried` waits for it no longer than a second. */
const app = {} as TestApp
const plain = {} as Awaited<ReturnType<TestApp['startNode']>>
const hurried = {} as typeof plain
const server = {} as ObjectServer
beforeAll(async () => {
  Object.assign(server, await startObjectServer())
  Object.assign(app, await startTestApp({ ...server.settings, NOEMA_MAX_FILES: '4/2/2' }))
  Object.assign(hurried, await app.startNode({ NOEMA_ARTIFACT_S3_SECONDS: '1' }))
  const without = Object.fromEntries(Object.keys(server.settings).map((name) => [name, '']))
  Object.assign(plain, await app.startNode(without))
})
afterEach(() => server.open())
afterAll(async () => {
  await plain.close()
  await hurried.close()
  await app.close()
  await server.close()
})

const { upload, download, select, readKept } = useFiles(app, {
  count: (organizationId) => server.count(organizationId),
})
const withKey = ({ key }: Pick<TestMember, 'key'>) => ({ authorization: `Bearer ${key}` })
const toContent = ({ body }: Awaited<ReturnType<typeof upload>>) => `/v1/artifacts/${body.data.artifact.id}/content`
const toHash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const countRows = async ({ organizationId }: TestMember) =>
  (await select('select from artifact_chunks where organization_id = $1', organizationId)).length
const move = (to: 'store' | 'database') =>
  moveFiles({
    ...{ to, cwd: '/' },
    env: { ...server.settings, NOEMA_DATABASE_URL: app.database.url, NOEMA_SECRET: testSecret },
  })

test('FIL-20 files from before a store was set stay readable, new ones are objects of at most 2 MiB, and a node without the store says so', async () => {
  const member = await createMember(app)
  const bytes = randomBytes(5 * MiB)
  const earlier = await upload(member, 'earlier', { body: bytes, base: plain.base })
  expect(await server.count(member.organizationId)).toBe(0)
  const later = await upload(member, 'later', { body: bytes })
  const sizes = [...(await server.list(member.organizationId)).values()]
  expect(sizes.sort()).toEqual([MiB, 2 * MiB, 2 * MiB])
  for (const file of [earlier, later])
    expect(toHash((await download(toContent(file), withKey(member))).bytes)).toBe(toHash(bytes))
  expect((await download(plain.base + toContent(earlier), withKey(member))).status).toBe(200)
  const refused = await download(plain.base + toContent(later), withKey(member))
  expect([refused.status, refused.bytes.toString()]).toEqual([503, expect.stringContaining('Try again later')])
  expect(app.logLines.join()).toContain('NOEMA_ARTIFACT_S3_URL is not set')
})

test('FIL-23 files move into the store and back while they are read, and none is lost when the move is interrupted', async () => {
  const member = await createMember(app)
  const bytes = randomBytes(12 * MiB + 5)
  const file = await upload(member, 'large', { body: bytes, base: plain.base })
  await upload(member, 'small', { body: 'small', base: plain.base })
  const rows = await countRows(member)
  const read = await fetch(app.base + toContent(file), { headers: withKey(member) })
  const reader = read.body?.getReader()
  const pieces = [(await reader?.read())?.value ?? new Uint8Array()]
  server.cut()
  await expect(move('store')).rejects.toThrow('Run this again')
  expect(await countRows(member)).toBe(rows)
  server.open()
  expect(await move('store')).toMatchObject({ files: expect.any(Number) })
  expect(await countRows(member)).toBe(0)
  expect(await readKept(member)).toBe(bytes.length + 5)
  for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) pieces.push(piece.value)
  expect(toHash(Buffer.concat(pieces))).toBe(toHash(bytes))
  expect(toHash((await download(toContent(file), withKey(member))).bytes)).toBe(toHash(bytes))
  expect(await move('store')).toMatchObject({ files: 0 })
  await move('database')
  expect([await countRows(member), await server.count(member.organizationId)]).toEqual([rows, 0])
  expect(toHash((await download(plain.base + toContent(file), withKey(member))).bytes)).toBe(toHash(bytes))
  expect(await readKept(member)).toBe(bytes.length + 5)
})

test('FIL-23 an export has the bytes of every file, wherever they are', async () => {
  const member = await createMember(app)
  const bytes = randomBytes(MiB)
  for (const base of [app.base, plain.base]) await upload(member, new URL(base).port, { body: bytes, base })
  const answer = await download('/v1/organization/export', withKey(member))
  const chunks = answer.bytes
    .toString()
    .split('\n')
    .filter((line) => line.includes('"artifactChunk"'))
    .map((line) => JSON.parse(line).artifactChunk)
  const ids = new Set(chunks.map(({ artifactId }) => artifactId))
  expect(ids.size).toBe(2)
  for (const id of ids) {
    const own = chunks.filter(({ artifactId }) => artifactId === id)
    expect(own.map(({ number }) => number)).toEqual([0, 1, 2, 3])
    expect(toHash(Buffer.concat(own.map(({ base64 }) => Buffer.from(base64, 'base64'))))).toBe(toHash(bytes))
  }
})

test('FIL-21 while the store is gone or silent, transfers get 503, and files in PostgreSQL and everything else work', async () => {
  const member = await createMember(app)
  const kept = await upload(member, 'kept', { body: 'kept', base: plain.base })
  const stored = await upload(member, 'stored', { body: 'stored' })
  for (const fail of [server.cut, server.stall]) {
    fail()
    const sent = await upload(member, 'new', { body: 'new', base: hurried.base })
    expect([sent.status, sent.body.error]).toMatchObject([503, { kind: 'unavailable' }])
    expect(sent.body.error.message).toContain('Try again later')
    const got = await download(hurried.base + toContent(stored), withKey(member))
    expect([got.status, JSON.parse(got.bytes.toString()).error.kind]).toEqual([503, 'unavailable'])
    expect((await download(toContent(stored), withKey(member), 'HEAD')).status).toBe(200)
    expect((await download(toContent(kept), withKey(member))).bytes.toString()).toBe('kept')
    expect((await app.request('GET', '/readyz')).status).toBe(200)
    server.open()
  }
  expect((await download(toContent(stored), withKey(member))).bytes.toString()).toBe('stored')
  // An object of a failed upload may still be written: it counts until it is erased for sure.
  expect(await select('select from artifact_bodies where organization_id = $1', member.organizationId)).toHaveLength(4)
  app.clock.advance({ minutes: 11 })
  await eraseDueBodies(app.app.deps)
  expect(await readKept(member)).toBe(10)
})

test('FIL-07 FIL-21 transfers that wait for a silent store hold no connection to the database, and no slots of others', async () => {
  const [greedy, other] = [await createMember(app), await createMember(app)]
  const kept = await upload(other, 'kept', { body: 'kept', base: plain.base })
  server.stall()
  const waiting = Array.from({ length: 12 }, (_, n) => upload(greedy, `${n}`, { body: 'x' }))
  await expect
    .poll(() => select('select from artifact_bodies where organization_id = $1', greedy.organizationId))
    .toHaveLength(2)
  const [{ open }] = await select(
    `select count(*)::integer as open from pg_stat_activity where datname = current_database()
       and state like 'idle in transaction%'`,
  )
  expect(open).toBe(0)
  expect((await download(toContent(kept), withKey(other))).bytes.toString()).toBe('kept')
  expect((await app.request('GET', '/v1/whoami', { key: other.key })).status).toBe(200)
  server.open()
  await Promise.all(waiting)
})

test('FIL-22 bytes that are deleted while the store is down count until they are erased there, and those in PostgreSQL are erased at once', async () => {
  const member = await createMember(app)
  const file = await upload(member, 'a', { body: randomBytes(5 * MiB) })
  const row = await upload(member, 'b', { body: randomBytes(MiB), base: plain.base })
  server.cut()
  for (const { body } of [file, row])
    expect(await app.request('DELETE', `/v1/artifacts/${body.data.artifact.id}`, { key: member.key })).toMatchObject({
      status: 200,
    })
  expect((await download(toContent(file), withKey(member))).status).toBe(404)
  await eraseDueBodies(app.app.deps)
  expect(await readKept(member)).toBe(5 * MiB)
  server.open()
  app.clock.advance({ minutes: 6 })
  await eraseDueBodies(app.app.deps)
  expect(await readKept(member)).toBe(0)
  expect([...(await server.list(member.organizationId))]).toEqual([])
})

test('FIL-22 an upload or a deletion whose node died leaves no object, nor does one that a node without objects erased', async () => {
  const member = await createMember(app)
  const { organizationId } = member
  await upload(member, 'kept', { body: 'kept' })
  const { put } = app.app.deps.objects
  for (const body of ['arriving', 'lost']) await put(`${organizationId}/${body}/0`, new Uint8Array(3))
  // Of the part that was being written, it is not known whether it is there.
  await select(
    `with bodies as (insert into artifact_bodies values ($1, 'arriving', 3, now() - interval '1 minute')),
       objects as (insert into artifact_objects values ($1, 'arriving', 3, 2), ($1, 'lost', 3, 1))
     update artifact_usage set bytes = bytes + 3, bodies = bodies + 1 where organization_id = $1`,
    organizationId,
  )
  await eraseDueBodies(app.app.deps)
  await eraseLostObjects(app.app.deps)
  expect([...(await server.list(organizationId)).values()]).toEqual([4])
  expect(await readKept(member)).toBe(4)
})

test('FIL-22 an organization is erased only when its files are: not while the store is down, nor while an upload arrives', async () => {
  const member = await createMember(app)
  const { organizationId } = member
  await upload(member, 'a', { body: randomBytes(5 * MiB) })
  await select(
    `with bodies as (insert into artifact_bodies values ($1, 'arriving', 3, now() + interval '1 hour'))
     insert into artifact_objects values ($1, 'arriving', 3, 1)`,
    organizationId,
  )
  const erase = createOrganizationErasing(app.app.deps)
  const turn = { stopping: new AbortController().signal, renew: async () => true }
  const run = () => erase({ subject: organizationId, address: null, endedAt: app.clock.now() }, turn)
  server.cut()
  await app.request('DELETE', '/v1/organization', { headers: member.session, body: { confirm: 'Somebody' } })
  await expect(run()).rejects.toThrow('store of files')
  expect(await server.count(organizationId)).toBe(5 * MiB)
  server.open()
  expect(await run()).toBe(false)
  expect(await server.count(organizationId)).toBe(0)
  await select('delete from artifact_objects where organization_id = $1', organizationId)
  expect(await run()).toBe(true)
  expect(await select('select from artifact_bodies where organization_id = $1', organizationId)).toEqual([])
})
