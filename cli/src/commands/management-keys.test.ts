import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase } from '@noema/server/test/database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let cwd: string
beforeAll(async () => {
  database = await createTestDatabase()
  cwd = await mkdtemp(join(tmpdir(), 'noema-keys-'))
})
afterAll(async () => {
  await database.drop()
  await rm(cwd, { recursive: true })
})

const cli = (...argv: string[]) =>
  runCli(['keys', ...argv], '', {
    cwd,
    env: { NOEMA_DATABASE_URL: database.url, NOEMA_SECRET: 'x'.repeat(32) },
    loadOperator: () => import('@noema/server/operator/operator.ts'),
  })

test('management keys are minted, listed, replaced and revoked on the database', async () => {
  expect((await cli('mint', '--name', 'first')).stdout).toMatch(/^nsk_/)
  const [id = ''] = (await cli('list')).stdout.split('\t')
  const rotated = await cli('rotate', id)
  expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^nsk_\S+\n$/) })
  const listed = (await cli('list', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(listed.map(({ name, status }) => [name, status])).toEqual([
    ['first', 'revoked'],
    ['first', 'active'],
  ])
  expect((await cli('rotate', id)).code).toBe(5)
  expect((await cli('revoke', listed[1].id)).stderr).toContain('"first"')
  expect((await cli('list')).stdout.match(/\trevoked\t/g)).toHaveLength(2)
  expect((await cli('revoke', 'key_none')).code).toBe(4)
})
