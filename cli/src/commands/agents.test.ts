import { Readable } from 'node:stream'
import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'
import { makeFolder } from '../test/scripted-brain.ts'

const agent = {
  ...{ id: `agt_${'0'.repeat(26)}`, version: 2, name: 'Librarian', model: 'noema/extractive' },
  instructions: 'Answer.\nCite.',
  tools: ['ask_human', { agent: 'agt_2' }],
  brains: [{ id: 'brn_1', handle: 'docs', access: 'read_only' }],
  limits: { maxSteps: 20, timeoutSeconds: 600 },
}
const line = `${agent.id}  version 2  noema/extractive  Librarian`

test('agents create sends what the file has and prints the id', async () => {
  const { url, requests } = await startScriptedServer(() => ({ status: 201, data: { agent } }))
  const definition = { name: 'Librarian', instructions: 'Answer.', model: 'noema/extractive' }
  const folder = await makeFolder({ 'agent.json': JSON.stringify(definition) })
  const created = await runCli(['agents', 'create', '--file', 'agent.json'], url, { cwd: folder })
  expect(created).toEqual({ code: 0, stdout: `${agent.id}\n`, stderr: '' })
  const stdin = Readable.from([JSON.stringify(definition)])
  expect((await runCli(['agents', 'create', '--file', '-', '--json'], url, { stdin })).code).toBe(0)
  expect(requests.map(({ body }) => JSON.parse(body))).toEqual([definition, definition])
})

test('agents list and show say what an agent is', async () => {
  const { url, requests } = await startScriptedServer(({ url: path }) =>
    path.startsWith('/v1/agents?') ? { data: { agents: [agent], cursor: 'c', hasMore: false } } : { data: { agent } },
  )
  const row = `${agent.id}\t2\tnoema/extractive\tLibrarian\n`
  expect(await runCli(['agents', 'list'], url)).toEqual({ code: 0, stdout: row, stderr: '' })
  expect(requests[0]?.url).toBe('/v1/agents?archived=false&limit=500')
  const shown = await runCli(['agents', 'show', 'Librarian'], url)
  expect(shown.stdout.split('\n')).toEqual([
    line,
    'Brains: docs (read_only)',
    'Tools: ask_human, {"agent":"agt_2"}',
    'Limits: 20 steps, 600 seconds',
    '',
    'Answer.',
    'Cite.',
    '',
  ])
  expect(JSON.parse((await runCli(['agents', 'show', agent.id, '--json'], url)).stdout)).toEqual(agent)
})

test('a file that is not there, or no JSON, is a usage error; a name that two agents have, too', async () => {
  const { url } = await startScriptedServer(() => ({
    data: { agents: [agent, { ...agent, id: 'agt_other' }], cursor: 'c', hasMore: false },
  }))
  const folder = await makeFolder({ 'agent.json': '{' })
  for (const argv of [
    ['create', '--file', 'agent.json'],
    ['create', '--file', 'none.json'],
    ['show', 'Librarian'],
  ])
    expect(await runCli(['agents', ...argv], url, { cwd: folder })).toMatchObject({ code: 2, stdout: '' })
})
