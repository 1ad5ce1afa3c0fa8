import { beforeAll, expect, test } from 'vitest'
import { addBrain, createMember, type TestBrain } from '../../../test/app.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'

// With the model that comes with the service.

const app = useOwnApp({ NOEMA_EMBEDDINGS: 'on' })
const member = useMember(app)
let brain: TestBrain

const rules = {
  refund:
    'The company refunds train tickets and hotels of a business trip within 14 days after the receipts were handed in.',
  audit: 'The yearly audit of all departments begins in March, and its papers are kept in the archive for ten years.',
}

const isEmbedded = async (to: TestBrain) =>
  (await to.call('GET', '/search?q=ready&mode=semantic')).body.data.degraded === undefined

beforeAll(async () => {
  brain = await addBrain(app, member, 'handbook')
  const operations = Object.entries(rules).map(([id, text]) => ({ op: 'document.put', id, text }))
  await brain.call('POST', '/batch', { operations })
})

const put = (id: string, text: string) => ({ op: 'document.put', id, text })

const stage = async (operations: object[], to = brain) => {
  const { body } = await to.call('POST', '/batch', { operations })
  const path = `/changes/${body.data.change.id}`
  return async () => (await to.call('GET', path)).body.data.change.items
}

const nearly =
  'The company refunds hotels and train tickets of business trips within 14 days after the receipts were handed in.'

test('CHK-05 a text that says nearly the same as another item is flagged with it, one about something else is not', async () => {
  await expect.poll(() => isEmbedded(brain)).toBe(true)
  await brain.call('PATCH', '', { mode: 'review' })
  const read = await stage([
    put('copy', nearly),
    put('other', 'A person who loses a key of the office reports the loss to the reception on the same day, please.'),
    put('numbers', rules.refund.replace('14', '30')),
    put('short', 'Refunds.'),
    put('audit', `${rules.audit} The auditors visit each department once.`),
  ])
  const [copy, ...others] = await read()
  expect(copy).toMatchObject({
    flags: ['near_duplicate_of'],
    findings: [{ flag: 'near_duplicate_of', item: { type: 'document', id: 'refund' } }],
  })
  for (const item of others) expect(item.flags, item.target.id).toEqual([])
})

test('CHK-05 items of the same change are not compared with each other, and more than ten are unchecked', async () => {
  const texts = Array.from({ length: 12 }, (_, n) => put(`one-${n}`, nearly))
  const items = await (await stage([...texts, put('refund', nearly)]))()
  const flags = items.map((item: { flags: string[] }) => item.flags.filter((flag) => flag !== 'duplicate_text'))
  expect(flags.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => []))
  expect(flags.slice(10)).toEqual(Array.from({ length: 3 }, () => ['unchecked']))
})

test('CHK-05 the flag goes when the other item goes, and other organizations are never compared', async () => {
  const foreign = await addBrain(app, await createMember(app), 'foreign')
  await foreign.call('PATCH', '', { mode: 'review' })
  const elsewhere = await stage([put('copy', nearly)], foreign)
  for (const item of await elsewhere()) expect(item.flags).toEqual([])
  const read = await stage([put('again', nearly)])
  expect((await read())[0].flags).toEqual(['near_duplicate_of'])
  await brain.call('PATCH', '', { mode: 'direct' })
  await brain.call('DELETE', '/documents/refund')
  expect((await read())[0].flags).toEqual([])
})
