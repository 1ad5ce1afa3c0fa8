import type { RunPart } from '@noema/contracts/run-stream.ts'
import { expect, test } from 'vitest'
import { createMember } from '../../../test/app.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'
import { joinOrganization, removeMember } from '../../../test/organizations.ts'
import { createPartWriter } from '../parts/part-writer.ts'
import { toEndingParts, toOpeningParts } from '../parts/run-parts.ts'
import { appendParts } from '../parts/stored-parts.ts'
import { openReader } from './reader.fixture.ts'
import { endRunRow, insertRun } from './run.fixture.ts'

const app = useOwnApp()
const member = useMember(app)

type Run = Awaited<ReturnType<typeof insertRun>>

const addRun = () => insertRun(app, member.organizationId)
const read = (run: Run, options: Parameters<typeof openReader>[2] = {}) =>
  openReader(app.base, run.id, { key: member.key, ...options })
const append = (run: Run, parts: readonly RunPart[]) =>
  appendParts(
    app.app.db,
    run,
    parts.map((part) => ({ part })),
  )
const say = (text: string): RunPart[] => [
  { type: 'text-start', id: 'opr_1:1' },
  { type: 'text-delta', id: 'opr_1:1', delta: text },
  { type: 'text-end', id: 'opr_1:1' },
]

const finish = async (run: Run) => {
  await append(run, toEndingParts({ state: 'completed' }, true))
  await endRunRow(app, run)
}

test('D-73 RUN-04 a finished run replays whole: numbered parts of the AI SDK’s protocol, then [DONE]', async () => {
  const run = await addRun()
  const parts = [...toOpeningParts(run.id, 1), ...say('Hello')]
  await append(run, parts)
  await finish(run)
  const reader = await read(run)
  expect(reader.response.status).toBe(200)
  expect(reader.response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
  expect(reader.response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const all = await reader.all()
  expect(all.map(({ part }) => part)).toEqual([
    ...parts,
    { type: 'finish-step' },
    { type: 'finish', finishReason: 'stop' },
    '[DONE]',
  ])
  expect(all.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, undefined])
})

test('D-73 a run goes on after Last-Event-ID, or after `after`, of which the first counts more', async () => {
  const run = await addRun()
  await append(run, [...toOpeningParts(run.id, 1), ...say('Hello')])
  await finish(run)
  for (const options of [{ after: '5' }, { lastEventId: '5' }, { after: '2', lastEventId: '5' }]) {
    const all = await (await read(run, options)).all()
    expect(all.map(({ id }) => id)).toEqual([6, 7, undefined])
  }
  expect((await (await read(run, { after: '1000' })).all()).map(({ part }) => part)).toEqual(['[DONE]'])
})

test('D-73 RUN-04 a run that is not there, or another organization’s, is 404; a place that is no part’s number is 400', async () => {
  const run = await addRun()
  const stranger = await createMember(app)
  expect((await read(run, { key: stranger.key })).response.status).toBe(404)
  expect((await read({ ...run, id: 'run_none' })).response.status).toBe(404)
  for (const options of [{ after: 'x' }, { after: '-1' }, { lastEventId: 'cursor' }])
    expect((await read(run, options)).response.status).toBe(400)
})

test("D-73 a stream's parts arrive on every node within a moment, and heartbeats carry no id", async () => {
  const run = await addRun()
  const node = await app.startNode()
  const reader = await openReader(node.base, run.id, { key: member.key })
  const writer = createPartWriter(app.app.deps, run)
  expect(await writer.write('opr_1', say('live'))).toBe(true)
  expect((await reader.take(3)).map(({ part }) => part)).toEqual(say('live'))
  expect(await reader.comment()).toEqual(['connected', 'nothing new'])
  const closed = node.close()
  expect(await reader.all()).toEqual([])
  await closed
})

test('D-73 pieces of text that come within a moment are one part, and nothing is stored when the lease is lost', async () => {
  const run = await addRun()
  const writer = createPartWriter(app.app.deps, run)
  const [, , rest] = await Promise.all([
    writer.write('opr_1', say('a').slice(0, 2)),
    writer.write('opr_1', [{ type: 'text-delta', id: 'opr_1:1', delta: 'b' }]),
    writer.take(),
  ])
  expect(rest.map(({ part }) => part)).toEqual(say('ab').slice(0, 2))
  await app.database.pool.query(`update runs set lease = 'of another' where id = $1`, [run.id])
  // As much as is stored at once.
  expect(await writer.write('opr_1', say('late'.repeat(20_000)))).toBe(false)
  expect(await writer.withdraw('opr_1')).toBe(false)
  expect(await appendParts(app.app.db, run, rest)).toBe(false)
  const { rows } = await app.database.pool.query('select from run_parts where run_id = $1', [run.id])
  expect(rows).toEqual([])
})

test('D-73 an attempt that died is withdrawn: live readers hear of it, later ones see nothing of it', async () => {
  const run = await addRun()
  await append(run, toOpeningParts(run.id, 1))
  const live = await read(run)
  const writer = createPartWriter(app.app.deps, run)
  await writer.write('opr_1', say('half an ans').slice(0, 2))
  expect((await live.take(4)).at(-1)?.part).toMatchObject({ delta: 'half an ans' })
  await writer.withdraw('opr_1')
  await writer.write('opr_1', say('the answer'))
  const restart = { type: 'data-restart', data: { operationId: 'opr_1', from: 3 }, transient: true }
  expect((await live.take(5)).map(({ id, part }) => [id, part])).toEqual([
    [4, { type: 'reset-step' }],
    [5, restart],
    ...say('the answer').map((part, n) => [6 + n, part]),
  ])
  await finish(run)
  const replayed = (await (await read(run)).all()).map(({ part }) => part)
  expect(replayed.slice(2, 5)).toEqual(say('the answer'))
  expect(replayed).not.toContainEqual(restart)
  // A reader who lost the connection within a withdrawn attempt hears of it, too, even between the two messages about it.
  for (const lastEventId of ['3', '4']) {
    const resumed = await (await read(run, { lastEventId })).all()
    expect(resumed.slice(0, 2).map(({ id, part }) => [id, part])).toEqual([
      [4, { type: 'reset-step' }],
      [5, restart],
    ])
  }
})

test('KEY-04 D-73 a stream ends within seconds of the revocation of its key, and does not say that the run has ended', async () => {
  const run = await addRun()
  const body = { name: 'reader' }
  const minted = (await app.request('POST', '/v1/keys', { headers: member.session, body })).body.data
  const reader = await read(run, { key: minted.secret })
  await append(run, say('first'))
  expect(await reader.take(3)).toHaveLength(3)
  await app.request('DELETE', `/v1/keys/${minted.key.id}`, { headers: member.session })
  app.clock.advance({ seconds: 6 })
  expect(await reader.all()).toEqual([])
})

test('D-13b D-73 a stream of a session ends within seconds of the member’s removal', async () => {
  const run = await addRun()
  const owner = { ...member } as Parameters<typeof joinOrganization>[1]
  const guest = await joinOrganization(app, owner)
  const reader = await openReader(app.base, run.id, { headers: guest.session })
  await append(run, say('first'))
  expect(await reader.take(3)).toHaveLength(3)
  await removeMember(app, owner, guest)
  app.clock.advance({ seconds: 6 })
  expect(await reader.all()).toEqual([])
})
