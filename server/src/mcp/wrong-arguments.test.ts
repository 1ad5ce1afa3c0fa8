import type { CallToolResult } from '@modelcontextprotocol/client'
import { beforeAll, expect, test } from 'vitest'
import { createKeyAuthentication } from '../access/authenticate-key.ts'
import type { Principal } from '../access/principal.ts'
import { createInvoke } from '../api/invoke.ts'
import { callTool } from '../api/tools/call-tool.ts'
import { type Tool, tools } from '../api/tools/tools.ts'
import { createLog } from '../shared/log.ts'
import { useApp, useBrain } from '../test/harness.ts'
import { toCallToolResult } from './protocol.ts'
import { brokenSentencesIn, readTexts, wordsOfHttpIn } from './words.fixture.ts'

// Every action of every tool is called with correct arguments, and then with each part of them wrong: missing, of another
// type, beyond every bound, next to an unknown property. A model reads the answers.

type Arguments = Record<string, unknown>

const app = useApp()
const brain = useBrain(app)
const ids = { record: '', statement: '', document: 'note', change: '' }
let call: (tool: Tool, given: Arguments) => Promise<CallToolResult>

beforeAll(async () => {
  const record = await brain.call('POST', '/records', { kind: 'person', slug: 'ada', fields: { name: 'Ada' } })
  ids.record = record.body.data.record.id
  const subject = { id: ids.record, kind: 'person' }
  const statement = await brain.call('POST', '/statements', { subject, predicate: 'born', object: { value: 1815 } })
  ids.statement = statement.body.data.statement.id
  await brain.call('POST', '/documents', { id: ids.document, text: 'A note.' })
  await brain.call('PATCH', '', { mode: 'review' })
  const staged = await brain.call('PATCH', `/records/${ids.record}`, { fields: { name: 'Ada L.' } })
  ids.change = staged.body.data.change.id
  await brain.call('PATCH', '', { mode: 'direct' })
  const { deps } = app.app
  const principal = await createKeyAuthentication(deps).authenticate(brain.key, 'brain')
  const toolDeps = { ...deps, invoke: createInvoke(deps), log: createLog('silent') }
  call = async (tool, given) => toCallToolResult(await callTool(toolDeps, tool, given, principal as Principal))
})

const common = { asOf: 0, after: undefined, limit: 5 }
/** One call of every action that is right in its form. A new action joins by a line here. */
const samples = (): Record<string, Arguments> => {
  const { record, statement, document, change } = ids
  const settling = { id: change, idempotencyKey: 'k-1' }
  return {
    'knowledge_search.search': {
      q: 'ada',
      mode: 'lexical',
      types: ['record'],
      kinds: ['person'],
      limit: 3,
      consumerId: 'me',
    },
    'knowledge_context.read': {
      messages: [{ role: 'user', content: 'Who is Ada?' }],
      budget: { tokens: 500 },
      kinds: ['person'],
      include: ['record'],
      consumerId: 'me',
      limit: 3,
    },
    'knowledge_query.query': {
      kind: 'person',
      where: { slug: { eq: 'ada' } },
      select: ['name'],
      links: { predicate: 'knows', depth: 1 },
      limit: 5,
    },
    'knowledge_read.get_record': { id: record, asOf: 1 },
    'knowledge_read.list_records': { kind: 'person', slug: 'ada', ...common },
    'knowledge_read.record_history': { id: record, limit: 5 },
    'knowledge_read.neighbours': { id: record, depth: 2, perRecord: 5, asOf: 1 },
    'knowledge_read.get_statement': { id: statement, asOf: 2 },
    'knowledge_read.list_statements': { subject: record, predicate: 'born', retracted: false, ...common },
    'knowledge_read.get_document': { id: document, version: 1 },
    'knowledge_read.list_documents': { source: 'wiki', ...common },
    'knowledge_read.document_versions': { id: document, limit: 5 },
    'knowledge_read.get_receipt': { id: 'rcp_none' },
    'knowledge_read.list_receipts': { consumerId: 'me', record, limit: 5 },
    'knowledge_events.list': { types: ['record.accepted'], limit: 5 },
    'knowledge_write.write': {
      operations: [
        {
          op: 'record.put',
          id: 'p',
          kind: 'person',
          fields: { name: 'P' },
          links: [{ predicate: 'knows', to: record }],
          ref: 'p',
        },
        { op: 'record.patch', id: 'p', fields: { name: 'Q' }, ifMatch: 1 },
        { op: 'statement.assert', subject: { id: '$ref:p', kind: 'person' }, predicate: 'is', object: { value: true } },
        {
          op: 'document.put',
          id: 'd',
          text: 'A text.',
          title: 'D',
          source: { name: 'wiki' },
          occurredAt: '2026-01-01T00:00:00Z',
        },
      ],
      idempotencyKey: 'k-2',
    },
    'knowledge_merge.merge': { id: record, into: 'p', keep: { name: 'from' }, reason: 'The same', ifMatch: 9 },
    'knowledge_schema.get': { version: 0 },
    'knowledge_schema.list_emerged': { limit: 5 },
    'knowledge_schema.evolve': {
      baseVersion: 0,
      operations: [{ op: 'addKind', kind: 'Person', fields: [{ name: 'born', type: 'date', required: true }] }],
      reason: 'because',
    },
    'knowledge_schema.promote': { emerged: ['person.name'], as: 'text', reason: 'because' },
    'knowledge_changes.list': { decision: 'pending', application: 'not_applied', limit: 5 },
    'knowledge_changes.get': { id: change },
    'knowledge_changes.preview': { id: change, questions: ['Who is Ada?'], limit: 3, consumerId: 'me' },
    'knowledge_changes.comment': { id: change, text: 'It looks right.' },
    'knowledge_decide.decide': {
      decision: 'approved',
      items: ['1'],
      edits: { '1': { fields: { name: 'A' } } },
      publish: false,
      reason: 'because',
      ...settling,
    },
    'knowledge_decide.publish': settling,
    'knowledge_decide.cancel': { reason: 'because', ...settling },
    'knowledge_decide.rebase': settling,
    'knowledge_decide.revert': { reason: 'because', ...settling },
  }
}

