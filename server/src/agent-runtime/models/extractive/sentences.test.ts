import { expect, test } from 'vitest'
import { readWorked } from '../../../test/worked.ts'
import { splitSentences } from './sentences.ts'

const split = (text: string) => [...splitSentences(text)]

test('a text is split into its sentences, and each line by itself', () => {
  expect(split('Ada works at Acme. She likes tea!\nBob: I will come.\r\n\r\nname: Bob')).toEqual([
    ...['Ada works at Acme.', 'She likes tea!', 'Bob: I will come.', 'name: Bob'],
  ])
})

test('points of abbreviations, numbers, addresses and German days end no sentence', () => {
  expect(split('Dr. Smith of J. Doe, e.g. version 2.5, see http://x.test/?q=1. Am 3. Mai kam sie.')).toEqual([
    'Dr. Smith of J. Doe, e.g. version 2.5, see http://x.test/?q=1.',
    'Am 3. Mai kam sie.',
  ])
})

test('scripts without spaces are split by their own marks', () => {
  expect(split('艾达在柏林工作。她喜欢茶！好（是）。是吗？')).toEqual([
    '艾达在柏林工作。',
    '她喜欢茶！',
    '好（是）。',
    '是吗？',
  ])
})

test('a sentence that never ends is cut between words, and nothing of it is lost or broken', () => {
  const parts = split('word '.repeat(1_000))
  expect(parts.every(({ length }) => length <= 600)).toBe(true)
  expect(parts.join(' ').split(' ')).toHaveLength(1_000)
  expect(split('😀'.repeat(1_000)).every((part) => part.isWellFormed())).toBe(true)
})

test('hostile texts are split in time', () => {
  const began = readWorked()
  for (const piece of ['.', '. a', 'a. )))', '!?', 'Dr. ', '3. Mai ', '(', '\n'])
    for (const _sentence of splitSentences(piece.repeat(200_000 / piece.length)));
  expect(readWorked() - began).toBeLessThan(3_000)
})
