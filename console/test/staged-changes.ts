import type { Call } from './callers.ts'

const text = [
  'Minutes of the planning meeting.',
  'Present: Ada, Grace and Linus. The budget was passed without a change.',
  'Grace leads the migration from the first of March. Linus keeps the old cluster until it is done.',
  'Next meeting in two weeks.',
].join('\n')

/** Two Brains in review mode: one with a person, a document and statements about it, one with notes. */
export const makeReviewedBrains = async (call: Call): Promise<void> => {
  for (const handle of ['people', 'notes']) await call('PUT', `/v1/brains/${handle}`, {})
  const write = (path: string, body: object, method = 'PUT') => call(method, `/v1/brains/people${path}`, body)
  await write('/records/grace', {
    kind: 'person',
    slug: 'grace',
    fields: { name: 'Grace', role: 'engineer', team: 'core' },
  })
  await write('/documents', { id: 'minutes', title: 'Planning meeting', text }, 'POST')
  for (const handle of ['people', 'notes']) await call('PATCH', `/v1/brains/${handle}`, { mode: 'review' })
}

/** Stages a statement that quotes the minutes, with other operations of its author. Returns the id of the change. */
export const stageBatch = async (call: Call): Promise<string> => {
  const { change } = await call('POST', '/v1/brains/people/batch', {
    operations: [
      { op: 'record.patch', id: 'grace', fields: { role: 'lead of the migration', since: '2026-03-01' } },
      { op: 'record.put', id: 'linus', kind: 'person', fields: { name: 'Linus', role: 'operator\u200b' } },
      {
        ...{ op: 'statement.assert', subject: { id: 'grace', kind: 'person' }, predicate: 'leads' },
        ...{ object: { value: 'the migration' }, validFrom: '2026-03-01T00:00:00Z', confidence: 0.9 },
        sources: [{ document: 'minutes', version: 1, quote: 'Grace leads the migration from the first of March.' }],
        provenance: { source: 'meeting bot', trust: 'unverified' },
      },
    ],
  })
  return change.id
}

/** Stages each note as a separate change. Returns the ids of the changes. */
export const stageNotes = async (call: Call, count: number): Promise<string[]> => {
  const ids: string[] = []
  for (let n = 1; n <= count; n++) {
    const body = { kind: 'note', fields: { title: `Note ${n}`, text: `What was said about topic ${n}.` } }
    ids.push((await call('PUT', `/v1/brains/notes/records/note-${n}`, body)).change.id)
  }
  return ids
}
