import { expect, test } from 'vitest'
import { useApp, useMember } from '../server/src/test/harness.ts'
import { usePage } from './use-page.ts'

const app = useApp()
const member = useMember(app)
const { page, run, runUntilShown } = usePage('packs.md', app, member)

test('D-79d the pack of the page is installed, and a conversation becomes approved statements as it says', async () => {
  const { installed } = await run('install')
  expect(installed.items.map(({ outcome }: { outcome: string }) => outcome)).toContain('staged')
  await run('document')
  expect((await run('approve')).change).toMatchObject({ application: 'applied' })
  await runUntilShown('pending')
  await run('statement')
})

test('the page names every pack that there is', async () => {
  const { body } = await app.request('GET', '/v1/packs', { key: member.key })
  for (const { name } of body.data.packs) expect(page).toContain(`\`${name}\``)
})
