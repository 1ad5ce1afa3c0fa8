import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import { createExtractiveModel } from '../extractive.ts'
import { toTool } from '../prompts.fixture.ts'

const model = createExtractiveModel()
const tools = ['knowledge_context', 'knowledge_read', 'knowledge_write'].map(toTool)
const instructions = 'Propose what documents say of people.\nnoema/extractive: propose statements'

const text = `Ada Lovelace: I work at Noema.
Bob Marsh: Good to know. I prefer mail.
Ada Lovelace: Fine.
Bob Marsh: Bye.`
const shown = {
  document: { id: 'call-1', version: 3, title: 'A call', metadata: { text: 'x' }, text },
  stateVersion: 2,
}

type Answer = { call: { toolName: string; input: object }; output: object | string }

const askedBy = (question: string, answers: readonly Answer[] = []): LanguageModelV4CallOptions => ({
  tools,
  prompt: [
    { role: 'system', content: instructions },
    { role: 'user', content: [{ type: 'text', text: question }] },
    ...answers.flatMap(({ call, output }, index): LanguageModelV4Prompt => {
      const ids = { toolCallId: `opr_${index}`, toolName: call.toolName }
      const value = JSON.parse(JSON.stringify(output))
      return [
        { role: 'assistant', content: [{ type: 'tool-call', ...ids, input: call.input }] },
        {
          role: 'tool',
          content: [
            {
              ...{ type: 'tool-result', ...ids },
              output: typeof output === 'string' ? { type: 'error-text', value: output } : { type: 'json', value },
            },
          ],
        },
      ]
    }),
  ],
})

const event = JSON.stringify({ type: 'document.served', data: { document: { id: 'call-1' }, version: 3 } })
const read = { toolName: 'knowledge_read', input: { action: 'get_document', id: 'call-1' } }
const find = (slug: string) => ({
  toolName: 'knowledge_read',
  input: { action: 'list_records', kind: 'person', slug, limit: 1 },
})

const takeStep = async (options: LanguageModelV4CallOptions) => {
  const { content } = await model.doGenerate(options)
  return {
    calls: content.flatMap((part) =>
      part.type === 'tool-call' ? [{ toolName: part.toolName, input: JSON.parse(part.input) }] : [],
    ),
    text: content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
    sources: content.flatMap((part) => (part.type === 'source' ? [part.providerMetadata?.noema] : [])),
  }
}

const looked: Answer[] = [
  { call: read, output: shown },
  { call: find('ada-lovelace'), output: { records: [{ id: 'rec_1', kind: 'person', slug: 'ada-lovelace' }] } },
  { call: find('bob-marsh'), output: { records: [] } },
]
const readHeld = { toolName: 'knowledge_read', input: { action: 'list_statements', subject: 'rec_1', limit: 200 } }
const held = (...values: string[]): Answer => ({
  call: readHeld,
  output: {
    statements: values.map((value) => ({
      subject: { id: 'rec_1', kind: 'person' },
      predicate: 'works at',
      object: { value },
    })),
  },
})

test('a new document is read, its people are looked up, and what it says of them is written for review with its sentence', async () => {
  expect((await takeStep(askedBy(event))).calls).toEqual([read])
  expect((await takeStep(askedBy(event, looked.slice(0, 1)))).calls).toEqual([find('ada-lovelace'), find('bob-marsh')])
  expect((await takeStep(askedBy(event, looked))).calls).toEqual([readHeld])
  const { calls } = await takeStep(askedBy(event, [...looked, held('Acme')]))
  const statement = (id: string, predicate: string, value: string, quote: string) => ({
    ...{ op: 'statement.assert', subject: { id, kind: 'person' }, predicate, object: { value } },
    sources: [{ document: 'call-1', version: 3, quote }],
  })
  expect(calls).toEqual([
    {
      toolName: 'knowledge_write',
      input: {
        operations: [
          {
            op: 'record.put',
            id: 'person-bob-marsh',
            kind: 'person',
            slug: 'bob-marsh',
            fields: { name: 'Bob Marsh' },
          },
          statement('rec_1', 'works at', 'Noema', 'I work at Noema.'),
          statement('person-bob-marsh', 'prefers', 'mail', 'I prefer mail.'),
        ],
        review: true,
      },
    },
  ])
})

test('it ends with a report of the changes that wait for review, with the document as its source', async () => {
  const written = { outcome: 'staged', change: { id: 'chg_7', decision: 'pending' }, results: [] }
  const wrote = { call: { toolName: 'knowledge_write', input: {} }, output: written }
  const { text: reported, sources, calls } = await takeStep(askedBy(event, [...looked, held(), wrote]))
  expect(calls).toEqual([])
  expect(reported).toContain('Proposed 2 statements from document "call-1" version 3')
  expect(reported).toContain('as the change chg_7')
  expect(reported).toContain('- Ada Lovelace works at Noema\n  > I work at Noema.')
  expect(sources).toEqual([
    { type: 'document', id: 'call-1', version: 3, quotes: ['I work at Noema.', 'I prefer mail.'] },
  ])
})

test('a statement that the Brain already has is not proposed again', async () => {
  const { calls } = await takeStep(askedBy(event, [...looked, held('Noema')]))
  expect(calls[0]?.input.operations).toHaveLength(2)
  expect(JSON.stringify(calls)).not.toContain('works at')
  const one = { ...shown, document: { ...shown.document, text: 'Ada Lovelace works at Noema.' } }
  const all = [{ call: read, output: one }, ...looked.slice(1, 2), held('Noema')]
  expect(await takeStep(askedBy(event, all))).toMatchObject({ calls: [], text: expect.stringContaining('holds all') })
})

test('failed reads and writes are reported, and no call is repeated', async () => {
  const gone = await takeStep(askedBy(event, [{ call: read, output: 'not_found: There is no document call-1.' }]))
  expect(gone).toMatchObject({ calls: [], text: expect.stringContaining('There is no document call-1') })
  const refused = {
    call: { toolName: 'knowledge_write', input: {} },
    output: 'forbidden: This run may only read here.',
  }
  const reported = await takeStep(askedBy(event, [...looked, held(), refused]))
  expect(reported).toMatchObject({ calls: [], text: expect.stringContaining('may only read here') })
  const empty = { ...shown, document: { ...shown.document, text: '今天天气很好。' } }
  expect(await takeStep(askedBy(event, [{ call: read, output: empty }]))).toMatchObject({
    ...{ calls: [], text: expect.stringContaining('nothing is proposed') },
  })
})

test('of a long document that was cut, the part that was shown is read', async () => {
  const json = JSON.stringify({ document: { ...shown.document, text: `${text}\n"quoted" ${'x'.repeat(500)}` } })
  for (const end of [420, 330, 331, 332, 333]) {
    const cut = { truncated: true, note: 'cut', beginning: json.slice(0, end) }
    expect((await takeStep(askedBy(event, [{ call: read, output: cut }]))).calls).toHaveLength(2)
  }
})

test('a question is answered by quoting also where the agent may write, and without the line in its instructions nothing is proposed', async () => {
  expect((await takeStep(askedBy('Where does Ada work?'))).calls[0]?.toolName).toBe('knowledge_context')
  const options = askedBy(event)
  const [, ...rest] = options.prompt
  const other = { ...options, prompt: [{ role: 'system' as const, content: 'Answer.' }, ...rest] }
  expect((await takeStep(other)).calls[0]?.toolName).toBe('knowledge_context')
})

test('a person may name the document', async () => {
  for (const words of ['Read document call-1.', 'Please read the document "call-1" again'])
    expect((await takeStep(askedBy(words))).calls).toEqual([read])
})
