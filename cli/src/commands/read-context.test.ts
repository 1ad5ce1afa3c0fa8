import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const answer = {
  context: '# Context from the Brain handbook at state 3\n\n[[m item 1: document "a" version 2]]\n> \tOne\n[[m end 1]]',
  items: [{ item: 1, type: 'document', id: 'a', version: 2, title: 'A', score: 1, tokens: 40, cut: false }],
  budget: { tokens: 600, used: 90, dropped: 2 },
  degraded: [{ reason: 'not_yet_embedded', message: '3 passages are not embedded yet.' }],
  receipt: 'rcp_1',
  stateVersion: 3,
}
const ask = ['context', 'who', 'was it?', '--brain', 'handbook']

test('a context is printed unchanged, and the notes on it go to standard error', async () => {
  const { url, requests } = await startScriptedServer([{ data: answer }])
  const ended = await runCli([...ask, '--tokens', '600', '--kinds', 'person, place'], url)
  expect(ended).toMatchObject({ code: 0, stdout: `${answer.context}\n` })
  expect(ended.stderr).toBe(
    'noema: 1 item, 90 of 600 tokens, rcp_1. 2 more did not fit.\nnoema: 3 passages are not embedded yet.\n',
  )
  expect(requests[0]).toMatchObject({ method: 'POST', url: '/v1/brains/handbook/context' })
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    query: 'who was it?',
    consumerId: 'noema-cli',
    budget: { tokens: 600 },
    kinds: ['person', 'place'],
  })
})

test('--json prints the whole answer on one line', async () => {
  const { url, requests } = await startScriptedServer([{ data: answer }])
  const ended = await runCli([...ask, '--json'], url)
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(ended.stdout)).toEqual(answer)
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ query: 'who was it?', consumerId: 'noema-cli' })
})

test('tokens that are not a number are refused before any request', async () => {
  const { url, requests } = await startScriptedServer([])
  const ended = await runCli([...ask, '--tokens', 'many'], url)
  expect(ended.code).toBe(2)
  expect(ended.stderr).toContain('--tokens')
  expect(requests).toEqual([])
})
