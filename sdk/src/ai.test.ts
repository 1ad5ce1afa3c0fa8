import { generateText, isStepCount, type ToolSet } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { expect, test } from 'vitest'
import { tools as served } from '../../server/src/api/tools/tools.ts'
import { useApp, useBrain } from '../../server/src/test/harness.ts'
import { brainTools } from './ai.ts'
import { type BrainClient, createClient } from './client.ts'

const app = useApp()
const made = useBrain(app)

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

type Asked = { toolName: string; input: object }

/** A model that calls these tools, one per step, and then finishes. */
const scriptModel = (...asked: Asked[]) =>
  new MockLanguageModelV4({
    doGenerate: [
      ...asked.map(({ toolName, input }, place) => ({
        content: [
          {
            type: 'tool-call' as const,
            toolCallId: `call_${place}_${toolName}`,
            toolName,
            input: JSON.stringify(input),
          },
        ],
        finishReason: { unified: 'tool-calls' as const, raw: undefined },
        usage,
        warnings: [],
      })),
      {
        content: [{ type: 'text' as const, text: 'Done.' }],
        finishReason: { unified: 'stop' as const, raw: undefined },
        usage,
        warnings: [],
      },
    ],
  })

const runTools = async (tools: ToolSet, ...asked: Asked[]) => {
  const model = scriptModel(...asked)
  const { text, steps } = await generateText({ model, tools, stopWhen: isStepCount(9), prompt: 'go' })
  return { text, model, answers: steps.flatMap((step) => step.toolResults.map(({ output }) => String(output))) }
}

const openBrain = async (capabilities: string[]): Promise<BrainClient> =>
  createClient({ baseUrl: app.base, apiKey: await made.mintKey(capabilities) }).brain(made.brain.handle)

test("a model gets the tools of the Brain's MCP server, in its words, with a schema for each", async () => {
  const tools = await brainTools(await openBrain(['read', 'write']))
  expect(Object.keys(tools)).toEqual([
    'knowledge_search',
    'knowledge_context',
    'knowledge_query',
    'knowledge_read',
    'knowledge_write',
  ])
  const { model } = await runTools(tools)
  const shown = model.doGenerateCalls[0]?.tools ?? []
  for (const tool of shown) {
    const { description } = served.find(({ name }) => name === tool.name) ?? {}
    expect(tool).toMatchObject({
      description: expect.stringContaining(description ?? 'none'),
      inputSchema: { type: 'object' },
    })
  }
  expect(shown[0]).toMatchObject({ inputSchema: { properties: { query: {} }, required: ['query'] } })
  expect(JSON.stringify(shown[4])).not.toContain('"review"')
})

test('a model’s writes wait for review in a Brain in direct mode, and a repeated call writes once', async () => {
  const brain = await openBrain(['read', 'write', 'review'])
  const tools = await brainTools(brain)
  const write = {
    toolName: 'knowledge_write',
    input: { operations: [{ op: 'record.create', kind: 'person', slug: 'ada', fields: { name: 'Ada' } }] },
  }
  const { text, answers } = await runTools(tools, write)
  await runTools(tools, write)
  expect(text).toBe('Done.')
  expect(JSON.parse(answers[0] ?? '')).toMatchObject({ outcome: 'staged' })
  const { changes } = await brain.changes.list({ decision: 'pending' })
  expect(changes).toHaveLength(1)
  await brain.changes.decide(changes[0]?.id ?? '', { decision: 'approved' })
  const read = await runTools(
    tools,
    { toolName: 'knowledge_search', input: { query: 'Ada' } },
    { toolName: 'knowledge_query', input: { kind: 'person', where: { slug: 'ada' } } },
    { toolName: 'knowledge_context', input: { query: 'Who is Ada?' } },
    { toolName: 'knowledge_read', input: { action: 'list_records' } },
  )
  expect(read.answers).toHaveLength(4)
  for (const answer of read.answers) expect(answer).toContain('Ada')
})

test('a refusal is an answer that the model reads, and a key that reads alone opens no writing', async () => {
  const tools = await brainTools(await openBrain(['read']))
  expect(Object.keys(tools)).not.toContain('knowledge_write')
  const { answers } = await runTools(tools, {
    toolName: 'knowledge_read',
    input: { action: 'get_record', id: 'rec_none' },
  })
  expect(answers[0]).toMatch(/^not_found: /)
})

test('a call with a wrong key rejects as any call of the SDK does', async () => {
  const brain = createClient({ baseUrl: app.base, apiKey: 'nbk_wrong', maxRetries: 0 }).brain('brain')
  await expect(brainTools(brain)).rejects.toMatchObject({ kind: 'unauthorized' })
})
