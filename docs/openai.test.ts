import { readFileSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { addBrain } from '../server/src/test/app.ts'
import { useApp, useMember } from '../server/src/test/harness.ts'
import { ask } from './examples/openai.ts'

// Runs the example of docs/openai.md with the built-in model.

const app = useApp()
const member = useMember(app)

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

test('the official client of OpenAI asks an agent by its name', async () => {
  vi.stubEnv('NOEMA_BASE_URL', app.base)
  vi.stubEnv('NOEMA_API_KEY', member.key)
  const brain = await addBrain(app, member, 'manual')
  await brain.call('POST', '/documents', { id: 'hours', title: 'Hours', text: 'The library opens at nine.' })
  const body = {
    ...{ name: 'Librarian', instructions: 'Answer from the Brain.', model: 'noema/extractive' },
    brains: [{ handle: 'manual', access: 'read_only' }],
  }
  await app.request('POST', '/v1/agents', { key: member.key, body })
  const printed: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  const answer = await ask('Librarian', 'When does the library open?')
  expect(answer).toContain('The library opens at nine.')
  expect(printed.join('')).toContain(answer)
})

test('the page shows the example as it is', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
  expect(read('openai.md')).toContain(read('examples/openai.ts'))
})
