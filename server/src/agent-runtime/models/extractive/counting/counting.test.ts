import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { createExtractiveModel } from '../extractive.ts'
import { ask, contextOutput, toTool } from '../prompts.fixture.ts'
import { findKind, readCount } from './conditions.ts'

// Counts by the tools of a Brain with a few hundred orders. Each tool answers as a run's does.

const model = createExtractiveModel()

type Fields = Record<string, string | number | boolean | null>
type Input = { action?: string; kind?: string; limit?: number; after?: string; where?: Fields; count?: boolean }
/** `countsWhere`: whether the tool for queries counts by conditions, as it does for indexed fields; undefined: it cannot count. */
type Brain = { orders: readonly Fields[]; countsWhere?: boolean }

const makeOrders = (length: number): Fields[] =>
  Array.from({ length }, (_, index) => ({
    ...{ customer: index % 5 === 0 ? 'Alder Foods' : 'Birch Books', city: index % 2 === 0 ? 'Lyon' : 'Porto' },
    ...{ status: index % 10 === 0 ? 'late' : 'paid', isGift: index % 4 === 0, total: 1_000 + index },
  }))

const queryOrders = ({ orders, countsWhere }: Brain, { kind, limit = 50, after = '0', where, count }: Input) => {
  if (where !== undefined && countsWhere !== true) return undefined
  const all = orders.filter((one) => Object.entries(where ?? {}).every(([name, value]) => one[name] === value))
  const end = Number(after) + limit
  const records = kind === 'order' ? all.slice(Number(after), end).map((fields) => ({ fields })) : []
  const value = { value: all.length, exact: true }
  return { records, cursor: String(end), hasMore: end < all.length, ...(count ? { count: value } : {}) }
}

const callTool = (brain: Brain, name: string, input: Input) => {
  if (name === 'knowledge_context') return contextOutput([], { evidence: 'none' })
  if (name === 'knowledge_query') return queryOrders(brain, input)
  return input.action === 'get' ? { schema: { kinds: [] } } : { emerged: [{ kind: 'order', field: null }] }
}

const names = ['knowledge_context', 'knowledge_query', 'knowledge_read', 'knowledge_schema']

/** Runs the model until it answers. */
const answer = async (question: string, brain: Brain) => {
  const properties: Record<string, object> = brain.countsWhere === undefined ? {} : { count: {} }
  const options: LanguageModelV4CallOptions = {
    prompt: ask(question),
    tools: names.map((name) => ({ ...toTool(name), inputSchema: { type: 'object', properties } })),
  }
  const calls: string[] = []
  for (;;) {
    const { content } = await model.doGenerate(options)
    const called = content.filter((part) => part.type === 'tool-call')
    if (called.length === 0)
      return { calls, text: content.flatMap((one) => (one.type === 'text' ? one.text : [])).join('') }
    calls.push(...called.map(({ toolName, input }) => `${toolName} ${input}`))
    const step = calls.length
    options.prompt.push(
      {
        role: 'assistant',
        content: called.map((part, index) => ({
          ...part,
          toolCallId: `${step}-${index}`,
          input: JSON.parse(part.input),
        })),
      },
      {
        role: 'tool',
        content: called.map(({ toolName, input }, index) => {
          const value = callTool(brain, toolName, JSON.parse(input))
          const output = value
            ? { type: 'json' as const, value: JSON.parse(JSON.stringify(value)) }
            : { type: 'error-text' as const, value: 'index_not_ready' }
          return { type: 'tool-result' as const, toolCallId: `${step}-${index}`, toolName, output }
        }),
      },
    )
  }
}

test.each([
  ['How many orders are there?', '200 records of the kind "order".'],
  ['How many orders are late?', '20 records of the kind "order" with status: late.'],
  ['How many late orders are there in total?', '20 records of the kind "order" with status: late.'],
  [
    'How many orders of Alder Foods are paid?',
    '20 records of the kind "order" with customer: Alder Foods, status: paid.',
  ],
  ['How many orders go to Lyon?', '100 records of the kind "order" with city: Lyon.'],
  ['How many orders are a gift?', '50 records of the kind "order" with isGift: true.'],
  ['How many orders have the status late?', '20 records of the kind "order" with status: late.'],
])('%j is counted over all records', async (question, counted) => {
  const { text } = await answer(question, { orders: makeOrders(200) })
  expect(text).toBe(`Counted (noema/extractive quotes and does not reason):\n\n${counted}`)
})

test.each([
  'How many orders were refunded?',
  'How many orders are not late?',
  'How many orders over 1005 are there?',
  'How many orders are late or paid?',
  'How many orders of Alder are late?',
  'How many customers are there?',
  'How many different cities do orders go to?',
])('%j has a word that no field explains, so nothing is counted', async (question) => {
  expect((await answer(question, { orders: makeOrders(200) })).text).toMatch(/^No answer found\./)
})

test('the same words as values of two fields are not counted: either may be meant', async () => {
  const orders = [
    { city: 'Lyon', origin: 'Porto' },
    { city: 'Porto', origin: 'Lyon' },
  ]
  expect((await answer('How many orders are there from Lyon?', { orders })).text).toMatch(/^No answer found\./)
})

test('records are read page by page up to a bound, and then there are at least so many', async () => {
  const { text, calls } = await answer('How many orders are late?', { orders: makeOrders(5_000) })
  expect(text).toContain(
    'At least 200 records of the kind "order" with status: late, of the first 2000 that were read.',
  )
  expect(calls.filter((call) => call.startsWith('knowledge_query'))).toEqual([
    'knowledge_query {"kind":"order","limit":500}',
    ...['500', '1000', '1500'].map((after) => `knowledge_query {"kind":"order","limit":500,"after":"${after}"}`),
  ])
})

test('a tool that counts is asked for the count, with the conditions where their fields are indexed', async () => {
  const orders = makeOrders(5_000)
  const all = await answer('How many orders are there?', { orders, countsWhere: false })
  expect(all.text).toContain('\n\n5000 records of the kind "order".')
  expect(all.calls.slice(3)).toEqual(['knowledge_query {"kind":"order","limit":500,"count":true}'])
  const late = await answer('How many orders are late?', { orders, countsWhere: true })
  expect(late.text).toContain('\n\n500 records of the kind "order" with status: late.')
  expect(late.calls.slice(4)).toEqual([
    'knowledge_query {"kind":"order","where":{"status":"late"},"limit":1,"count":true}',
  ])
  const read = await answer('How many orders are late?', { orders, countsWhere: false })
  expect(read.text).toContain('At least 200 records')
})

test('a question that counts nothing asks for no kinds', async () => {
  const { calls } = await answer('What is an order?', { orders: [] })
  expect(calls).toEqual(['knowledge_context {"query":"What is an order?"}'])
})

test('kinds are named in the singular or plural, of one word or several', () => {
  const find = (question: string, kinds: string[]) => findKind(readCount(question) ?? '', kinds)
  expect(find('How many support tickets are open?', ['ticket', 'supportTicket'])).toBe('supportTicket')
  expect(find('How many people are there?', ['person'])).toBeUndefined()
  expect(find('How many customers are waiting for their very first orders?', ['order'])).toBeUndefined()
})
