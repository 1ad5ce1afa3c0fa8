import { startScriptedServer } from '@noema/sdk/test/scripted-server.ts'
import { expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

const member = {
  ...{ userId: 'u1', name: 'Ada', email: 'ada@example.com', role: 'reviewer' },
  ...{ addedAt: '2026-03-01T12:00:00.000Z', addedBy: 'key_1' },
}
const access = { openTo: 'members', role: 'manager', members: [member] }

test('ACC-05 members of a Brain are listed, set and removed, and the Brain is restricted and opened', async () => {
  const { url, requests } = await startScriptedServer(({ url: path }) =>
    path.includes('/members/') ? { data: { member } } : { data: { access } },
  )
  const run = (...argv: string[]) => runCli(['brains', 'members', ...argv], url)
  const listed = await run('list', 'salaries')
  expect(listed.stdout).toBe('ada@example.com\treviewer\tu1\tAda\n')
  expect(listed.stderr).toContain('these members only')
  expect((await run('set', 'salaries', member.email, '--role', 'reviewer')).stderr).toContain(
    'is a reviewer of salaries',
  )
  expect((await run('remove', 'salaries', member.email)).code).toBe(0)
  expect((await run('restrict', 'salaries')).code).toBe(0)
  expect((await run('open', 'salaries', '--json')).stdout).toContain('"openTo"')
  expect((await run('set', 'salaries', member.email, '--role', 'king')).code).toBe(2)
  const path = '/v1/brains/salaries/members/ada%40example.com'
  expect(requests.map((one) => [one.method, one.url, one.body ? JSON.parse(one.body) : undefined])).toEqual([
    ['GET', '/v1/brains/salaries/access', undefined],
    ['PUT', path, { role: 'reviewer' }],
    ['DELETE', path, undefined],
    ['PATCH', '/v1/brains/salaries/access', { openTo: 'members' }],
    ['PATCH', '/v1/brains/salaries/access', { openTo: 'organization' }],
  ])
})
