import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { untilIndexed } from './indexed.fixture.ts'
import { livePassagesAfter, passageTexts } from './lexical-index.ts'

const app = useApp()
const member = useMember(app)

const readTexts = async (brain: TestBrain): Promise<string[]> => {
  const { db } = app.database
  const brainId = await untilIndexed(app, brain)
  return [...(await passageTexts(db, brainId, await livePassagesAfter(db, brainId, 0, 1000))).values()]
}

test('D-33 writes are cut into passages after the commit: by names, fields and sentences', async () => {
  const brain = await addBrain(app, member, 'cut')
  const fields = { name: 'Ada', born: 1815, nested: { a: ['x', 'y'] }, none: null }
  await brain.call('PUT', '/records/ada', { kind: 'person', slug: 'ada', fields })
  const about = { subject: { id: 'ada', kind: 'person' }, predicate: 'likes' }
  await brain.call('POST', '/statements', { ...about, object: { value: 'engines' } })
  await brain.call('POST', '/documents', { id: 'd', title: 'Notes', text: 'Some words. '.repeat(300) })
  const texts = await readTexts(brain)
  expect(texts.slice(0, 2)).toEqual(['Ada · person · ada\nname: Ada\nborn: 1815\nnested a: x, y', 'Ada likes engines'])
  expect(texts.slice(2).map((text) => text.slice(0, 17))).toEqual(Array(3).fill('Notes\nSome words.'))
  await brain.call('DELETE', '/records/ada')
  expect(await readTexts(brain)).toHaveLength(3)
  await brain.call('POST', '/documents', { id: 'd', title: 'Notes', text: 'Few words.' })
  expect(await readTexts(brain)).toEqual(['Notes\nFew words.'])
})

test('D-33 small writes are merged into few segments, and nothing is lost', async () => {
  const brain = await addBrain(app, member, 'merge')
  for (let count = 1; count <= 12; count++) {
    await brain.call('POST', '/documents', { id: `d${count}`, text: `common word${count}` })
    await untilIndexed(app, brain)
  }
  const brainId = await untilIndexed(app, brain)
  const { rows } = await sql`select from passage_segments where brain_id = ${brainId}`.execute(app.database.db)
  expect(rows.length).toBeLessThanOrEqual(10)
  const found = await brain.call('GET', '/search?q=common&limit=100&mode=lexical')
  expect(found.body.data.results).toHaveLength(12)
  for (const count of [1, 6, 12])
    expect((await brain.call('GET', `/search?q=word${count}&mode=lexical`)).body.data.results).toMatchObject([
      { id: `d${count}` },
    ])
})
