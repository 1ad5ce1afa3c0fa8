/** Numbers from 0 to 1 that look random and are the same in every run (mulberry32). */
const createRandom = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

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
