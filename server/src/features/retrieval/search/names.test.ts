import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findNames } from './names.ts'

const list = (text: string, max = 16) => findNames(text, max).map((name) => name.text)

test('QRY-06 names are capitalized words, with joining words and numbers between and behind them', () => {
  expect(list('It was made by the Rank Organisation, near the University of Leeds in 1988.')).toEqual([
    'Rank Organisation',
    'University of Leeds',
  ])
  expect(list('the BWV 1033, by Johann S. Bach and Ærø')).toEqual(['BWV 1033', 'Johann S. Bach and Ærø'])
  expect(list('no names here, the only word being and')).toEqual([])
  expect(list('The And Of')).toEqual([])
})

test('QRY-06 a name is listed once, headlines are left out, and no more names than asked for are read', () => {
  expect(list('Rank Organisation … rank … Rank, Rank\nOrganisation')).toEqual(['Rank Organisation', 'Rank'])
  expect(list('One Two Three Four Five Six Seven Eight Nine')).toEqual([])
  expect(list('Ada, Bob, Cid', 2)).toEqual(['Ada', 'Bob'])
})

test('QRY-06 any text is read in its own time, and each name is in it', () => {
  const pieces = fc.array(
    fc.constantFrom('Ada', ' ', '\n', 'of', ' of', 'X.', "O'", '1', '東京', '\ud83d', 'é', '     '),
    {
      maxLength: 200,
    },
  )
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('')
      for (const { text: name, terms } of findNames(text, 16)) {
        expect(text.replace(/\s+/g, ' ')).toContain(name)
        expect(terms.length).toBeGreaterThan(0)
      }
    }),
  )
  const hostile = `${'A '.repeat(20_000)}${'A          '.repeat(5_000)}${'Aof'.repeat(5_000)}`
  const since = performance.now()
  findNames(hostile, 16)
  expect(performance.now() - since).toBeLessThan(1_000)
})
