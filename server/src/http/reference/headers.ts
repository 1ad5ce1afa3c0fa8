import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { takesJson } from '@noema/contracts/endpoint.ts'

// The headers of answers.

const text = { type: 'string' }

const described = {
  'x-request-id': {
    description: 'The id of the request, for the log. A fitting one that you send is echoed.',
    schema: text,
    example: '0198f3a2-7c11-7e0c-9d5a-3f6b8f0c2d41',
  },
  'RateLimit-Policy': {
    description:
      'How many requests may be sent at once (q) and in how many seconds as many may be sent again (w): by the key or address, and by the organization.',
    schema: text,
    example: '"key";q=5000;w=10, "organization";q=10000;w=10',
  },
  RateLimit: {
    description:
      'Of the policy that is closest to its end: how many requests are left (r), and in how many seconds all are (t).',
    schema: text,
    example: '"key";r=4999;t=1',
  },
  'Retry-After': {
    description: 'In how many seconds the same request may succeed.',
    schema: { type: 'integer', minimum: 1 },
    example: 5,
  },
  'WWW-Authenticate': {
    description: 'The scheme of authentication.',
    schema: text,
    example: 'Bearer',
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored answer to an earlier request with the same idempotency key.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'Ignored-Fields': {
    description: 'The paths of body fields that are not declared, with commas between them; +N means N more.',
    schema: text,
    example: 'feilds, provenance.srouce',
  },
  'Preference-Applied': {
    description: 'The preferences of Prefer that were applied: handling=strict, wait.',
    schema: text,
    example: 'handling=strict',
  },
}

type Name = keyof typeof described

/** The names of their components: short, because nearly every answer refers to several of them. */
const componentNames: Readonly<Record<Name, string>> = {
  'x-request-id': 'Id',
  'RateLimit-Policy': 'Policy',
  RateLimit: 'Rate',
  'Retry-After': 'Retry',
  'WWW-Authenticate': 'Scheme',
  'Idempotent-Replayed': 'Replayed',
  'Ignored-Fields': 'Ignored',
  'Preference-Applied': 'Applied',
}

/** The headers as components. */
export const headers = Object.fromEntries(
  Object.entries(described).map(([name, header]) => [componentNames[name as Name], header]),
)

/** References to headers, by the names that answers have for them. */
export const referTo = (names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${componentNames[name]}` }]))

/** The headers of a success. Nearly every answer also has the limits, which the document describes once. */
export const successHeaders = (endpoint: Endpoint) =>
  referTo([
    'x-request-id',
    ...(endpoint.idempotencyKey ? (['Idempotent-Replayed'] as const) : []),
    ...(takesJson(endpoint) ? (['Ignored-Fields', 'Preference-Applied'] as const) : []),
  ])

const afterTheBody = new Set([400, 404, 409])

/** The headers of an error. */
export const errorHeaders = (status: number) =>
  referTo([
    'x-request-id',
    ...(status === 429 ? (['RateLimit-Policy', 'RateLimit'] as const) : []),
    ...(afterTheBody.has(status) ? (['Ignored-Fields', 'Preference-Applied'] as const) : []),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
  ])
