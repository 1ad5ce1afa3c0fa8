import { expect, test } from 'vitest'
import { createGatherer } from './gather.ts'

test('keys that are asked for together are read in few calls, each once, and a failed call fails only its own keys', async () => {
  const calls: string[][] = []
  const ask = createGatherer(async (keys) => {
    calls.push([...keys])
    if (keys.includes('bad')) throw new Error('no')
    return new Map(keys.filter((key) => key !== 'gone').map((key) => [key, key.toUpperCase()]))
  }, 2)
  const answers = await Promise.allSettled(['a', 'b', 'a', 'gone', 'bad', 'c'].map(ask))
  expect(calls).toEqual([['a', 'b'], ['gone', 'bad'], ['c']])
  expect(answers.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
    ...['A', 'B', 'A', 'failed', 'failed', 'C'],
  ])
  expect(await Promise.all([ask('gone'), ask('d')])).toEqual([undefined, 'D'])
})
