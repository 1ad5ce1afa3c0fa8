import { readdirSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { expect, test } from 'vitest'
import { lowerPoolPriority } from './thread-priority.ts'

const findPoolThreads = () =>
  readdirSync('/proc/self/task').filter(
    (thread) => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim() === 'libuv-worker',
  )

test.runIf(process.platform === 'linux')('the threads of the pool run behind those that answer requests', async () => {
  // The pool starts with its first task.
  await stat('/')
  lowerPoolPriority()
  const threads = findPoolThreads()
  expect(threads.length).toBeGreaterThan(0)
  for (const thread of threads) expect(getPriority(Number(thread))).toBeGreaterThanOrEqual(5)
})