const actions = tools.flatMap((tool) => Object.keys(tool.actions).map((action) => ({ tool, action })))

const wrong: readonly unknown[] = [
  ...[undefined, null, true, 0, -1, 1.5, 10 ** 12, Number.MAX_VALUE, Number.POSITIVE_INFINITY],
  ...['', ' ', 'nothing', '$ref:none', 'a\0b', '\ud800', 'x'.repeat(5_000), [], ['nothing'], [7], {}, { a: 1 }],
]

/** Every value that is like `given` but wrong in one position. */
function* mistakes(given: unknown): Generator<unknown> {
  yield* wrong
  if (Array.isArray(given)) {
    for (const [at, item] of given.entries()) for (const mistake of mistakes(item)) yield given.with(at, mistake)
    yield Array.from({ length: 1_001 }, () => given[0])
  } else if (given !== null && typeof given === 'object') {
    for (const [name, item] of Object.entries(given))
      for (const mistake of mistakes(item)) yield { ...given, [name]: mistake }
    yield { ...given, surplus: 1 }
    yield JSON.parse(JSON.stringify(given).replace('{', '{"__proto__":{},'))
  }
}

/** The correct arguments with one mistake: in a value, in a present or in a missing property. */
function* wrongArguments(tool: Tool, right: Arguments): Generator<Arguments> {
  const names = new Set(Object.values(tool.actions).flatMap((endpoint) => Object.keys(endpoint.query?.shape ?? {})))
  for (const name of [...names, 'surplus', 'handle', 'idempotencyKey', 'ifMatch']) {
    if (name in right) continue
    for (const value of wrong) if (value !== undefined) yield { ...right, [name]: value }
  }
  for (const [name, value] of Object.entries(right)) {
    const { [name]: _left, ...rest } = right
    yield rest
    for (const mistake of mistakes(value)) yield { ...right, [name]: mistake }
  }
}

test('every action of every tool has its sample here', () => {
  expect(Object.keys(samples())).toEqual(actions.map(({ tool, action }) => `${tool.name}.${action}`))
})

test.each(actions)(
  'D-55 any fault in the arguments of $tool.name $action is described in sentences and in terms of tools',
  async ({ tool, action }) => {
    const right = samples()[`${tool.name}.${action}`] ?? {}
    const first = await call(tool, { action, ...right })
    expect(first.structuredContent).not.toMatchObject({ error: { kind: 'validation' } })
    const seen = new Set<string>()
    const bad: unknown[] = []
    for (const given of wrongArguments(tool, right)) {
      const answer = await call(tool, { action, ...given })
      if (!answer.isError) continue
      const reported = readTexts(answer).filter((text) => wordsOfHttpIn(text).length > 0)
      const broken = brokenSentencesIn(answer)
      const { kind } = (answer.structuredContent as { error: { kind: string } }).error
      seen.add(JSON.stringify(answer.structuredContent))
      if (reported.length + broken.length > 0 || kind === 'internal')
        bad.push({ given: JSON.stringify(given).slice(0, 300), reported, broken, kind })
    }
    expect(bad.slice(0, 5)).toEqual([])
    expect(seen.size).toBeGreaterThan(5)
  },
)
