import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useApp, useMember } from '../server/src/test/harness.ts'
import { type ScriptedModels, startScriptedModels } from '../server/src/test/models/scripted-models.ts'

// Runs the commands of docs/providers.md, unchanged, against the service. Its Ollama is a scripted server.

const page = readFileSync(new URL('providers.md', import.meta.url), 'utf8')

const app = useApp()
const member = useMember(app)
let models: ScriptedModels
beforeAll(async () => {
  models = await startScriptedModels([{ text: ['Yes.'] }])
})
afterAll(() => models.close())

const run = async (name: string) => {
  const commands = new RegExp(`^\`\`\`sh name=${name}\\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1] ?? ''
  const env = { ...process.env, NOEMA_BASE_URL: app.base, NOEMA_API_KEY: member.key }
  const address = commands.replace('http://ollama.internal:11434/v1', models.url)
  const { stdout } = await promisify(execFile)('bash', ['-ec', address], { env })
  return JSON.parse(stdout).data
}

test('D-78 the providers of the page are set up and tried as it says', async () => {
  expect(await run('openai')).toMatchObject({ provider: { name: 'openai', kind: 'openai', hasApiKey: true } })
  expect(await run('local')).toMatchObject({ provider: { name: 'local', hasApiKey: false } })
  expect(await run('test')).toMatchObject({ ok: true, status: 200, error: null })
  expect(models.requests.at(-1)?.body).toMatchObject({ model: 'qwen3' })
})
