import { expect, test } from 'vitest'
import { useBrain, useOwnApp } from '../../test/harness.ts'

const app = useOwnApp({ NOEMA_DATABASE_STATEMENT_SECONDS: '2' })
const brain = useBrain(app)

test('SUR-04 a write whose statement exceeds its time is 503, which does not say that the database cannot be reached, and stores nothing', async () => {
  expect((await brain.call('PUT', '/records/r', { kind: 'k', fields: { n: 1 } })).status).toBe(201)
  const holder = await app.database.pool.connect()
  try {
    // Every read of records waits from here on, as one does that takes too long.
    await holder.query('begin; lock table record_versions in access exclusive mode')
    const logged = app.logLines.length
    const operations = [{ op: 'record.patch', id: 'r', fields: { n: 2 } }]
    const answers = await Promise.all([
      brain.call('PATCH', '/records/r', { fields: { n: 2 } }),
      brain.call('POST', '/batch', { operations }),
    ])
    for (const { status, body, headers } of answers) {
      expect([status, body.error.kind]).toEqual([503, 'unavailable'])
      expect(body.error.message).toBe('The database took too long for this. Ask for less at once, or try again later.')
      expect(headers.get('retry-after')).not.toBeNull()
    }
    const lines = app.logLines
      .slice(logged)
      .filter((line) => line.includes('requestId'))
      .join('\n')
    expect(lines).toContain('NOEMA_DATABASE_STATEMENT_SECONDS')
    expect(lines).not.toContain('could not be reached')
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  expect((await brain.call('GET', '/records/r')).body.data.record).toMatchObject({ version: 1, fields: { n: 1 } })
  expect((await brain.call('PATCH', '/records/r', { fields: { n: 3 } })).body.data.record.version).toBe(2)
})
