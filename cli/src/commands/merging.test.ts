import { addBrain } from '@noema/server/test/app.ts'
import { useApp, useMember } from '@noema/server/test/harness.ts'
import { expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const app = useApp()
const member = useMember(app)

test('KNO-10 records are merged and expire by the command line, and a flag says what it is about', async () => {
  const brain = await addBrain(app, member, 'merging')
  const run = (...argv: string[]) =>
    runCli(argv, app.base, {
      env: { NOEMA_BASE_URL: app.base, NOEMA_API_KEY: member.key, NOEMA_BRAIN: brain.brain.handle },
    })
  await run('records', 'put', 'ada', '--kind', 'person', '--set', 'name=Ada')
  await run('records', 'put', 'ada-2', '--kind', 'person', '--set', 'name=A.', '--expires', '2099-01-01T00:00:00Z')
  expect((await run('records', 'show', 'ada-2')).stdout).toContain('expires 2099-01-01T00:00:00.000Z')
  await run('records', 'patch', 'ada-2', '--expires', 'never')
  expect((await run('records', 'show', 'ada-2')).stdout).not.toContain('expires')
  expect((await run('records', 'patch', 'ada-2', '--expires', 'soon')).code).toBe(2)
  expect((await run('records', 'merge', 'ada-2', 'ada', '--keep', 'name')).code).toBe(0)
  const shown = (await run('records', 'show', 'ada-2')).stdout
  expect(shown).toContain('ada-2 was merged into it')
  expect(shown).toContain('name: A.')
  expect((await run('records', 'show', 'ada', '--history')).stdout).toContain('merged at')
  const secret = ['https://ann:hunter2pass', 'example.com'].join('@')
  const { body } = await brain.call('PUT', '/records/feed', { kind: 'feed', fields: { url: secret } })
  expect((await run('changes', 'show', body.data.change.id)).stdout).toContain('! credential: basic_auth in fields.url')
})
