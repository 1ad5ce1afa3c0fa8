import { expect, test } from 'vitest'
import { addBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import type { ResolvedOperation } from '../../kernel/versioning/types.ts'
import { findFlags } from './flags.ts'

const app = useApp()
const member = useMember(app)

const put = (text: string): ResolvedOperation => ({ op: 'document.put', id: 'd', text })

test('a change of millions of emoji is read with its flags, also next to one that hides words', async () => {
  const brain = await addBrain(app, member, 'emoji')
  await brain.call('PATCH', '', { mode: 'review' })
  const operations = [
    { op: 'document.put', id: 'signs', text: '☺'.repeat(5_000_000) },
    { op: 'document.put', id: 'hides', text: 'Pay\u200bpal' },
  ]
  const { status, body } = await brain.call('POST', '/batch', { operations })
  expect(status).toBe(202)
  const read = await brain.call('GET', `/changes/${body.data.change.id}`)
  expect(read.status).toBe(200)
  expect(read.body.data.change.items).toMatchObject([{ flags: [] }, { flags: ['hidden_characters'] }])
})

test('hidden characters are found anywhere in a long text, and parts of emoji hide nothing', async () => {
  const plain = '👩\u200d👩\u200d👧 ☺\ufe0f 1\ufe0f\u20e3 #\ufe0f '
  for (const text of [plain, plain.repeat(20_000)]) expect(await findFlags(put(text), false)).toEqual([])
  for (const at of [0, 99_999, 100_000, 100_001, 250_000]) {
    const text = `${'a'.repeat(at)}\u200d${'a'.repeat(300_000 - at)}`
    expect(await findFlags(put(text), false)).toEqual(['hidden_characters'])
    expect(await findFlags(put(`${'a'.repeat(at)}☺\ufe0f\u200d☺${'a'.repeat(300_000 - at)}`), false)).toEqual([])
  }
})

test('an item whose texts cannot be examined is flagged so, next to its other flags', async () => {
  const broken = {
    ...put('text'),
    provenance: { trust: 'unverified' as const },
    get metadata(): Record<string, never> {
      throw new RangeError('Maximum call stack size exceeded')
    },
  }
  expect(await findFlags(Object.defineProperties(put('x'), Object.getOwnPropertyDescriptors(broken)), true)).toEqual([
    'duplicate_text',
    'unverified_source',
    'unchecked',
  ])
})

test('judging 15 megabytes leaves the thread to others all the while', async () => {
  let turns = 0
  let isJudging = true
  const others = async () => {
    for (; isJudging; turns++) await new Promise((resolve) => setImmediate(resolve))
  }
  const counting = others()
  expect(await findFlags(put('1\ufe0f'.repeat(3_000_000)), false)).toEqual([])
  isJudging = false
  await counting
  expect(turns).toBeGreaterThan(50)
})
