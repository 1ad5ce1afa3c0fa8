import { beforeEach, expect, test } from 'vitest'
import { useApp, useBrainPerTest, useMember } from '../../../test/harness.ts'

const app = useApp()
const member = useMember(app)
const brain = useBrainPerTest(app, member)
beforeEach(() => brain.call('PUT', '/records/ann', { kind: 'person' }))

const said = { subject: { id: 'ann', kind: 'person' }, predicate: 'works-at', object: { value: 'Acme' } }
const assert = (given: object = {}) => brain.call('POST', '/statements', { ...said, ...given })
const read = async (query = '') => (await brain.call('GET', `/statements/s${query}`)).body.data?.statement
const revert = (change: string) => brain.call('POST', `/changes/${change}/revert`, { reason: 'wrong' })

const end = '2025-06-30T00:00:00.000Z'
const sources = [{ document: 'letter', version: 2, quote: 'she left' }]

test("D-44 reverting a repeat brings back the statement's details, as the next version", async () => {
  const first = (await assert({ id: 's', confidence: 0.9 })).body.data
  const second = (await assert({ confidence: 0.5, validTo: end, sources })).body.data
  const undone = await revert(second.change.id)
  expect(undone.status).toBe(200)
  expect(await read()).toMatchObject({ version: 3, confidence: 0.9, validTo: null, sources: [] })
  expect(await revert(second.change.id)).toMatchObject({ status: 409, body: { error: { code: 'changed_since' } } })
  await revert(undone.body.data.change.id)
  expect(await read()).toMatchObject({ version: 4, confidence: 0.5, validTo: end, sources })
  expect(await revert(first.change.id)).toMatchObject({ status: 409, body: { error: { code: 'changed_since' } } })
  // As the second change left it, and then as the first one did.
  expect((await revert(second.change.id)).status).toBe(200)
  expect((await revert(first.change.id)).status).toBe(200)
  expect(await read()).toBeUndefined()
})

test('D-44 reverting the first assertion retracts, and reverting what repeated and retracted asserts what was there', async () => {
  const first = (await assert({ id: 's', confidence: 0.9 })).body.data
  const both = await brain.call('POST', '/batch', {
    operations: [
      { op: 'statement.assert', ...said, confidence: 0.5 },
      { op: 'record.delete', id: 'ann' },
    ],
  })
  expect(await read()).toBeUndefined()
  await revert(both.body.data.change.id)
  const { statements } = (await brain.call('GET', '/statements')).body.data
  expect(statements).toMatchObject([{ version: 1, confidence: 0.9, object: said.object }])
  expect(statements[0].id).not.toBe('s')
  await revert(statements[0].provenance.change)
  expect(first.statement.version).toBe(1)
})

test('D-44 reverting a retraction leaves a statement that says the same by now as it is', async () => {
  await assert({ id: 's', confidence: 0.9 })
  const retracted = (await brain.call('DELETE', '/statements/s')).body.data
  const again = (await assert({ confidence: 0.5 })).body.data.statement
  expect(await revert(retracted.change.id)).toMatchObject({
    status: 409,
    body: { error: { code: 'nothing_to_revert' } },
  })
  expect((await brain.call('GET', '/statements')).body.data.statements).toEqual([again])
})

test('REV-01 D-32 in review a repeat waits, shows the statement before and after, and is blocked where it moved', async () => {
  const first = (await assert({ id: 's', confidence: 0.9 })).body.data.statement
  await brain.call('PATCH', '', { mode: 'review' })
  const staged = await assert({ confidence: 0.5 })
  expect(staged).toMatchObject({ status: 202, body: { data: { outcome: 'staged', statement: { id: 's' } } } })
  const late = await assert({ confidence: 0.1 })
  const { id } = staged.body.data.change
  const show = async (change: string) => (await brain.call('GET', `/changes/${change}`)).body.data.change
  const { retractedAt, retraction, ...before } = first
  expect(await show(id)).toMatchObject({
    items: [{ target: { type: 'statement', id: 's' }, before, after: { id: 's', version: 2, confidence: 0.5 } }],
  })
  expect(await read()).toEqual(first)
  const decide = (change: string) => brain.call('POST', `/changes/${change}/decide`, { decision: 'approved' })
  await decide(id)
  expect(await read()).toMatchObject({ version: 2, confidence: 0.5 })
  expect(await show(id)).toMatchObject({ items: [{ before, after: { version: 2, confidence: 0.5 } }] })
  expect((await decide(late.body.data.change.id)).body.data.change.application).toBe('blocked')
})

test('REV-02 D-32 a statement that came to be said while another waited is not overwritten unseen', async () => {
  await brain.call('PATCH', '', { mode: 'review' })
  const [one, two] = [await assert({ id: 's', confidence: 0.9 }), await assert({ id: 't', confidence: 0.5 })]
  const decide = async (change: string) =>
    (await brain.call('POST', `/changes/${change}/decide`, { decision: 'approved' })).body.data.change
  expect((await decide(one.body.data.change.id)).application).toBe('applied')
  const { id } = two.body.data.change
  expect((await decide(id)).application).toBe('blocked')
  expect(await read()).toMatchObject({ version: 1, confidence: 0.9 })
  await brain.call('POST', `/changes/${id}/rebase`)
  expect((await brain.call('GET', `/changes/${id}`)).body.data.change.items).toMatchObject([
    { target: { id: 's' }, before: { version: 1 }, after: { version: 2, confidence: 0.5 } },
  ])
  expect((await decide(id)).application).toBe('applied')
  expect(await read()).toMatchObject({ version: 2, confidence: 0.5 })
})
