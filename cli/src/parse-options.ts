import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Context, GlobalOptions } from './context.ts'
import { UsageError } from './exit-codes.ts'

const defaultLimit = 100
const maxLimit = 1_000_000

/** Parses the number of items to list, and the page size. */
export const parseListLimit = (given: string | undefined): { limit: number; page: number } => {
  const limit = given === undefined ? defaultLimit : /^\d{1,7}$/.test(given) ? Number(given) : 0
  if (limit < 1 || limit > maxLimit) throw new UsageError(`--limit is a whole number from 1 to ${maxLimit}.`)
  // One additional item shows whether there are more.
  return { limit, page: Math.min(500, limit + 1) }
}

/** A whole number that an option gives. */
export const parseNumber = (given: string | undefined, option: string): number | undefined => {
  if (given === undefined) return undefined
  if (!/^\d{1,15}$/.test(given)) throw new UsageError(`${option} is a whole number.`)
  return Number(given)
}

/** The time of --expires: null if it is `never`. */
export const parseExpiry = (given: string): string | null => {
  if (given === 'never') return null
  const time = new Date(given)
  if (Number.isNaN(time.getTime())) throw new UsageError('--expires is a time such as 2027-01-31T12:00:00Z, or never.')
  return time.toISOString()
}

/** The words of an option that are separated by commas. */
export const splitList = (given: string | undefined): string[] | undefined =>
  given?.split(',').map((part) => part.trim())

/** Reads a file, or standard input for -. */
export const readInput = async ({ stdin, cwd }: Context, file: string): Promise<string> => {
  if (file === '-' && 'isTTY' in stdin && stdin.isTTY === true)
    throw new UsageError('Nothing is piped to standard input: name a file, or pipe the text into the command.')
  const source = file === '-' ? text(stdin) : readFile(resolve(cwd, file), 'utf8')
  return source.catch(() => {
    throw new UsageError(`${file} cannot be read.`)
  })
}

/** Reads a JSON file, or standard input for -. The service validates its content and names each wrong field. */
export const readJsonInput = async <Value>(context: Context, file: string): Promise<Value> => {
  const content = await readInput(context, file)
  try {
    return JSON.parse(content) as Value
  } catch {
    throw new UsageError(`${file === '-' ? 'Standard input' : file} is not JSON.`)
  }
}

/** Fields given as name=value: JSON where it is, else text. */
export const parseFields = (given: readonly string[] = []): Record<string, unknown> =>
  Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new UsageError(`${JSON.stringify(pair)} is no field: write name=value.`)
      return [pair.slice(0, at), parseValue(pair.slice(at + 1))]
    }),
  )

/** A value: JSON where it is, else text. */
export const parseValue = (value: string): unknown => {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** Asks before something is taken away: at a terminal by a question, elsewhere only `--yes` will do. */
export const confirmLoss = async (
  { ask, signal }: Context,
  options: GlobalOptions & { yes?: boolean },
  question: string,
): Promise<void> => {
  if (options.yes) return
  if (!ask) throw new UsageError('There is no terminal to ask on: confirm with --yes.')
  if (!(await ask(question))) throw new UsageError('Nothing was done.')
  signal.throwIfAborted()
}
