import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFairLimiter, runInSlot, type Subject } from './fair-limiter.ts'

const toSubject = (organization: string, key = `key of ${organization}`) => ({ organization, key })
const many = { node: 100, organization: 100, key: 100 }

/** Counts the slots that a subject gets, one after the other. */
const takeAll = (limiter: ReturnType<typeof createFairLimiter>, who: Subject) => {
  const taken: (() => void)[] = []
  for (let slot = limiter.take(who); slot; slot = limiter.take(who)) taken.push(slot)
  return taken
}

test('a key, an organization and a node each take no more than their limit', () => {
  const limiter = createFairLimiter({ node: 1_000, organization: 5, key: 3 })
  expect(takeAll(limiter, toSubject('a', 'first'))).toHaveLength(3)
  expect(takeAll(limiter, toSubject('a', 'second'))).toHaveLength(2)
  expect(takeAll(limiter, toSubject('b'))).toHaveLength(3)
  expect(limiter.held()).toBe(8)
})

test('an organization takes half of a node and leaves room for those that come later', () => {
  const limiter = createFairLimiter(many)
  const counts = ['a', 'b', 'c', 'd'].map((name) => takeAll(limiter, toSubject(name)).length)
  expect(counts).toEqual([50, 25, 12, 6])
})

test('the subject with the most slots is refused first, and one without any is let in while any is free', () => {
  const limiter = createFairLimiter({ ...many, node: 3 })
  expect(takeAll(limiter, toSubject('greedy'))).toHaveLength(1)
  expect(limiter.take(toSubject('second'))).toBeDefined()
  expect(limiter.take(toSubject('greedy'))).toBeUndefined()
  expect(limiter.take(toSubject('third'))).toBeDefined()
  expect(limiter.take(toSubject('fourth'))).toBeUndefined()
})

test('a released slot can be taken again, and is released once', () => {
  const limiter = createFairLimiter({ node: 4, organization: 2, key: 2 })
  const [first, second] = takeAll(limiter, toSubject('a'))
  first?.()
  first?.()
  expect(limiter.held()).toBe(1)
  expect(takeAll(limiter, toSubject('a'))).toHaveLength(1)
  second?.()
})

test('a node that has less refuses until enough was given back', () => {
  const limiter = createFairLimiter(many)
  const taken = takeAll(limiter, toSubject('a'))
  limiter.resize(40)
  expect(limiter.take(toSubject('b'))).toBeUndefined()
  for (const giveBack of taken.splice(0, 20)) giveBack()
  expect(limiter.take(toSubject('b'))).toBeDefined()
})

test('in any order of taking and giving back, sums stay within the limits and end at nothing', () => {
  const step = fc.record({
    who: fc.integer({ min: 0, max: 3 }),
    amount: fc.integer({ min: 1, max: 9 }),
    gives: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const limiter = createFairLimiter({ node: 20, organization: 12, key: 9 })
      const taken: (() => void)[] = []
      for (const { who, amount, gives } of steps) {
        if (gives) taken.shift()?.()
        const slot = limiter.take(toSubject(`organization ${who % 2}`, `key ${who}`), amount)
        if (slot) taken.push(slot)
        expect(limiter.held()).toBeLessThanOrEqual(20)
      }
      for (const giveBack of taken) giveBack()
      expect(limiter.held()).toBe(0)
    }),
  )
})

