import { expect, test } from 'vitest'
import { functionSizes } from './function-sizes.ts'
import { sourceFiles } from './source-files.ts'

// A file that outgrows its reader is split by subject. Aim for half of these.
const maxFileLines = 300
const maxFunctionLines = 60

test(`no file is longer than ${maxFileLines} lines`, () => {
  const long = sourceFiles({ tests: true }).filter(({ text }) => text.split('\n').length > maxFileLines + 1)
  expect(long.map(({ path }) => path)).toEqual([])
})

test(`no function has more than ${maxFunctionLines} lines that are not blank`, () => {
  const long = sourceFiles()
    .flatMap(functionSizes)
    .filter(({ lines }) => lines > maxFunctionLines)
  expect(long.map(({ path, line, lines }) => `${path}:${line} has ${lines}`)).toEqual([])
})
