import { expect, test } from 'vitest'
import { createTenantTurns } from './turns-by-tenant.ts'

/** Tasks that go on until they are told to end, by tenant and number. */
const createTasks = (turns: ReturnType<typeof createTenantTurns>) => {
  const running = new Map<string, () => void>()
  const done: Promise<unknown>[] = []
  const begin = (tenant: string, number: number) => {
    const name = `${tenant}${number}`
    const task = () => new Promise<void>((resolve) => running.set(name, resolve)).then(() => void running.delete(name))
    done.push(turns.run(tenant, task))
  }
  const end = async (name?: string) => {
    if (name !== undefined) running.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { begin, end, names: () => [...running.keys()], done }
}

test('no tenant takes all places, and whoever has the fewest is let in first, each in its order', async () => {
  const turns = createTenantTurns({ places: 3, ofTenant: 2 })
  const tasks = createTasks(turns)
  for (const n of [1, 2, 3, 4]) tasks.begin('a', n)
  for (const n of [1, 2, 3]) tasks.begin('b', n)
  tasks.begin('c', 1)
  await tasks.end()
  expect(tasks.names()).toEqual(['a1', 'a2', 'b1'])
  await tasks.end('a1')
  expect(tasks.names()).toEqual(['a2', 'b1', 'c1'])
  await tasks.end('a2')
  expect(tasks.names()).toEqual(['b1', 'c1', 'a3'])
  await tasks.end('b1')
  expect(tasks.names()).toEqual(['c1', 'a3', 'b2'])
  for (const name of ['c1', 'a3', 'b2', 'b3', 'a4']) await tasks.end(name)
  await Promise.all(tasks.done)
  expect(turns.isIdle()).toBe(true)
})

test('a task that fails leaves its place', async () => {
  const turns = createTenantTurns({ places: 1, ofTenant: 1 })
  const failing = turns.run('a', () => Promise.reject(new Error('failed')))
  const next = turns.run('b', async () => 'done')
  await expect(failing).rejects.toThrow('failed')
  expect(await next).toBe('done')
})
