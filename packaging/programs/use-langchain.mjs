// Uses the package in its framework: its retriever, tools, store and history, in LangChain and LangGraph.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { BrainChatHistory } from '@noema/langchain/history'
import { BrainRetriever } from '@noema/langchain/retriever'
import { BrainStore } from '@noema/langchain/store'
import { brainTools } from '@noema/langchain/tools'
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
const { answer, retrieve } = await loadExample('langchain')

test('the retriever gives documents whose answers can be traced', async () => {
  const documents = await retrieve('Who leads Apollo?')
  const ada = documents.find(({ metadata }) => metadata.id === 'ada')
  assert.match(ada.pageContent, /Apollo/)
  assert.deepEqual(
    { type: ada.metadata.type, version: ada.metadata.version, kind: ada.metadata.kind },
    { type: 'record', version: 1, kind: 'person' },
  )
  assert.ok(['strong', 'weak'].includes(ada.metadata.evidence))
  const { receipt } = await brain.receipts.get(ada.metadata.receipt)
  assert.ok(receipt.served.records.some(({ id }) => id === 'ada'))
})

test('a text keeps its lines, and options choose method, types, limit and state', async () => {
  const read = (options) => new BrainRetriever(brain, options).invoke('When does Apollo start?')
  const [whole] = await read({ types: ['document'] })
  assert.equal(whole.pageContent, 'Apollo starts in May.\n> It needs a rocket.\n\nAnd fuel.')
  const snippets = await read({ method: 'search', types: ['document'], limit: 1, minEvidence: 'weak' })
  assert.equal(snippets.length, 1)
  assert.match(snippets[0].pageContent, /May/)
  assert.deepEqual(await read({ asOf: 0 }), [])
  assert.deepEqual(await read({ kinds: ['invoice'], types: ['record'] }), [])
})

test('an agent uses the tools, and a repeated call of the graph writes once', async () => {
  const model = fakeModel()
    .respondWithTools([{ name: 'knowledge_search', args: { query: 'Who leads Apollo?' }, id: 'lc_1' }])
    .respond((messages) => new AIMessage(`Found: ${messages.at(-1).text}`))
  assert.match(await answer(model, 'Who leads Apollo?'), /Found: .*"ada"/s)
  const tools = await brainTools(brain)
  assert.deepEqual(
    tools.map(({ name }) => name),
    allTools,
  )
  const call = { name: 'knowledge_write', args: proposal, id: 'lc_2', type: 'tool_call' }
  const node = new ToolNode(tools)
  const graph = new StateGraph(MessagesAnnotation).addNode('tools', node).addEdge(START, 'tools').compile()
  const asked = { messages: [new AIMessage({ content: '', tool_calls: [call] })] }
  await graph.invoke(asked)
  await graph.invoke(asked)
  assert.equal((await listPending(brain)).length, 1)
})

test('a key that only reads has no tool to write, and refusals are answers', async () => {
  const tools = await brainTools(await readOnly('handbook'))
  assert.deepEqual(
    tools.map(({ name }) => name),
    readingTools,
  )
  const read = tools.find(({ name }) => name === 'knowledge_read')
  assert.match(await read.invoke({ action: 'get_record', id: 'none' }), /^not_found: /)
  await assert.rejects(new BrainStore(await readOnly('handbook')).put(['a'], 'b', {}), { kind: 'forbidden' })
})

test('an abort ends a retrieval and a call of a tool', async () => {
  await assert.rejects(new BrainRetriever(brain).invoke('Apollo', { signal: aborted() }), /stopped|abort/i)
  const [search] = await brainTools(brain)
  await assert.rejects(search.invoke({ query: 'Apollo' }, { signal: aborted() }), /stopped|abort/i)
})

test('the store puts, gets, replaces and deletes, and reads a batch as it was before it', async () => {
  const store = new BrainStore(brain)
  await store.put(['users', 'ada'], 'color', { color: 'green', shade: undefined })
  await store.put(['users', 'ada'], 'color', { color: 'blue' })
  const item = await store.get(['users', 'ada'], 'color')
  assert.deepEqual(
    { ...item, createdAt: 0, updatedAt: 0 },
    {
      ...{ namespace: ['users', 'ada'], key: 'color', value: { color: 'blue' }, createdAt: 0, updatedAt: 0 },
    },
  )
  assert.ok(item.updatedAt instanceof Date)
  const [before] = await store.batch([
    { namespace: ['users', 'ada'], key: 'color' },
    { namespace: ['users', 'ada'], key: 'color', value: { color: 'red' } },
    { namespace: ['users', 'ada'], key: 'color', value: null },
    { namespace: ['users', 'ada'], key: 'odd / key', value: { odd: true } },
  ])
  assert.equal(before.value.color, 'blue')
  assert.equal(await store.get(['users', 'ada'], 'color'), null)
  assert.equal((await store.get(['users', 'ada'], 'odd / key')).value.odd, true)
  await store.delete(['users', 'ada'], 'color')
  await Promise.all([1, 2].map(() => store.delete(['users', 'ada'], 'odd / key')))
})

