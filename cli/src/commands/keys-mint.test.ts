import { expect, test } from 'vitest'
import type { MintInput } from '../context.ts'
import { runCli, scriptOperator } from '../test/run-cli.ts'

const minted = {
  place: '/srv/data',
  secret: 'nsk_secret',
  key: { id: 'key_1', name: 'cli', organizationId: 'org_1' },
  account: { email: 'ada@example.com', created: true, password: 'generated' },
}

const operator = (answer: typeof minted) => {
  const asked: MintInput[] = []
  const loadOperator = scriptOperator({
    mintManagementKey: async (input) => {
      asked.push(input)
      return answer
    },
  })
  return { asked, loadOperator }
}

test('standard output has only the secret, and standard error the rest', async () => {
  const { asked, loadOperator } = operator(minted)
  const ended = await runCli(['keys', 'mint'], '', { loadOperator, cwd: '/srv', env: { NOEMA_DATA_DIR: 'data' } })
  expect(ended).toMatchObject({ code: 0, stdout: 'nsk_secret\n' })
  expect(ended.stderr).toContain('key_1')
  expect(ended.stderr).toContain('/srv/data')
  expect(ended.stderr).toContain('generated')
  expect(ended.stderr).not.toContain('nsk_secret')
  expect(asked).toEqual([{ name: 'cli', cwd: '/srv', env: { NOEMA_DATA_DIR: 'data' } }])
})

test('--email, --password, --name and --create reach the operator', async () => {
  const { asked, loadOperator } = operator(minted)
  const argv = ['keys', 'mint', '--email', 'ada@example.com', '--password', 'long enough', '--name', 'ci', '--create']
  await runCli(argv, '', { loadOperator })
  expect(asked[0]).toMatchObject({ email: 'ada@example.com', password: 'long enough', name: 'ci', create: true })
})

test('--json prints the whole answer as one JSON document', async () => {
  const { loadOperator } = operator(minted)
  const ended = await runCli(['keys', 'mint', '--json'], '', { loadOperator })
  expect(JSON.parse(ended.stdout)).toEqual(minted)
  expect(ended.stderr).toBe('')
})

test('an operator error exits by its kind', async () => {
  const loadOperator = scriptOperator({
    mintManagementKey: async () => {
      throw Object.assign(new Error('No such account.'), { kind: 'not_found' })
    },
  })
  const ended = await runCli(['keys', 'mint'], '', { loadOperator })
  expect(ended).toMatchObject({ code: 4, stdout: '', stderr: 'noema: No such account.\n' })
})
