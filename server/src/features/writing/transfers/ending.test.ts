import { beforeAll, expect, test } from 'vitest'
import { addBrain, createBrain, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { countOpenTransactions, importHeader, openImport } from '../../../test/open-import.ts'
import { exportText, importText } from '../../../test/transfer.ts'

// Without the work in the background, whose transactions are none of an import.
const app = useOwnApp({
  NOEMA_ROLES: 'http',
  NOEMA_IMPORT_LINE_SECONDS: '3',
  NOEMA_TRANSFER_MINUTES: '30',
  NOEMA_MAX_TRANSFERS: '2/1/1',
})
let source: TestBrain
let target: TestBrain
let file: string
beforeAll(async () => {
  source = await createBrain(app, 'source')
  await source.call('POST', '/records', { kind: 'note', fields: { text: 'x' } })
  file = await exportText(app, source)
  target = await createBrain(app, 'target')
})

const head = () => file.slice(0, file.indexOf('\n') + 1)

/** An import that has begun: its header came, and its transaction waits for more. */
const begin = async (brain: TestBrain) => {
  const begun = openImport(app, brain)
  begun.send(head())
  await expect.poll(() => countOpenTransactions(app)).toBe(1)
  return begun
}

/** That nothing landed, and that the place for the one transfer of the organization is free. */
const expectFree = async (brain: TestBrain) => {
  await expect.poll(() => countOpenTransactions(app)).toBe(0)
  expect((await brain.call('GET', '/records')).body.data.records).toEqual([])
  expect((await importText(app, brain, file)).status).toBe(200)
}

const fresh = (handle: string) => addBrain(app, target, handle)

test('D-25 an import whose next line does not become whole in time is 400 with its line, and nothing of it lands', async () => {
  const brain = await fresh('silent')
  const begun = await begin(brain)
  begun.send(file.slice(head().length, head().length + 20))
  const dripping = setInterval(() => begun.send('x'), 200)
  const answer = await begun.answered.finally(() => clearInterval(dripping))
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toContain('Line 2: it was not whole after 3 seconds.')
  begun.drop()
  await expectFree(brain)
})

test('D-25 an import that takes longer than it may is 400, and nothing of it lands', async () => {
  const brain = await fresh('slow')
  const begun = await begin(brain)
  app.clock.advance({ minutes: 31 })
  begun.send(file.slice(head().length))
  expect(await begun.answered).toMatch(/^HTTP\/1\.1 400 .*longer than 30 minutes/s)
  begun.drop()
  await expectFree(brain)
})

test('KEY-04 a key that is revoked during an import ends it, and nothing of it lands', async () => {
  const brain = await fresh('revoked')
  const minted = await app.request('POST', '/v1/keys', { headers: target.session, body: { name: 'second' } })
  const { secret, key } = minted.body.data
  const begun = await begin({ ...brain, key: secret })
  await app.request('DELETE', `/v1/keys/${key.id}`, { headers: target.session })
  // The key is checked every other second: a line after that is one too many.
  const [, second = ''] = file.split('\n')
  await expect
    .poll(
      async () => {
        begun.send(`${second}\n`)
        return Promise.race([begun.answered, ''])
      },
      { interval: 500 },
    )
    .toMatch(/^HTTP\/1\.1 401 /)
  begun.drop()
  await expectFree(brain)
})

test('D-25 an import whose transaction was ended by the database is 503 with the next line that is stored, and its place is free', async () => {
  const brain = await fresh('ended')
  const begun = await begin(brain)
  const statement = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction'`
  const listEnded = async () => (await app.database.pool.query(statement)).rows
  // The start of an import may still be in progress.
  await expect.poll(listEnded).toHaveLength(1)
  begun.send(file.slice(head().length))
  begun.end()
  expect(await begun.answered).toMatch(/^HTTP\/1\.1 503 /)
  begun.drop()
  await expectFree(brain)
})

test('D-25 SUR-04 twelve exports at once of one organization are all answered, a few at a time', async () => {
  const texts = await Promise.all(Array.from({ length: 12 }, () => exportText(app, source)))
  expect(new Set(texts)).toEqual(new Set([file]))
})

test('D-25 the import of one organization that never ends takes no place from others', async () => {
  const brain = await fresh('endless')
  const begun = await begin(brain)
  expect(await exportText(app, source)).toBe(file)
  const kept = setInterval(() => begun.send(importHeader()), 1_000)
  expect(await exportText(app, source)).toBe(file)
  clearInterval(kept)
  begun.drop()
  await expectFree(brain)
})
