import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findCommands, useNewcomer } from './readme-shell.ts'

// The commands of the page about agents, unchanged and in order. Only the port differs.

const page = readFileSync(new URL('agents.md', import.meta.url), 'utf8')
const newcomer = useNewcomer()

const run = async (name: string) => {
  const commands = findCommands(page, name).replaceAll('http://127.0.0.1:4100', newcomer.base)
  const done = await newcomer.shell.run(commands)
  expect(done, done.stderr).toMatchObject({ status: 0 })
  return { ...done, lines: done.stdout.split('\n').filter((line) => line !== '') }
}

test('an agent is made of a file', async () => {
  await newcomer.shell.run('export NOEMA_API_KEY=$(npx noema keys mint)')
  await run('brain')
  // A search reads the newest changes without an index up to an amount that a folder exceeds on a busy machine.
  const key = (await newcomer.shell.run('echo "$NOEMA_API_KEY"')).stdout.trim()
  const readPending = async () => {
    const answer = await fetch(`${newcomer.base}/v1/brains/docs`, { headers: { authorization: `Bearer ${key}` } })
    const { data } = (await answer.json()) as { data: { brain: { indexing: { pendingEvents: number } } } }
    return data.brain.indexing.pendingEvents
  }
  await expect.poll(readPending).toBe(0)
  expect((await run('agent')).lines).toEqual([expect.stringMatching(/^agt_/)])
})

test('a run is watched: its tools on standard error, its answer on standard output', async () => {
  const { stdout, stderr } = await run('watch')
  expect(stderr).toContain('> knowledge_')
  expect(stdout).toContain('> bodyLimit › Default: 1048576 (1MiB) [1]\n')
})

test('runs are listed', async () => {
  expect((await run('list')).lines).toEqual([expect.stringMatching(/^run_\w+\tcompleted/)])
})

test('by curl a run is started, waited for and read', async () => {
  const [read, messages] = (await run('curl')).lines.map((line) => JSON.parse(line).data)
  expect(read.run).toMatchObject({ state: 'completed', status: 'succeeded', input: 'How is a plugin encapsulated?' })
  expect(messages.messages.at(-1)).toMatchObject({ role: 'assistant', text: expect.stringContaining('encapsulat') })
})

test('with the SDK a run is streamed and waited for', async () => {
  const { lines } = await run('sdk')
  expect(lines.length).toBeGreaterThan(1)
  expect(lines.at(-1)).toBe('completed')
})

test('by MCP a model starts a run and gets its answer', async () => {
  const { stdout } = await run('mcp')
  const message = JSON.parse(stdout.replace(/^.*?data: /s, ''))
  expect(message.result.structuredContent).toMatchObject({ run: { state: 'completed' }, answer: expect.any(String) })
})

test('a change of an agent is its next version', async () => {
  const { agent } = JSON.parse((await run('model')).stdout).data
  expect(agent).toMatchObject({ version: 2, limits: { maxSteps: 10, timeoutSeconds: 120 } })
})

test('questions of runs are listed', async () => {
  expect((await run('tasks')).stdout).toBe('')
})
