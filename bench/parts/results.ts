import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Effort, Machine } from './comparison.ts'
import type { Line } from './report.ts'

// What benchmarks found, a file for each of them. Not kept in git: they are of this machine.

/** A benchmark's lines with all that is needed to tell of them. Lines of a curve say of what size they are. */
export type Result = {
  benchmark: string
  about: string
  floor: string
  peer?: string | undefined
  /** Of a curve: what there is more and more of. */
  of?: string | undefined
  measuredAt: string
  machine: Machine
  effort: Effort
  lines: Line[]
}

export const resultsFolder = fileURLToPath(new URL('../results/', import.meta.url))

export const saveResult = (folder: string, result: Result): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${result.benchmark}.json`), `${JSON.stringify(result, undefined, 2)}\n`)
}

export const readResult = (folder: string, benchmark: string): Result | undefined => {
  try {
    return JSON.parse(readFileSync(join(folder, `${benchmark}.json`), 'utf8')) as Result
  } catch {
    return undefined
  }
}

/** All that was found, by the order of their names. */
export const readResults = (folder: string): Result[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => readResult(folder, name.replace(/\.json$/, '')) ?? [])
