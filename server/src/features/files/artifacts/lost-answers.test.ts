import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMember, startTestApp, type TestApp } from '../../../test/app.ts'
import { startDatabaseProxy } from '../../../test/database-proxy.ts'
import { useFiles } from './use-files.fixture.ts'

const app = {} as TestApp
let proxy: Awaited<ReturnType<typeof startDatabaseProxy>>
beforeAll(async () => {
  proxy = await startDatabaseProxy()
  Object.assign(app, await startTestApp({}, { reach: proxy.reach }))
})
afterAll(async () => {
  await app.close()
  await proxy.close()
})
const { upload, download, readKept } = useFiles(app)

test('FIL-01 FIL-06 a file whose commit succeeded keeps its bytes, also if the answer of the database was lost', async () => {
  const member = await createMember(app)
  let isStored = false
  proxy.lose((statement) => {
    if (statement.includes('artifact.stored')) isStored = true
    if (!isStored || !/commit\0/i.test(statement)) return undefined
    isStored = false
    return { afterBytes: 0, milliseconds: 'never' }
  })
  const { status } = await upload(member, 'a.txt', { body: 'the bytes' })
  proxy.lose(() => undefined)
  expect(status).toBe(503)
  const { artifacts } = (await app.request('GET', '/v1/artifacts', { key: member.key })).body.data
  expect(artifacts).toHaveLength(1)
  const got = await download(`/v1/artifacts/${artifacts[0].id}/content`, { authorization: `Bearer ${member.key}` })
  expect(got.bytes.toString()).toBe('the bytes')
  expect(await readKept(member)).toBe(9)
})
