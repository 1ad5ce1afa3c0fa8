import { expect, test } from 'vitest'
import { common, quiet, useHooks } from './use-hooks.fixture.ts'

const context = expect.stringContaining('> Ada leads Apollo.')
const inWords = (hookEventName: string) => ({ hookSpecificOutput: { hookEventName, additionalContext: context } })

// The inputs have the fields that each client documents.
const starts: [string, object, object][] = [
  [
    'claude-code',
    { session_id: 'a', transcript_path: '/t.jsonl', ...common, hook_event_name: 'SessionStart', source: 'startup' },
    inWords('SessionStart'),
  ],
  [
    'claude-code',
    {
      session_id: 'a',
      transcript_path: '/t.jsonl',
      ...common,
      hook_event_name: 'UserPromptSubmit',
      prompt: 'Who leads Apollo?',
    },
    inWords('UserPromptSubmit'),
  ],
  [
    'codex',
    {
      session_id: 'b',
      transcript_path: null,
      ...common,
      hook_event_name: 'SessionStart',
      model: 'gpt',
      source: 'startup',
    },
    inWords('SessionStart'),
  ],
  [
    'cursor',
    {
      ...{
        conversation_id: 'c',
        generation_id: 'g',
        model: 'm',
        hook_event_name: 'sessionStart',
        cursor_version: '3.1',
      },
      ...{ session_id: 'c', workspace_roots: ['/projects/apollo'], user_email: null, transcript_path: null },
      ...{ is_background_agent: false, composer_mode: 'agent' },
    },
    { additional_context: context },
  ],
  [
    'gemini-cli',
    {
      ...{ session_id: 'd', transcript_path: '/t.json', cwd: '/projects/apollo', hook_event_name: 'BeforeAgent' },
      ...{ timestamp: '2026-11-24T10:00:00Z', prompt: 'Who leads Apollo?' },
    },
    inWords('BeforeAgent'),
  ],
  [
    'vscode',
    {
      ...{ timestamp: '2026-11-24T10:00:00Z', cwd: '/projects/apollo', sessionId: 'e', hookEventName: 'SessionStart' },
      ...{ transcript_path: '/t.json', source: 'new' },
    },
    inWords('SessionStart'),
  ],
]

test.each(starts)('HOK-01 %s gets what the Brain knows, in its own words', async (client, input, expected) => {
  const { hook, server } = await useHooks()
  expect(await hook(client, input)).toEqual({ code: 0, answer: expected })
  const [{ headers, url, body } = { headers: {}, url: '', body: '{}' }] = server.requests
  expect([url, headers.authorization]).toEqual(['/v1/brains/team/context', 'Bearer nbk_1'])
  expect(JSON.parse(body).query).toMatch(/Apollo/i)
})

test('HOK-01 HOK-02 a prompt loses its credentials before it is asked, and a command or a few words are not asked at all', async () => {
  const { hook, server } = await useHooks()
  const ask = (prompt: string) => hook('claude-code', { session_id: 'a', hook_event_name: 'UserPromptSubmit', prompt })
  await ask(`Use ghp_${'a1B2'.repeat(10)} to push, please.`)
  expect(server.requests[0]?.body).toContain('Use [GitHub token removed] to push')
  for (const prompt of ['/clear everything now', 'yes', 'go on']) expect(await ask(prompt)).toEqual(quiet)
  expect(server.requests).toHaveLength(1)
})

test('HOK-03 after any failure the answer is JSON, the exit code 0, and the agent waits seconds at most', async () => {
  const { hook, point, server } = await useHooks(() => 'hang')
  for (const input of [
    '',
    'nonsense',
    '[]',
    '{"hook_event_name":"PreToolUse","session_id":"a"}',
    '{"hook_event_name":"Stop"}',
  ])
    expect(await hook('claude-code', input)).toEqual(quiet)
  expect(await hook('emacs', starts[0]?.[1])).toEqual(quiet)
  const begun = performance.now()
  expect(await hook('claude-code', starts[0]?.[1])).toEqual(quiet)
  expect(performance.now() - begun).toBeLessThan(8_000)
  expect(server.requests).toHaveLength(1)
  await point('not an address')
  expect(await hook('claude-code', starts[0]?.[1])).toEqual(quiet)
})
