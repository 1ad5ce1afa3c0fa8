import { createRandom } from './random.ts'

const syllables = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu'.split(' ')

const makeWord = (rank: number): string => {
  let word = ''
  for (let rest = rank + 20; rest > 0; rest = Math.floor(rest / 20)) word += syllables[rest % 20]
  return word
}

const vocabulary = 30_000

/** Texts of words that are as common as those of a language: the nth is about 1/n as common as the first (Zipf). */
export const createTexts = (seed: number): ((words: number) => string) => {
  const random = createRandom(seed)
  const word = () => makeWord(Math.floor(vocabulary ** random()) - 1)
  return (words) => Array.from({ length: words }, word).join(' ')
}
