import { hash } from 'node:crypto'

/** Every provider of models takes such a name of a tool: 64 of these, the first no digit and no hyphen. */
const maxLength = 64
const isName = /^[A-Za-z_][A-Za-z0-9_-]*$/

const toMarked = (requested: string, source: string): string => {
  const mark = hash('sha256', `${source} ${requested}`).slice(0, 8)
  const usable = requested.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replace(/^(?![A-Za-z_])/, '_')
  return `${usable.slice(0, maxLength - mark.length - 1)}_${mark}`
}

/**
 * Gives tools their names. A name that models do not take, or that another tool has, is cut and marked by a hash of the original
 * and of `source`, so that it is the same each time a run's tools are listed.
 */
export const createToolNames = (): ((requested: string, source: string) => string) => {
  const taken = new Set<string>()
  return (requested, source) => {
    const isUsable = isName.test(requested) && requested.length <= maxLength && !taken.has(requested)
    const name = isUsable ? requested : toMarked(requested, source)
    taken.add(name)
    return name
  }
}
