import type { RunPart } from '@noema/contracts/run-stream.ts'
import { DefaultChatTransport, type UIMessage } from 'ai'
import { expect, test, vi } from 'vitest'
import { useApp, useMember } from '../../../test/harness.ts'
import { createPartWriter } from '../parts/part-writer.ts'
import { toEndingParts, toOpeningParts, toOutcomePart, toToolCallPart } from '../parts/run-parts.ts'
import { appendParts } from '../parts/stored-parts.ts'
import { endRunRow, insertRun } from './run.fixture.ts'

// The AI SDK's own client reads a run: its transport, and its hook under React. A component that shows nothing needs no
// browser, only something that React takes for an element.

/** React and the hook. Their types declare those of a browser, which the service has none of: so they are loaded without. */
const load = async (name: string) => import(name)

type Chat = { messages: UIMessage[]; status: string }
type ChatOptions = { id: string; transport: object; resume: true; onData(part: unknown): void }
type Hook = (options: ChatOptions) => Chat
type Root = { render(element: unknown): void; unmount(): void }

const app = useApp()
const member = useMember(app)

const createContainer = () => {
  const node = { nodeType: 1, tagName: 'DIV', addEventListener: () => {}, removeEventListener: () => {} }
  return { ...node, ownerDocument: { ...node, nodeType: 9 } }
}

type Shown = Chat & { reported: unknown[] }

/** Shows a run by the hook, as a page does that was opened again while the run goes on. */
const showRun = async (runId: string, base = app.base) => {
  const useChat: Hook = (await load('@ai-sdk/react')).useChat
  const { createElement } = await load('react')
  const createRoot: (container: object) => Root = (await load('react-dom/client')).createRoot
  vi.stubGlobal('window', { HTMLIFrameElement: class {} })
  const shown: Shown = { messages: [], status: 'none', reported: [] }
  const transport = new DefaultChatTransport({
    api: `${base}/v1/runs`,
    headers: { authorization: `Bearer ${member.key}` },
  })
  const Page = () => {
    const { messages, status } = useChat({
      id: runId,
      transport,
      resume: true,
      onData: (part) => void shown.reported.push(part),
    })
    Object.assign(shown, { messages, status })
    return null
  }
  const root = createRoot(createContainer())
  root.render(createElement(Page))
  return { shown, close: () => root.unmount() }
}

const toText = (message: UIMessage | undefined): string =>
  (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? part.text : [])).join('|')

type Run = Awaited<ReturnType<typeof insertRun>>
const append = async (run: Run, parts: readonly RunPart[]) => {
  await appendParts(
    app.app.db,
    run,
    parts.map((part) => ({ part })),
  )
  app.app.deps.topics.publish(`run:${run.id}`)
}
const start = (id: string): RunPart[] => [{ type: 'text-start', id }]
const say = (id: string, delta: string): RunPart[] => [...start(id), { type: 'text-delta', id, delta }]

/** A run that calls a tool, whose node dies in the midst of its answer, and that answers on another. */
const playRun = async (run: Run, sees: (text: string) => Promise<unknown>) => {
  const call = { operationId: 'opr_2', toolName: 'search', input: { q: 'x' } }
  await append(run, [
    ...toOpeningParts(run.id, 1),
    ...say('opr_1:1', 'I look.'),
    { type: 'text-end', id: 'opr_1:1' },
    toToolCallPart(call),
  ])
  await append(run, [toOutcomePart('opr_2', { output: { found: 1 } }), ...toOpeningParts(run.id, 2)])
  const first = createPartWriter(app.app.deps, run)
  await first.write('opr_3', say('opr_3:1', 'Half of'))
  await sees('I look.|Half of')
  await app.database.pool.query(`update runs set lease = 'other' where id = $1`, [run.id])
  const second = createPartWriter(app.app.deps, { ...run, lease: 'other' })
  await second.withdraw('opr_3')
  await second.write('opr_3', [...say('opr_3:1', 'The whole answer.'), { type: 'text-end', id: 'opr_3:1' }])
  await sees('I look.|The whole answer.')
  await append({ ...run, lease: 'other' }, toEndingParts({ state: 'completed' }, true))
  await endRunRow(app, run)
}

test('D-73 useChat shows a run that goes on, an attempt that died and its repetition, to the end', async () => {
  const run = await insertRun(app, member.organizationId)
  const { shown, close } = await showRun(run.id)
  const sees = (text: string) => vi.waitFor(() => expect(toText(shown.messages[0])).toBe(text), { timeout: 90_000 })
  await playRun(run, sees)
  await vi.waitFor(() => expect(shown.status).toBe('ready'), { timeout: 90_000 })
  expect(toText(shown.messages[0])).toBe('I look.|The whole answer.')
  const [message] = shown.messages
  expect(shown.messages).toHaveLength(1)
  expect(message).toMatchObject({ id: run.id, role: 'assistant' })
  expect(message?.parts.filter(({ type }) => type === 'tool-search')).toMatchObject([
    { toolCallId: 'opr_2', state: 'output-available', input: { q: 'x' }, output: { found: 1 } },
  ])
  expect(shown.reported).toMatchObject([{ type: 'data-restart', data: { operationId: 'opr_3' } }])
  close()
  // Opened later, on another node, it shows the same, and knows nothing of what was taken back.
  const node = await app.startNode()
  const later = await showRun(run.id, node.base)
  await vi.waitFor(() => expect(later.shown.messages).toEqual(shown.messages), { timeout: 90_000 })
  expect(later.shown.reported).toEqual([])
  later.close()
  await node.close()
  vi.unstubAllGlobals()
})
