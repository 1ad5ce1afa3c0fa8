// Uses the package in its framework: its tools and its memory, in an agent of Mastra.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Agent } from '@mastra/core/agent'
import { MastraLanguageModelV2Mock } from '@mastra/core/test-utils/llm-mock'
import { brainTools } from '@noema/mastra/tools'
import { brainTools as aiTools } from '@noema/sdk/ai'
import {
  aborted,
  allTools,
  deletedBrain,
  listPending,
  loadExample,
  openBrain,
  proposal,
  readingTools,
  readOnly,
} from './adapter-brains.mjs'

const brain = await openBrain('handbook')
const { createAgent } = await loadExample('mastra')
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }

/** A model that answers with these contents, one per step. */
const scriptModel = (...contents) => {
  const prompts = []
  const model = new MastraLanguageModelV2Mock({
    doGenerate: async ({ prompt }) => {
      prompts.push(prompt)
      const [content] = contents.splice(0, 1)
      const finishReason = content.type === 'text' ? 'stop' : 'tool-calls'
      return { content: [content], finishReason, usage, warnings: [], rawCall: { rawPrompt: null, rawSettings: {} } }
    },
  })
  return { model, prompts }
}
const call = (toolName, input) => ({
  type: 'tool-call',
  toolCallId: `m_${toolName}`,
  toolName,
  input: JSON.stringify(input),
})
const text = (words) => ({ type: 'text', text: words })

test('an agent has read what is relevant, and uses the tools', async () => {
  const { model, prompts } = scriptModel(call('knowledge_search', { query: 'Who leads Apollo?' }), text('Ada does.'))
  const agent = await createAgent(model)
  const { text: said, toolResults } = await agent.generate('Who leads Apollo?')
  assert.equal(said, 'Ada does.')
  const system = prompts[0].filter(({ role }) => role === 'system').map(({ content }) => content)
  assert.match(system.join('\n'), /Answer from the Brain.*> .*Apollo/s)
  assert.match(JSON.stringify([toolResults, prompts[1]]), /ada/)
})

test('a call that is repeated writes once, in a change that waits for review', async () => {
  const tools = await brainTools(brain)
  assert.deepEqual(Object.keys(tools), allTools)
  for (let time = 0; time < 2; time++) {
    const { model } = scriptModel(call('knowledge_write', proposal), text('Done.'))
    await new Agent({ id: 'a', name: 'a', instructions: '', model, tools }).generate('Write')
  }
  assert.equal((await listPending(brain)).length, 1)
})

test('a key that only reads has no tool to write, and refusals are answers', async () => {
  const tools = await brainTools(await readOnly('handbook'))
  assert.deepEqual(Object.keys(tools), readingTools)
  assert.match(await tools.knowledge_read.execute({ action: 'get_record', id: 'none' }, {}), /^not_found: /)
})

test('an abort ends a call, and a deleted Brain is an error', async () => {
  const { knowledge_search: search } = await brainTools(brain)
  await assert.rejects(search.execute({ query: 'x' }, { abortSignal: aborted() }), /stopped|abort/i)
  await assert.rejects(brainTools(await deletedBrain('gone')), { kind: 'not_found' })
})

test('an agent also takes the tools for the AI SDK', async () => {
  const { model, prompts } = scriptModel(call('knowledge_search', { query: 'Apollo' }), text('Ada.'))
  const agent = new Agent({ id: 'a', name: 'a', instructions: '', model, tools: await aiTools(brain) })
  assert.equal((await agent.generate('Who leads Apollo?')).text, 'Ada.')
  assert.match(JSON.stringify(prompts[1]), /ada/)
})
