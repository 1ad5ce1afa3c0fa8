import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBrain, createMember, startTestApp, type TestApp, type TestBrain } from '../../test/app.ts'
import { livePassagesAfter, passageTexts } from './passages.ts'

let app: TestApp
let member: Awaited<ReturnType<typeof createMember>>
beforeAll(async () => {
  app = await startTestApp()
  member = await createMember(app)
})
afterAll(() => app.close())

const indexed = async (brain: TestBrain): Promise<{ brainId: number; texts: string[] }> => {
  const { db } = app.database
  const { rows } = await sql<{
    brainId: number
  }>`select brain_id as "brainId" from brains where id = ${brain.brain.id}`.execute(db)
  const brainId = rows[0]?.brainId ?? 0
  await expect
    .poll(
      async () =>
        (
          await sql`select from brains join passage_progress as progress using (brain_id)
          where brain_id = ${brainId} and progress.position = brains.position`.execute(db)
        ).rows.length,
    )
    .toBe(1)
  const passages = await livePassagesAfter(db, brainId, 0, 1000)
  return { brainId, texts: [...(await passageTexts(db, brainId, passages)).values()] }
}

test('D-33 what is written is cut into passages after the commit, by title, name and sentence', async () => {
  const brain = await addBrain(app, member, 'cut')
  await brain.call('PUT', '/records/ada', {
    kind: 'person',
    slug: 'ada',
    fields: { name: 'Ada', born: 1815, nested: { a: ['x', 'y'] } },
  })
  await brain.call('POST', '/statements', {
    subject: { id: 'ada', kind: 'person' },
    predicate: 'likes',
    object: { value: 'engines' },
  })
  await brain.call('POST', '/documents', { id: 'd', title: 'Notes', text: 'Some words. '.repeat(300) })
  const { texts } = await indexed(brain)
  expect(texts[0]).toBe('Ada · person · ada\nborn: 1815\nname: Ada\nnested a: x, y')
  expect(texts[1]).toBe('Ada likes engines')
  expect(texts).toHaveLength(5)
  await brain.call('DELETE', '/records/ada')
  expect((await indexed(brain)).texts).toHaveLength(3)
})
