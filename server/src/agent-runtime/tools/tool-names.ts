import { hash } from 'node:crypto'

/** What every provider of models takes as a tool's name: 64 of these, the first no digit and no hyphen. */
const maxLength = 64
const isName = /^[A-Za-z_][A-Za-z0-9_-]*$/

const toMark = (text: string): string => hash('sha256', text).slice(0, 8)

/**
 * Gives tools their names. A name that a model could not be told, or that another tool has, is cut and marked by a hash of what
 * was wanted and of `source`, so that it is the same each time a run's tools are listed.
 */
export const createToolNames = (): ((wanted: string, source: string) => string) => {
  const taken = new Set<string>()
  return (wanted, source) => {
    const isUsable = isName.test(wanted) && wanted.length <= maxLength && !taken.has(wanted)
    const mark = toMark(`${source} ${wanted}`)
    const spoken = wanted.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replace(/^(?![A-Za-z_])/, '_')
    const name = isUsable ? wanted : `${spoken.slice(0, maxLength - mark.length - 1)}_${mark}`
    taken.add(name)
    return name
  }
}
