import { expect, test } from 'vitest'
import { createStaleGatherer, toStaleKinds } from './live.ts'

test('an event invalidates the queries that it may have changed, and no others', () => {
  expect(toStaleKinds(['record.accepted'])).toContain('records')
  expect(toStaleKinds(['record.accepted'])).not.toContain('changes')
  expect(toStaleKinds(['change.staged', 'change.decided'])).toEqual(['brain', 'changes', 'schema'])
  expect(toStaleKinds(['availability.changed'])).toEqual(['brain'])
  expect(toStaleKinds(['something.new'])).toEqual([])
})

test('events of the same moment cause one reload', () => {
  const asked: string[][] = []
  let run: (() => void) | undefined
  const timers = {
    set: (given: () => void) => {
      run = given
      return 1
    },
    clear: () => {
      run = undefined
    },
  }
  const gatherer = createStaleGatherer((stale) => asked.push(stale), timers)
  for (let turn = 0; turn < 1_000; turn++) gatherer.take('availability.changed')
  expect(asked).toEqual([])
  run?.()
  gatherer.take('availability.changed')
  gatherer.stop()
  run?.()
  expect(asked).toEqual([['brain']])
})