test('the store searches under a prefix, by query, filter and page, and lists namespaces', async () => {
  const store = new BrainStore(brain, { kind: 'fact' })
  for (const [user, food, rank] of [
    ['bob', 'noodles', 1],
    ['bob', 'bread', 2],
    ['bobby', 'noodles', 3],
  ])
    await store.put(['eaters', user, 'food'], food, { text: `${user} likes ${food}`, rank })
  const search = async (prefix, options) =>
    (await store.search(prefix, options)).map(({ namespace, key }) => `${namespace[1]} ${key}`)
  assert.deepEqual(await search(['eaters', 'bob']), ['bob bread', 'bob noodles'])
  assert.deepEqual(await search(['eaters', 'bob'], { query: 'noodles' }), ['bob noodles'])
  assert.deepEqual(await search([], { filter: { rank: { $gte: 2 } } }), ['bob bread', 'bobby noodles'])
  assert.deepEqual(await search([], { limit: 1, offset: 1 }), ['bob noodles'])
  const [first] = await store.search(['eaters'], { query: 'noodles' })
  assert.equal(typeof first.score, 'number')
  await assert.rejects(store.search([], { filter: { rank: { $near: 2 } } }), /takes .*\$eq/)
  await assert.rejects(
    new BrainStore(brain, { kind: 'fact', maxRead: 2 }).search([], { filter: { rank: 9 } }),
    /More than 2 items/,
  )
  assert.deepEqual(await store.listNamespaces({ prefix: ['eaters'], maxDepth: 2 }), [
    ['eaters', 'bob'],
    ['eaters', 'bobby'],
  ])
  assert.deepEqual(await store.listNamespaces({ suffix: ['food'], limit: 1, offset: 1 }), [['eaters', 'bobby', 'food']])
})

test('a query finds the items of a namespace although a hundred others match better', async () => {
  const store = new BrainStore(brain, { kind: 'note' })
  const others = Array.from({ length: 101 }, (_, index) => ({
    namespace: ['other'],
    key: `${index}`,
    value: { text: 'rocket fuel' },
  }))
  await store.batch([
    ...others,
    { namespace: ['mine'], key: 'one', value: { text: 'A rocket, among many other and much longer words' } },
  ])
  assert.deepEqual(
    (await store.search(['mine'], { query: 'rocket fuel' })).map(({ key }) => key),
    ['one'],
  )
})

test('the store reports a deleted Brain, large items and ids, and waits for review', async () => {
  const store = new BrainStore(brain)
  await assert.rejects(new BrainStore(await deletedBrain('gone')).get(['a'], 'b'), { kind: 'not_found' })
  await assert.rejects(store.put(['a'], 'big', { text: 'x'.repeat(2 ** 20) }), { kind: 'validation' })
  await assert.rejects(store.put(['a'], 'k'.repeat(300), {}), /at most 200/)
  await assert.rejects(store.put(['a'], 'b', {}, false), /index: false/)
  const reviewed = await openBrain('reviewed', 'review')
  const waiting = new BrainStore(reviewed)
  await waiting.put(['a'], 'b', { text: 'c' })
  assert.equal(await waiting.get(['a'], 'b'), null)
  const [change] = await listPending(reviewed)
  await reviewed.changes.decide(change.id, { decision: 'approved' })
  assert.deepEqual((await waiting.get(['a'], 'b')).value, { text: 'c' })
  await assert.rejects(
    new BrainChatHistory(reviewed, { sessionId: 's' }).addMessage(new HumanMessage('Hi')),
    /reviews writes/,
  )
})

test('a history keeps messages with their tool calls, in their order, for two writers', async () => {
  const open = () => new BrainChatHistory(brain, { sessionId: 'ada-1' })
  await open().addMessages([
    new HumanMessage('Hi'),
    new AIMessage({ content: '', tool_calls: [{ name: 'look', args: { at: 1 }, id: 'c1' }] }),
  ])
  await Promise.all(
    ['one', 'two'].map((text) => open().addMessages([new HumanMessage(text), new AIMessage(`${text}!`)])),
  )
  const [first, second, ...rest] = await open().getMessages()
  assert.equal(first.text, 'Hi')
  assert.equal(second.tool_calls[0].args.at, 1)
  const texts = rest.map(({ text }) => text)
  assert.deepEqual(texts[0] === 'one' ? texts : [...texts.slice(2), ...texts.slice(0, 2)], [
    'one',
    'one!',
    'two',
    'two!',
  ])
  assert.deepEqual(await new BrainChatHistory(brain, { sessionId: 'ada' }).getMessages(), [])
  await open().clear()
  assert.deepEqual(await open().getMessages(), [])
})
