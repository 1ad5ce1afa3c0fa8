import type { Client } from '@noema/sdk'
import { NotFound, UsageError } from '../exit-codes.ts'

export type Eval = Awaited<ReturnType<Client['evals']['get']>>['eval']

/** The eval that a command line means, by its id or its name. Throws where no eval has that name, or several have. */
export const findEval = async (client: Client, given: string, signal: AbortSignal): Promise<Eval> => {
  if (/^evl_[0-9a-z]{26}$/.test(given)) return (await client.evals.get(given, { signal })).eval
  const named: Eval[] = []
  for await (const one of client.evals.list({ archived: 'false', limit: 500 }, { signal }))
    if (one.name === given) named.push(one)
  const [found, another] = named
  if (!found) throw new NotFound(`No eval is named ${JSON.stringify(given)}. See \`noema evals list\`.`)
  if (!another) return found
  const ids = named.map(({ id }) => id).join(', ')
  throw new UsageError(`${named.length} evals are named ${JSON.stringify(given)}. Give the id of one: ${ids}.`)
}
