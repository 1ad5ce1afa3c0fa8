import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { validation } from '../shared/errors.ts'
import { parseWith } from './parse.ts'
import { checkKeepable, type JsonSource, parseCounted } from './read-json.ts'

// A body as its endpoint declares it. Nothing here needs more than the bytes and the contracts, so that any thread can do it.

export const bodyJson: JsonSource = { what: 'The body', root: ['body'], maxDepth: 64 }

/** What was read, and how many values were in it. */
export type ReadBody = { body: unknown; values: number }

/** The body of a call of an endpoint; one without bytes was not sent. */
export const readBody = (endpoint: Endpoint, bytes: Uint8Array): ReadBody => {
  const { value, values } = parseCounted(bytes, bodyJson)
  checkKeepable(value, bodyJson.root)
  if (!endpoint.body) return { body: undefined, values: 0 }
  if (value === undefined && !endpoint.bodyOptional) throw validation('This call needs a JSON body.')
  return { body: parseWith(endpoint.body, value === undefined ? {} : value, ['body']), values }
}
