import { expect, test } from 'vitest'
import { createTestClock } from '../../../test/clock.ts'
import { createRecentTexts } from './recent-texts.ts'

const MiB = 1024 * 1024
const clock = createTestClock()
const open = () => createRecentTexts({ maxCharacters: 1_000, perf: { now: () => clock.now().getTime() } })

const toFile = (organizationId: string, id: string, version = 1) => ({ organizationId, id, version })
const fourMiB = { text: 'x'.repeat(2 * MiB - 1_000), title: 'Large' }

test('FIL-30 an organization that reads many large files drops its oldest texts, and none of others', () => {
  const recent = open()
  recent.keep(toFile('other', 'a'), { text: 'Theirs' })
  for (let n = 0; n < 20; n++) {
    recent.keep(toFile('mine', `f${n}`), fourMiB)
    recent.find(toFile('mine', 'f0'))
  }
  const kept = Array.from({ length: 20 }, (_, n) => n).filter((n) => recent.find(toFile('mine', `f${n}`)))
  expect(kept).toEqual([0, 17, 18, 19])
  expect(recent.find(toFile('other', 'a'))?.text).toBe('Theirs')
  expect([recent.find(toFile('other', 'f0')), recent.find(toFile('mine', 'f0', 2))]).toEqual([undefined, undefined])
})

test('FIL-30 all organizations together take bounded memory, and a text beyond a share is not kept', () => {
  const recent = open()
  const names = Array.from({ length: 40 }, (_, n) => `o${n}`)
  for (const name of names) recent.keep(toFile(name, 'f'), fourMiB)
  expect(names.filter((name) => recent.find(toFile(name, 'f')))).toHaveLength(16)
  recent.keep(toFile('o39', 'huge'), { text: 'x'.repeat(8 * MiB) })
  expect(recent.find(toFile('o39', 'huge'))).toBeUndefined()
  expect(recent.find(toFile('o39', 'f'))).toBeDefined()
})

test('FIL-30 a text expires five minutes after it was read last', () => {
  const recent = open()
  recent.keep(toFile('o', 'f'), { text: 'Text' })
  for (let n = 0; n < 3; n++) {
    clock.advance({ minutes: 4 })
    expect(recent.find(toFile('o', 'f'))?.text).toBe('Text')
  }
  clock.advance({ minutes: 6 })
  expect(recent.find(toFile('o', 'f'))).toBeUndefined()
})
