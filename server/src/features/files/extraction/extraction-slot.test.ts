import { expect, test } from 'vitest'
import type { ShareLimits } from '../../../shared/concurrency/fair-limiter.ts'
import { createOpenShares } from '../../platform/limits/limits.ts'
import { takeExtractionSlot } from './extraction-slot.ts'

const none: ShareLimits = { node: 1, organization: 1, key: 1 }
const createShares = () =>
  createOpenShares({
    ...{ streams: none, transfers: none, files: none, code: none, bodies: none, tests: none },
    extractions: { node: 2, organization: 1, key: 1 },
  })
const of = (organization: string) => ({ organization, key: organization })

/** Extractions are long after a quarter of a second. */
const seconds = 6
const ended = ({ signal }: { signal: AbortSignal }) =>
  new Promise<true>((resolve) => signal.addEventListener('abort', () => resolve(true)))

test('FIL-17 long extractions of two organizations let those of others in: one goes on in an additional slot, one ends', async () => {
  const open = createShares()
  const [first, second] = [
    await takeExtractionSlot(open, of('a'), seconds),
    await takeExtractionSlot(open, of('b'), seconds),
  ]
  const third = await takeExtractionSlot(open, of('c'), seconds)
  const slots = [first, second]
  expect(slots.every(({ signal }) => !signal.aborted)).toBe(true)
  // There is one additional slot. A long extraction ends only for an organization that has nothing.
  const fourth = takeExtractionSlot(open, of('d'), seconds)
  await Promise.race([...slots, third].map(ended))
  const over = [...slots, third].filter(({ signal }) => signal.aborted)
  expect(over).toHaveLength(1)
  over[0]?.leave()
  const last = await fourth
  for (const slot of [...slots, third, last]) slot.leave()
  // The node is as it was: two, and the third waits.
  const again = [await takeExtractionSlot(open, of('e'), 600), await takeExtractionSlot(open, of('f'), 600)]
  expect(open.tryTake('extractions', of('g'))).toBeUndefined()
  for (const slot of again) slot.leave()
})

test('FIL-17 FIL-14 a long extraction goes on while only its own organization waits', async () => {
  const open = createShares()
  const first = await takeExtractionSlot(open, of('a'), seconds)
  const next = takeExtractionSlot(open, of('a'), seconds)
  // Another one is long meanwhile: its slot is free for others, but not for the same organization.
  const other = await takeExtractionSlot(open, of('b'), 0)
  const third = await takeExtractionSlot(open, of('c'), seconds)
  expect([first.signal.aborted, other.signal.aborted]).toEqual([false, false])
  first.leave()
  for (const slot of [await next, other, third]) slot.leave()
  expect(open.hasNewcomer('extractions')).toBe(false)
})
