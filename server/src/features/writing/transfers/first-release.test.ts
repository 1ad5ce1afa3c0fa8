import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createBrain } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'
import { exportText, importText } from '../../../test/transfer.ts'

// An export that version 0.1.0 made. A property that came later is not in its lines, and must not be required of them.

const text = readFileSync(new URL('./releases/0.1.0.ndjson', import.meta.url), 'utf8')
const lines = text
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))
const listLines = (type: string) => lines.filter((line) => line[type] !== undefined)

const app = useApp()

test('an export of the first release is imported, and its content is read and exported as it was', async () => {
  const brain = await createBrain(app)
  const { status, body } = await importText(app, brain, text)
  expect([status, body.error]).toEqual([200, undefined])
  const types = ['schema', 'change', 'record', 'statement', 'document', 'date']
  for (const type of types) expect(listLines(type).length, type).toBeGreaterThan(0)
  const counts = Object.fromEntries(types.map((type) => [`${type}s`, listLines(type).length]))
  expect(body.data.imported).toEqual(counts)
  for (const { record } of listLines('record').filter(({ ended }) => ended === undefined)) {
    const read = await brain.call('GET', `/records/${record.id}`)
    expect(read.body.data.record).toMatchObject(record)
  }
  const exported = (await exportText(app, brain)).trimEnd().split('\n')
  const again = exported.map((line) => JSON.parse(line))
  for (const type of ['record', 'statement', 'document'])
    for (const line of listLines(type)) expect(again).toContainEqual(expect.objectContaining(line))
})
