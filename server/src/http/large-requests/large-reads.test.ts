import { listEvents } from '@noema/contracts/events.ts'
import { mcp } from '@noema/contracts/mcp.ts'
import { createRecord, listRecords } from '@noema/contracts/records.ts'
import { expect, test } from 'vitest'
import type { Principal } from '../../access/principal.ts'
import { createLargeReads } from './large-reads.ts'

const at = (brainId: number) => ({ kind: 'management', brain: { brainId } }) as unknown as Principal
const [large, small] = [1_000_000, 1_000]

const createReads = () => {
  let time = 0
  const reads = createLargeReads(() => time)
  const read = async (endpoint: Parameters<typeof reads.begin>[0], brainId: number, length: number | undefined) => {
    const placed = await reads.begin(endpoint, at(brainId))
    placed.end(length)
    return placed.isElsewhere
  }
  const wait = (minutes: number) => {
    time += minutes * 60_000
  }
  return { reads, read, wait }
}

test('reads of a Brain at an endpoint go elsewhere after a large answer, and writes never do', async () => {
  const { read } = createReads()
  expect([await read(listRecords, 1, large), await read(listRecords, 1, small)]).toEqual([false, true])
  expect([await read(listRecords, 2, small), await read(listEvents, 1, small)]).toEqual([false, false])
  expect([await read(createRecord, 1, large), await read(createRecord, 1, large)]).toEqual([false, false])
  expect([await read(mcp, 1, large), await read(mcp, 1, small)]).toEqual([false, true])
})

test('who asks for small and large answers in turn has no large one made here for a quarter of an hour', async () => {
  const { read, wait } = createReads()
  await read(listRecords, 1, large)
  for (const length of [small, large, small, large, small]) expect(await read(listRecords, 1, length)).toBe(true)
  wait(16)
  expect([await read(listRecords, 1, small), await read(listRecords, 1, small)]).toEqual([false, false])
})

test('of a Brain into which something large was written, the first read of an endpoint goes elsewhere, too', async () => {
  const { reads, read } = createReads()
  await read(listRecords, 1, small)
  reads.noteWrite(at(1))
  expect([await read(listRecords, 1, small), await read(listEvents, 1, small)]).toEqual([false, true])
  expect([await read(listEvents, 1, small), await read(listEvents, 2, small)]).toEqual([false, false])
})

test('of first reads that come at once, one is answered here, and the others go where it says', async () => {
  const { reads } = createReads()
  const [first, ...others] = [1, 2, 3].map(() => reads.begin(listRecords, at(1)))
  ;(await first)?.end(large)
  expect((await Promise.all(others)).map(({ isElsewhere }) => isElsewhere)).toEqual([true, true])
})

test('a first read that is refused leaves the others where they are', async () => {
  const { reads } = createReads()
  const [first, second] = [reads.begin(listRecords, at(1)), reads.begin(listRecords, at(1))]
  ;(await first).end(undefined)
  expect((await second).isElsewhere).toBe(false)
})

test('of more reads than are remembered, those longest ago are forgotten', async () => {
  const { read } = createReads()
  for (let brain = 0; brain <= 10_000; brain++) await read(listRecords, brain, large)
  expect([await read(listRecords, 1, small), await read(listRecords, 0, small)]).toEqual([true, false])
})
