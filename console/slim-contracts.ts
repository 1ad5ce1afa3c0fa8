import type { Plugin } from 'vite'
import { api } from '../contracts/src/api.ts'

// The SDK reads of the contracts how each endpoint is called: method, path and flags. The schemas of what is sent and
// answered are for the service, and their library alone is heavier than the frame of the pages may be.

const isSchema = (value: unknown): boolean => typeof value === 'object' && value !== null && '_zod' in value
const left = new Set(['result', 'summary', 'description', 'errors', 'status', 'bodyLimit', 'makesBrain'])

const toPlain = (name: string, value: unknown): unknown => {
  if (left.has(name)) return undefined
  // Who may call is the service's to decide; that something only reads tells a client that it may ask again.
  if (name === 'access' && typeof value === 'string') return undefined
  return isSchema(value) ? {} : value
}

/** Puts in place of the contracts' tree of endpoints what a client needs of it. Types are as they were. */
export const slimContracts = (): Plugin => ({
  name: 'slim-contracts',
  apply: 'build',
  load(id) {
    if (!id.endsWith('/contracts/src/api.ts')) return undefined
    return `export const api = ${JSON.stringify(api, toPlain)}`
  },
})
