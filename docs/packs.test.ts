import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { useApp, useMember } from '../server/src/test/harness.ts'

// Runs the commands of docs/packs.md, unchanged, against the service. The answers must contain those that the page shows.

const page = readFileSync(new URL('packs.md', import.meta.url), 'utf8')

const app = useApp()
const member = useMember(app)

const findBlock = (name: string) => {
  const block = new RegExp(`^\`\`\`sh name=${name}\\n(.*?)^\`\`\`$(?:\\n\\n\`\`\`json\\n(.*?)^\`\`\`$)?`, 'ms').exec(
    page,
  )
  if (!block) throw new Error(`The page has no commands named ${name}.`)
  return { commands: block[1] ?? '', shown: block[2] === undefined ? {} : JSON.parse(block[2]) }
}

const run = async (name: string) => {
  const { commands, shown } = findBlock(name)
  const env = { ...process.env, NOEMA_BASE_URL: app.base, NOEMA_API_KEY: member.key }
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], { env })
  return { answer: JSON.parse(stdout), shown }
}

const runAsShown = async (name: string) => {
  const { answer, shown } = await run(name)
  expect(answer).toMatchObject(shown)
  return answer.data
}

test('D-79d the pack of the page is installed, and a conversation becomes approved statements as it says', async () => {
  const { installed } = await runAsShown('install')
  expect(installed.items.map(({ outcome }: { outcome: string }) => outcome)).toContain('staged')
  await runAsShown('document')
  expect((await runAsShown('approve')).change).toMatchObject({ application: 'applied' })
  const { shown } = findBlock('pending')
  await expect.poll(async () => (await run('pending')).answer).toMatchObject(shown)
  await runAsShown('statement')
})

test('the page names every pack that there is', async () => {
  const { body } = await app.request('GET', '/v1/packs', { key: member.key })
  for (const { name } of body.data.packs) expect(page).toContain(`\`${name}\``)
})
