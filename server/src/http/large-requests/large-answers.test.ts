import { listEvents } from '@noema/contracts/events.ts'
import { mcp } from '@noema/contracts/mcp.ts'
import { createRecord, listRecords } from '@noema/contracts/records.ts'
import { expect, test } from 'vitest'
import type { Principal } from '../../access/principal.ts'
import { createLargeAnswers } from './large-answers.ts'

type Read = Parameters<ReturnType<typeof createLargeAnswers>['isExpected']>[0]

const at = (brainId: number) => ({ kind: 'management', brain: { brainId } }) as unknown as Principal
const [large, small] = [1_000_000, 1_000]

const createAnswers = () => {
  let time = 1
  const answers = createLargeAnswers(() => time)
  /** Reports a read whose answer had this length, and returns true if the worker answers it. */
  const read = (endpoint: Read, brainId: number, length: number) => {
    const isOnWorker = answers.isExpected(endpoint, at(brainId))
    if (isOnWorker || length === large) answers.recordAnswer(endpoint, at(brainId), length)
    return isOnWorker
  }
  const wait = (minutes: number) => {
    time += minutes * 60_000
  }
  return { answers, read, wait }
}

test('reads of a Brain at an endpoint go to the worker after a large answer, and writes never do', () => {
  const { answers, read } = createAnswers()
  expect(answers.remembered.size).toBe(0)
  expect([read(listRecords, 1, large), read(listRecords, 1, small)]).toEqual([false, true])
  expect(answers.remembered.size).toBe(1)
  expect([read(listRecords, 2, small), read(listEvents, 1, small)]).toEqual([false, false])
  expect([read(createRecord, 1, large), read(createRecord, 1, large)]).toEqual([false, false])
  expect([read(mcp, 1, large), read(mcp, 1, small)]).toEqual([false, true])
})

test('a caller that asks for small and large answers in turn gets no large one on the main thread for a quarter of an hour', () => {
  const { read, wait } = createAnswers()
  read(listRecords, 1, large)
  for (const length of [small, large, small, large, small]) expect(read(listRecords, 1, length)).toBe(true)
  wait(16)
  expect([read(listRecords, 1, small), read(listRecords, 1, small)]).toEqual([false, false])
})

test('after a large write to a Brain the first read of each endpoint goes to the worker, and stays there while it is large', () => {
  const { answers, read } = createAnswers()
  answers.recordWrite(at(1))
  expect([read(listEvents, 1, small), read(listEvents, 1, small)]).toEqual([true, false])
  expect([read(listRecords, 1, large), read(listRecords, 1, small), read(listRecords, 1, small)]).toEqual([
    true,
    true,
    true,
  ])
  expect(read(listEvents, 2, small)).toBe(false)
})

test('beyond the limit of cached Brains, the oldest are dropped', () => {
  const { read } = createAnswers()
  for (let brain = 0; brain <= 10_000; brain++) read(listRecords, brain, large)
  expect([read(listRecords, 1, small), read(listRecords, 0, small)]).toEqual([true, false])
})
