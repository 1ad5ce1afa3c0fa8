import { expect, test } from 'vitest'
import { type Build, createPartLoader, PartError } from './load-part.ts'

const failure = new TypeError('Failed to fetch dynamically imported module: http://127.0.0.1/assets/a.js')

/** A loader whose service gives these answers about its build, the last one from then on. */
const createLoader = (...builds: Build[]) => {
  const pauses: number[] = []
  const load = createPartLoader({
    readBuild: async () => (builds.length > 1 ? builds.shift() : builds[0]) ?? 'same',
    restoreStyles: async () => undefined,
    pause: async (milliseconds) => void pauses.push(milliseconds),
  })
  return { load, pauses }
}

/** A part whose file arrives at this attempt. */
const arriveAt = (attempt: number) => {
  let attempts = 0
  return async () => {
    attempts++
    if (attempts < attempt) throw failure
    return 'part'
  }
}

test('a part whose file does not arrive is loaded again at growing intervals, for as long as the service is away', async () => {
  const { load, pauses } = createLoader('unreachable')
  expect(await load(arriveAt(10))).toBe('part')
  expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000, 8000, 8000])
})

test('a file that stays missing while the service answers is given up after three attempts', async () => {
  const { load, pauses } = createLoader('same')
  const error = await load(arriveAt(100)).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(PartError)
  expect(error).toMatchObject({ isOutdated: false, cause: failure })
  expect(pauses).toHaveLength(2)
})

test('another build is reported at once', async () => {
  const { load, pauses } = createLoader('unreachable', 'other')
  expect(await load(arriveAt(100)).catch((thrown: unknown) => thrown)).toMatchObject({ isOutdated: true })
  expect(pauses).toEqual([250])
})

test('an error within a part is not retried', async () => {
  const { load, pauses } = createLoader('same')
  const broken = async () => {
    throw new RangeError('broken')
  }
  await expect(load(broken)).rejects.toThrow(RangeError)
  expect(pauses).toEqual([])
})
