import { isObject } from '@noema/contracts/json.ts'
import type { ProviderKind } from '@noema/contracts/providers.ts'

// Checks that a successful response of a provider is one of its API. A sign-in page, for one, has status 200, too.

type Expected = { name: string; matches: (body: { [name: string]: unknown }) => boolean }

const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0

// Servers without a model send null instead of an empty list.
const isListed = (value: unknown): boolean => Array.isArray(value) || value === null

const listOfModels: Expected = {
  name: 'a list of models',
  matches: ({ data, models }) => isListed(data) || isListed(models),
}

const answers: Record<ProviderKind, Expected> = {
  openai: { name: 'a response with output', matches: ({ output }) => Array.isArray(output) },
  'openai-compatible': { name: 'a completion with choices', matches: ({ choices }) => isFilled(choices) },
  // One token may not be enough for any content.
  anthropic: { name: 'a message with content', matches: ({ content }) => Array.isArray(content) },
  google: { name: 'a response with candidates', matches: ({ candidates }) => isFilled(candidates) },
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The message of an error as these APIs send it, with any status; undefined if there is none. */
export const findErrorMessage = (text: string): string | undefined => {
  const body = parse(text)
  if (!isObject(body)) return
  const message = isObject(body.error) ? body.error.message : body.error
  return typeof message === 'string' ? message : undefined
}

/** Returns how a successful response differs from that of the API; undefined if it does not. */
export const findMismatch = (text: string, kind: ProviderKind, isList: boolean): string | undefined => {
  const reason = findErrorMessage(text)
  if (reason !== undefined) return reason
  const expected = isList ? listOfModels : answers[kind]
  const body = parse(text)
  if (isObject(body) && expected.matches(body)) return
  // Some compatible servers list their models without an object around them.
  if (isList && Array.isArray(body)) return
  const begins = text.trim() === '' ? 'It is empty.' : `It begins: ${text.trimStart()}`
  return `The response is not as its API describes it: it is not ${expected.name}. ${begins}`
}
