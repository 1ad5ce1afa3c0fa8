import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBrain, createMember, startTestApp, type TestApp } from '../../test/app.ts'

let app: TestApp
let member: Awaited<ReturnType<typeof createMember>>
beforeAll(async () => {
  app = await startTestApp()
  member = await createMember(app)
})
afterAll(() => app.close())

test('QRY-01 what was written a moment ago is found, of every type, with its snippet and why', async () => {
  const brain = await addBrain(app, member, 'first')
  await brain.call('PUT', '/records/ada', { kind: 'person', slug: 'ada', fields: { name: 'Ada Lovelace' } })
  await brain.call('POST', '/statements', {
    subject: { id: 'ada', kind: 'person' },
    predicate: 'wrote',
    object: { value: 'the first program' },
  })
  await brain.call('POST', '/documents', {
    id: 'd',
    title: 'Engines',
    text: 'The analytical engine was never built. Ada wrote programs for it.',
  })
  const found = await brain.call('GET', '/search?q=who+wrote+programs')
  expect(found.status).toBe(200)
  expect(found.body.data.results).toHaveLength(2)
})
