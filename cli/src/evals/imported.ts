import type { Client } from '@noema/sdk'

type NewEval = Parameters<Client['evals']['create']>[0]
type ImportedCase = NewEval['cases'][number]
export type ImportedGrader = NewEval['graders'][number]
export type Expected = Exclude<ImportedCase['expected'], string | undefined>

/** Cases and graders of a file, and the parts that have no counterpart, each with its place and the reason. */
export type Imported = {
  name: string | undefined
  cases: ImportedCase[]
  graders: ImportedGrader[]
  unmapped: { place: string; reason: string }[]
}

/** Gathers the cases of a file. Their ids are those of the file, or numbers. */
export const createGathering = () => {
  const imported: Imported = { name: undefined, cases: [], graders: [], unmapped: [] }
  const ids = new Set<string>()
  const toId = (given: unknown, number: number): string => {
    const text =
      typeof given === 'string' ? given.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '') : ''
    const proposed = text.slice(0, 60) || `case-${number}`
    const id = ids.has(proposed) ? `${proposed.slice(0, 55)}-${number}` : proposed
    ids.add(id)
    return id
  }
  return {
    imported,
    report: (place: string, reason: string): void => void imported.unmapped.push({ place, reason }),
    add: (given: unknown, number: number, rest: { input: string; expected: Expected }): void => {
      const { input, expected } = rest
      imported.cases.push({ id: toId(given, number), input, ...(Object.keys(expected).length > 0 ? { expected } : {}) })
    },
    /** Adds a grader once. */
    grade: (grader: ImportedGrader): void => {
      if (!imported.graders.some((one) => JSON.stringify(one) === JSON.stringify(grader))) imported.graders.push(grader)
    },
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const toTexts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string' && one !== '')
