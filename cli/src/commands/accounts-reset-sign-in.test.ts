import { expect, test } from 'vitest'
import { runCli, scriptOperator } from '../test/run-cli.ts'

const reset = { place: '/srv/data', email: 'ada@example.com', passkeys: 2, twoFactor: true, identities: 0, sessions: 1 }

const operator = () => {
  const asked: unknown[] = []
  const loadOperator = scriptOperator({
    resetSignIn: async (input) => {
      asked.push(input)
      return reset
    },
  })
  return { asked, loadOperator }
}
const argv = ['accounts', 'reset-sign-in', '--email', 'ada@example.com']

test('the command lists the sign-in methods that it removed', async () => {
  const { asked, loadOperator } = operator()
  const ended = await runCli(argv, '', { loadOperator, cwd: '/srv', env: { NOEMA_DATA_DIR: 'data' } })
  expect(ended.code).toBe(0)
  expect(ended.stdout).toBe(
    'Took from ada@example.com in /srv/data: two-factor codes, 2 passkeys, 1 session. The password stays.\n',
  )
  expect(asked).toEqual([{ email: 'ada@example.com', cwd: '/srv', env: { NOEMA_DATA_DIR: 'data' } }])
})

test('--json prints the whole answer, and an account must be named', async () => {
  const { loadOperator } = operator()
  expect(JSON.parse((await runCli([...argv, '--json'], '', { loadOperator })).stdout)).toEqual(reset)
  expect((await runCli(argv.slice(0, 2), '', { loadOperator })).code).toBe(2)
})
