import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { z } from 'zod'
import { refuseAt } from '../shared/errors.ts'
import { isJsonObject } from '../shared/text/json.ts'
import { type Ignored, parseBody } from './parse.ts'
import { checkKeepable, type JsonSource, parseCounted } from './read-json.ts'

// A body as its endpoint declares it. Nothing here needs more than the bytes and the contracts, so that any thread can do it.

export const bodyJson: JsonSource = { what: 'The body', root: ['body'], maxDepth: 64 }

/** A body as an operation gets it, and the fields that its contract does not declare. */
export type Body = { body: unknown; ignored: Ignored }

/** A body that was read, and how many values it had. */
export type ReadBody = Body & { values: number }

const ignoresNothing: Ignored = { paths: [], count: 0 }

/** The schema of a body that is sent to an endpoint without one. */
const noFields = z.object({})

/** Reads the body of a call; one without bytes was not sent. `isStrict`: refuses fields that are not declared. */
export const readBody = (endpoint: Endpoint, bytes: Uint8Array, isStrict: boolean): ReadBody => {
  const { value, values } = parseCounted(bytes, bodyJson)
  checkKeepable(value, bodyJson.root)
  const how = { root: bodyJson.root, isStrict }
  if (!endpoint.body) {
    const ignored = isJsonObject(value) ? parseBody(noFields, value, how).ignored : ignoresNothing
    return { body: undefined, ignored, values: 0 }
  }
  if (value === undefined && !endpoint.bodyOptional) throw refuseAt(bodyJson.root, 'This call needs a JSON body.')
  return { ...parseBody(endpoint.body, value === undefined ? {} : value, how), values }
}
