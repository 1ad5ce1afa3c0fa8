import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrain, startTestApp, type TestApp, type TestBrain } from '../../test/app.ts'

let app: TestApp
let brain: TestBrain
beforeAll(async () => {
  app = await startTestApp()
  brain = await createBrain(app)
})
afterAll(() => app.close())

test('a record that is created is read back whole', async () => {
  const created = await brain.call('POST', '/records', { kind: 'person', slug: 'ann', fields: { name: 'Ann' } })
  expect(created).toMatchObject({ status: 201, body: { data: { outcome: 'landed', stateVersion: 1 } } })
  const { record } = created.body.data
  expect(record.id).toMatch(/^rec_/)
  const read = await brain.call('GET', `/records/${record.id}`)
  expect(read.body.data).toEqual({ record, stateVersion: 1 })
  console.log(JSON.stringify(created.body), (await brain.call('GET', '/events')).body)
})
