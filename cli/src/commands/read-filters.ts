import type { BrainClient } from '@noema/sdk'
import { UsageError } from '../exit-codes.ts'
import { splitList } from '../parse-options.ts'

type Filters = Pick<NonNullable<Parameters<BrainClient['context']>[0]>, 'kinds' | 'types' | 'metadata'> & {
  source?: string
  since?: string
  until?: string
}

/** The options that search and context filter by. */
export type FilterOptions = {
  kinds?: string
  types?: string
  source?: string
  since?: string
  until?: string
  metadata?: string[]
}

const types = ['record', 'statement', 'document'] as const

const parseType = (name: string) => {
  const type = types.find((known) => known === name)
  if (!type) throw new UsageError(`Unknown type ${JSON.stringify(name)} in --types; known are ${types.join(', ')}.`)
  return type
}

/** A time that an option gives, with a day as its start in UTC. */
const parseTime = (option: string, given: string): string => {
  const time = new Date(given)
  if (Number.isNaN(time.getTime()) || !/^\d{4}-\d\d-\d\d/.test(given))
    throw new UsageError(`${option} is a day or a time, such as 2026-03-01 or 2026-03-01T12:00:00Z.`)
  return time.toISOString()
}

const parseMetadata = (given: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new UsageError(`${JSON.stringify(pair)} is no value of metadata: write key=value.`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )

/** The filters of a search or context. */
export const readFilters = ({ kinds, types: named, source, since, until, metadata }: FilterOptions): Filters => ({
  ...(kinds === undefined ? {} : { kinds: splitList(kinds) ?? [] }),
  ...(named === undefined ? {} : { types: (splitList(named) ?? []).map(parseType) }),
  ...(source === undefined ? {} : { source }),
  ...(since === undefined ? {} : { since: parseTime('--since', since) }),
  ...(until === undefined ? {} : { until: parseTime('--until', until) }),
  ...(metadata === undefined ? {} : { metadata: parseMetadata(metadata) }),
})
