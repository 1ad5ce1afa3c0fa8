import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { addBrain } from '../server/src/test/app.ts'
import { useApp, useMember } from '../server/src/test/harness.ts'

// Runs the commands of docs/packs.md, unchanged, against the service.

const page = readFileSync(new URL('packs.md', import.meta.url), 'utf8')

const app = useApp()
const member = useMember(app)
beforeAll(() => addBrain(app, member, 'team'))

const run = async (name: string) => {
  const commands = new RegExp(`^\`\`\`sh name=${name}\\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1] ?? ''
  const env = { ...process.env, NOEMA_BASE_URL: app.base, NOEMA_API_KEY: member.key }
  const { stdout } = await promisify(execFile)('bash', ['-ec', commands], { env })
  return JSON.parse(stdout).data
}

test('D-79d the pack of the page is installed, and a conversation becomes statements to review as it says', async () => {
  const { installed } = await run('install')
  expect(installed.items.map(({ outcome }: { outcome: string }) => outcome)).toContain('staged')
  expect(await run('document')).toMatchObject({ outcome: 'landed' })
  const listItems = async () =>
    (await run('pending')).changes.map(({ itemCount }: { itemCount: number }) => itemCount).toSorted()
  // Two kinds; four things of the sample; two people and three statements about them.
  await expect.poll(listItems).toEqual([2, 4, 5])
})

test('the page names every pack that there is', async () => {
  const { body } = await app.request('GET', '/v1/packs', { key: member.key })
  for (const { name } of body.data.packs) expect(page).toContain(`\`${name}\``)
})
