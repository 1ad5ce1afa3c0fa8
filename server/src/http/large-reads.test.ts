import { listEvents } from '@noema/contracts/events.ts'
import { createRecord, listRecords } from '@noema/contracts/records.ts'
import { expect, test } from 'vitest'
import type { Principal } from '../access/principal.ts'
import { createLargeReads } from './large-reads.ts'

const at = (brainId: number) => ({ kind: 'management', brain: { brainId } }) as unknown as Principal

test('reads of a Brain are remembered by how long they were answered last, and writes are not', () => {
  const reads = createLargeReads()
  reads.note(listRecords, at(1), 1_000_000)
  reads.note(createRecord, at(1), 1_000_000)
  expect([reads.has(listRecords, at(1)), reads.has(createRecord, at(1))]).toEqual([true, false])
  expect([reads.has(listRecords, at(2)), reads.has(listEvents, at(1))]).toEqual([false, false])
  reads.note(listRecords, at(1), 1_000)
  expect(reads.has(listRecords, at(1))).toBe(false)
})

test('of more reads than are remembered, those that were large longest ago are forgotten', () => {
  const reads = createLargeReads()
  for (let brain = 0; brain <= 10_000; brain++) reads.note(listRecords, at(brain), 1_000_000)
  expect([reads.has(listRecords, at(0)), reads.has(listRecords, at(1))]).toEqual([false, true])
})
