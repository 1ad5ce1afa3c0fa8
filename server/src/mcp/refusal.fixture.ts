import type { CallToolResult } from '@modelcontextprotocol/client'
import { expect } from 'vitest'
import { addBrain, type TestApp, type TestBrain, type TestMember } from '../test/app.ts'
import { connectClient } from './mcp-client.fixture.ts'
import { brokenSentencesIn, readTexts, wordsOfHttpIn } from './words.fixture.ts'

// A Brain with one record, and calls of tools that are well-formed and that the state of the Brain refuses.

type Tools = Awaited<ReturnType<typeof connectClient>>
export type Scene = { brain: TestBrain; tools: Tools; write: (...operations: object[]) => Promise<CallToolResult> }

/** The name, the expected kind and code, and the call. */
export type Refusal = [name: string, expected: string, run: (scene: Scene) => Promise<CallToolResult>]

export const person = { op: 'record.put', id: 'ada', kind: 'person', slug: 'ada', fields: { name: 'Ada' } }
export const subject = { id: 'ada', kind: 'person' }
export const born = { op: 'statement.assert', subject, predicate: 'born', object: { value: 1815 } }

/** A strict kind with a field of each sort, to be proposed. */
export const declared = {
  op: 'addKind',
  kind: 'person',
  strict: true,
  fields: [
    { name: 'name', type: 'string', required: true },
    { name: 'mail', type: 'string', unique: true },
    { name: 'age', type: 'integer', indexed: true },
    { name: 'note', type: 'text' },
  ],
  links: [{ predicate: 'knows', to: ['person'] }],
}

export const propose = ({ tools }: Scene, ...operations: object[]): Promise<CallToolResult> =>
  tools.call('knowledge_schema', { action: 'evolve', baseVersion: 0, operations })

export const decide = ({ tools }: Scene, id: string, given: object = {}): Promise<CallToolResult> =>
  tools.call('knowledge_decide', { id, decision: 'approved', ...given })

/** The id of the change that a call made. */
export const readChange = ({ structuredContent }: CallToolResult): string =>
  (structuredContent as { change: { id: string } }).change.id

/** Checks the expected refusal, in sentences and in terms of tools. */
export const checkRefusal = (refused: CallToolResult, expected: string): void => {
  expect(refused.isError, JSON.stringify(refused.structuredContent)).toBe(true)
  const { kind, code } = (refused.structuredContent as { error: { kind: string; code?: string } }).error
  expect([kind, ...(code === undefined ? [] : [code])].join(' ')).toBe(expected)
  expect(readTexts(refused).filter((text) => wordsOfHttpIn(text).length > 0)).toEqual([])
  expect(brokenSentencesIn(refused)).toEqual([])
}

let made = 0

/** Runs a refusal on a new Brain. */
export const runRefusal = async (app: TestApp, member: TestMember, [, expected, run]: Refusal): Promise<void> => {
  const handle = `brain-${++made}`
  const brain = await addBrain(app, member, handle)
  const tools = await connectClient(app, { key: brain.key, handle })
  const write: Scene['write'] = (...operations) => tools.call('knowledge_write', { operations })
  await write(person)
  checkRefusal(await run({ brain, tools, write }), expected)
  await tools.close()
}
