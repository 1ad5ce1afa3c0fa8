// Uses the package in its framework: its retriever, tools and memory block, in LlamaIndex.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callTool } from '@llamaindex/core/agent'
import { createMemory } from '@llamaindex/core/memory'
import { BrainMemoryBlock } from '@noema/llamaindex/memory'
import { BrainRetriever } from '@noema/llamaindex/retriever'
import { brainTools } from '@noema/llamaindex/tools'
import { openMessageLog } from '@noema/sdk/message-log'
import {
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
const { listTools, memory, retrieve } = await loadExample('llamaindex')
const quiet = { log: () => {}, error: () => {}, warn: () => {} }

test('the retriever gives nodes whose answers can be traced', async () => {
  const nodes = await retrieve('Who leads Apollo?')
  const ada = nodes.find(({ node }) => node.id_ === 'ada')
  assert.match(ada.node.text, /Apollo/)
  assert.equal(typeof ada.score, 'number')
  assert.equal(ada.node.metadata.version, 1)
  const { receipt } = await brain.receipts.get(ada.node.metadata.receipt)
  assert.ok(receipt.served.records.some(({ id }) => id === 'ada'))
  await assert.rejects(new BrainRetriever(await deletedBrain('gone')).retrieve('Apollo'), { kind: 'not_found' })
})

test('LlamaIndex calls the tools, whose writes wait for review, and reads refusals', async () => {
  const tools = await listTools()
  assert.deepEqual(
    tools.map(({ metadata }) => metadata.name),
    allTools,
  )
  const call = async (name, input) => {
    const tool = tools.find(({ metadata }) => metadata.name === name)
    return (await callTool(tool, { id: 'call_1', name, input: JSON.stringify(input) }, quiet)).output
  }
  assert.match(await call('knowledge_search', { query: 'Who leads Apollo?' }), /"ada"/)
  assert.match(await call('knowledge_write', proposal), /"staged"/)
  assert.equal((await listPending(brain)).length, 1)
  assert.match(await call('knowledge_read', { action: 'get_record', id: 'none' }), /^not_found: /)
  const reading = await brainTools(await readOnly('handbook'))
  assert.deepEqual(
    reading.map(({ metadata }) => metadata.name),
    readingTools,
  )
})

test('a memory gives the model what the Brain knows about the latest messages', async () => {
  await memory.add({ role: 'user', content: 'Who leads Apollo?' })
  const messages = await memory.getLLM()
  assert.equal(messages[0].role, 'memory')
  assert.match(messages[0].content, /> .*Apollo/)
  assert.equal(messages.at(-1).content, 'Who leads Apollo?')
})

test('a block stores messages that leave the short-term memory, each once', async () => {
  const block = new BrainMemoryBlock(brain, { sessionId: 'long' })
  const long = createMemory({ tokenLimit: 20, shortTermTokenLimitRatio: 0.5, memoryBlocks: [block] })
  for (const text of ['one', 'two', 'three', 'four'])
    await long.add({ role: 'user', content: `${text} ${'word '.repeat(8)}` })
  await long.manageMemoryBlocks()
  const stored = async () =>
    (await openMessageLog(brain, { id: 'long' }).list()).map(({ content }) => content.split(' ')[0])
  assert.deepEqual(await stored(), ['one', 'two', 'three', 'four'].slice(0, (await stored()).length))
  assert.ok((await stored()).length > 0)
  const messages = [{ id: 'm1', role: 'user', content: 'again' }]
  await block.put(messages)
  await block.put(messages)
  assert.equal((await stored()).filter((text) => text === 'again').length, 1)
})
