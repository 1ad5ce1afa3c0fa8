import { expect, test } from 'vitest'
import { sourceFiles } from './source-files.ts'

// A file that outgrows its reader is split by subject. Aim for half of this. (Functions: Biome stops at 60 lines.)
const mostLines = 300

test(`no file is longer than ${mostLines} lines`, () => {
  const long = sourceFiles({ tests: true }).filter(({ text }) => text.split('\n').length > mostLines + 1)
  expect(long.map(({ path }) => path)).toEqual([])
})
