import type { CallToolResult } from '@modelcontextprotocol/client'

// Texts for a model use the terms of tools, because a model knows no body, header or status.

const wordsOfHttp = [
  /\b(body|query|path|params|headers)\.\w/,
  /\bheaders?\b/i,
  /If-Match|Idempotency-Key|x-organization-id|content-type/i,
  /\b(PUT|PATCH|POST|GET|DELETE)\b/,
  /HTTPS?\b/,
  /\/v1\b|\/api\//,
  /\b(201|202|204|400|401|403|404|405|409|410|413|415|422|429|500|501|502|503|504)\b/,
  /\bstatus \d/,
]

/** Bounds of a contract that look like a status. */
const bounds = /(?:\b(?:to|most) |<=)(?:200|500)\b/g

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : []
}

/** All that a refused call says: the lines that are shown, and each text of the error as data. */
export const readTexts = ({
  content,
  structuredContent,
}: Pick<CallToolResult, 'content' | 'structuredContent'>): string[] => [
  ...content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  ...textsIn(structuredContent),
]

/** The words of HTTP in a text; there should be none. */
export const wordsOfHttpIn = (text: string): string[] => {
  const rest = text.replaceAll(bounds, '')
  return wordsOfHttp.flatMap((words) => words.exec(rest)?.[0] ?? [])
}

type Reported = { message: string; details?: { message: string }[] }

/** The messages of a refused call that are no sentence. */
export const brokenSentencesIn = ({ structuredContent }: Pick<CallToolResult, 'structuredContent'>): string[] => {
  const { message, details = [] } = (structuredContent as { error: Reported }).error
  return [message, ...details.map((detail) => detail.message)].filter((text) => !/^\S.{4,}[.]$/s.test(text))
}
