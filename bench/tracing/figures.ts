import type { TracedFunction } from './instrument.ts'

/** The way of one trip in numbers. */
export type Figures = {
  /** Distinct named functions. */
  functions: number
  files: number
  /** The number of calls of a function in another file than the previous call. */
  moves: number
  /** The number of entries into each room from another, in the order of the first time. */
  rooms: Record<string, number>
}

const withoutRepeats = (values: readonly string[]): string[] =>
  values.filter((value, at) => at === 0 || value !== values[at - 1])

/** A feature with its area where there are areas, or another folder of the server. */
const findRoom = (file: string): string => {
  const [workspace = '', , folder = '', ...rest] = file.split('/')
  if (workspace !== 'server') return workspace
  if (rest.length === 0) return 'src'
  return folder === 'features' ? rest.slice(0, -1).slice(0, 2).join('/') : folder
}

const countEach = (values: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

export const sumUp = (calls: readonly TracedFunction[]): Figures => {
  const files = calls.map(({ file }) => file)
  return {
    functions: new Set(calls.map(({ file, name, line }) => `${file}:${line} ${name}`)).size,
    files: new Set(files).size,
    moves: Math.max(0, withoutRepeats(files).length - 1),
    rooms: countEach(withoutRepeats(files.map(findRoom))),
  }
}

/** The whole way as text: a line a stay in a file, its calls in their order. */
export const describePath = (calls: readonly TracedFunction[]): string => {
  const lines: string[] = []
  for (const [at, { file, name, line }] of calls.entries()) {
    const before = calls[at - 1]
    if (before?.file !== file) lines.push(file)
    const call = `    ${name} :${line}`
    const [same, count = '1'] = lines.at(-1)?.split(' ×') ?? []
    if (same === call) lines[lines.length - 1] = `${call} ×${Number(count) + 1}`
    else lines.push(call)
  }
  return lines.join('\n')
}
