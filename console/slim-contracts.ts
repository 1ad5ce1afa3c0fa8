import type { Plugin } from 'vite'
import { api } from '../contracts/src/api.ts'

// The SDK needs the method, the path and the flags of each endpoint. The schemas of requests and responses are for the service,
// and the schema library alone is larger than the frame of the pages may be.

const isSchema = (value: unknown): boolean => typeof value === 'object' && value !== null && '_zod' in value
const left = new Set(['result', 'summary', 'description', 'errors', 'status', 'bodyLimit', 'makesBrain'])

const toPlain = (name: string, value: unknown): unknown => {
  if (left.has(name)) return undefined
  // The service decides who may call. A client only needs to know whether an endpoint reads, so that it can retry.
  if (name === 'access' && typeof value === 'string') return undefined
  return isSchema(value) ? {} : value
}

/** Replaces the contracts' tree of endpoints by the parts that a client needs. Types stay the same. */
export const slimContracts = (): Plugin => ({
  name: 'slim-contracts',
  apply: 'build',
  load(id) {
    if (!id.endsWith('/contracts/src/api.ts')) return undefined
    return `export const api = ${JSON.stringify(api, toPlain)}`
  },
})