/** Tasks that run until the test ends them, by organization and number. */
const createTasks = (limiter: ReturnType<typeof createFairLimiter>) => {
  const running = new Map<string, () => void>()
  const done: Promise<unknown>[] = []
  const begin = (organization: string, number: number) => {
    const name = `${organization}${number}`
    const task = () => new Promise<void>((resolve) => running.set(name, resolve)).then(() => void running.delete(name))
    done.push(runInSlot(limiter, toSubject(organization), task))
  }
  const end = async (name?: string) => {
    if (name !== undefined) running.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { begin, end, names: () => [...running.keys()], done }
}

test('callers that wait start when a slot is free: organizations in turn, and those of each in their order', async () => {
  const limiter = createFairLimiter({ node: 3, organization: 2, key: 2 })
  const tasks = createTasks(limiter)
  for (const n of [1, 2, 3, 4]) tasks.begin('a', n)
  for (const n of [1, 2]) tasks.begin('b', n)
  tasks.begin('c', 1)
  await tasks.end()
  expect(tasks.names()).toEqual(['a1', 'b1', 'c1'])
  await tasks.end('a1')
  expect(tasks.names()).toEqual(['b1', 'c1', 'a2'])
  await tasks.end('b1')
  expect(tasks.names()).toEqual(['c1', 'a2', 'b2'])
  for (const name of ['c1', 'a2', 'b2', 'a3', 'a4']) await tasks.end(name)
  await Promise.all(tasks.done)
  expect([limiter.held(), limiter.hasWaiting()]).toEqual([0, false])
})

test('a task that fails gives its slot back', async () => {
  const limiter = createFairLimiter({ node: 1, organization: 1, key: 1 })
  const failing = runInSlot(limiter, toSubject('a'), () => Promise.reject(new Error('failed')))
  const next = runInSlot(limiter, toSubject('b'), async () => 'done')
  await expect(failing).rejects.toThrow('failed')
  expect(await next).toBe('done')
})

test('a wait is counted from its beginning, ends at its limit, and is refused at once if the one before it took too long', async () => {
  const limiter = createFairLimiter({ node: 1, organization: 1, key: 1 })
  const release = limiter.take(toSubject('a'))
  const longAgo = performance.now() - 10_000
  expect(await limiter.wait(toSubject('b'), { maxMilliseconds: 5_000, since: longAgo })).toBeUndefined()
  const [first, second] = [1, 2].map(() => limiter.wait(toSubject('b'), { maxMilliseconds: 60_000, since: longAgo }))
  release?.()
  const slot = await first
  expect(slot).toBeDefined()
  expect(await limiter.wait(toSubject('b'), { maxMilliseconds: 12_000 })).toBeUndefined()
  slot?.()
  expect(await second).toBeDefined()
})

test('an amount whose subject is found later counts for that one, also beyond its share, and makes room for the first', async () => {
  const limiter = createFairLimiter({ node: 8, organization: 1, key: 1 })
  const [own, unknown] = [limiter.take(toSubject('a')), limiter.take(toSubject('address'))]
  expect(limiter.isShared('a')).toBe(true)
  const next = limiter.wait(toSubject('address'))
  unknown?.moveTo(toSubject('a'))
  const nextOfAddress = await next
  nextOfAddress?.()
  expect(limiter.isShared('a')).toBe(false)
  expect(limiter.take(toSubject('a'))).toBeUndefined()
  unknown?.()
  unknown?.moveTo(toSubject('b'))
  unknown?.()
  expect([limiter.held(), limiter.isShared('b'), limiter.take(toSubject('a'))]).toEqual([1, true, undefined])
  own?.()
  expect(limiter.take(toSubject('a'))).toBeDefined()
})

test('an organization has so many callers that wait, and no more', async () => {
  const limiter = createFairLimiter({ node: 1, organization: 1, key: 1 }, { maxWaiting: 1 })
  const release = limiter.take(toSubject('a'))
  const waiting = limiter.wait(toSubject('a'))
  expect(await limiter.wait(toSubject('a'))).toBeUndefined()
  release?.()
  expect(await waiting).toBeDefined()
})

test('in any order of waiting and giving back, no caller is lost and nothing stays held', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 60 }), async (steps) => {
      const limiter = createFairLimiter({ node: 4, organization: 3, key: 2 })
      const held: (() => void)[] = []
      let got = 0
      const callers = steps.map(async (step) => {
        if (step % 2 === 1) held.shift()?.()
        const who = toSubject(`organization ${step % 3}`, `key ${step}`)
        const release = limiter.take(who) ?? (await limiter.wait(who))
        if (!release) return
        got++
        held.push(release)
        expect(limiter.held()).toBeLessThanOrEqual(4)
      })
      const all = Promise.all(callers)
      for (let turn = 0; turn < 2 * steps.length + 2; turn++) {
        await new Promise((resolve) => setImmediate(resolve))
        held.shift()?.()
      }
      await all
      for (const release of held) release()
      expect([got, limiter.held(), limiter.hasWaiting()]).toEqual([steps.length, 0, false])
    }),
    { numRuns: 30 },
  )
})
