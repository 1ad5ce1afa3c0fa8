import type { EventType } from '@noema/contracts/event-types.ts'
import { eventData } from '@noema/contracts/events.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { useApp, useBrain } from '../../../test/harness.ts'

const app = useApp()
const brain = useBrain(app)

type Event = { cursor: string; type: EventType; occurredAt: string; data: Record<string, unknown> }

/** The same shape, with no key beyond those it declares, at any depth. */
const strict = (shape: z.ZodType): z.ZodType => {
  if (shape instanceof z.ZodObject)
    return z.strictObject(
      Object.fromEntries(Object.entries(shape.shape).map(([name, inner]) => [name, strict(inner as z.ZodType)])),
    )
  if (shape instanceof z.ZodOptional) return strict(shape.unwrap() as z.ZodType).optional()
  return shape
}

/** The events that a write emitted, each checked to have exactly the data of its type. */
const emittedBy = async (write: () => Promise<{ status: number }>): Promise<Event[]> => {
  const { cursor } = (await brain.call('GET', '/events?limit=500')).body.data
  const { status } = await write()
  expect(status).toBeLessThan(300)
  const { events } = (await brain.call('GET', `/events?limit=500&after=${cursor}`)).body.data
  for (const { type, data } of events as Event[]) strict(eventData[type]).parse(data)
  return events
}
const change = expect.stringMatching(/^chg_/)
const stateVersion = expect.any(Number)

test('EVT-11 record.accepted has the record, the operation, the names that changed, the change and its state', async () => {
  const body = {
    kind: 'k',
    slug: 'secret-slug',
    fields: { a: 1, b: { deep: 2 } },
    links: [{ predicate: 'p', to: 'x' }],
  }
  const record = { id: 'r', kind: 'k' }
  const created = await emittedBy(() => brain.call('PUT', '/records/r', body))
  expect(created.map(({ type, data }) => [type, data])).toEqual([
    ['record.accepted', { record, operation: 'created', fields: ['a', 'b'], links: ['p'], change, stateVersion }],
  ])
  const updated = await emittedBy(() =>
    brain.call('PATCH', '/records/r', { fields: { b: { deep: 3 }, c: 1, a: null } }),
  )
  expect(updated[0]?.data).toEqual({
    record,
    operation: 'updated',
    fields: ['a', 'b', 'c'],
    links: [],
    change,
    stateVersion,
  })
  const retyped = await emittedBy(() => brain.call('PATCH', '/records/r', { kind: 'other', slug: null }))
  expect(retyped[0]?.data).toEqual({
    ...{
      record: { id: 'r', kind: 'other' },
      operation: 'updated',
      fields: [],
      links: [],
      retypedFrom: 'k',
      change,
      stateVersion,
    },
  })
})

test('EVT-11 record.deleted, statement.asserted and statement.retracted have their addresses, the change and its state', async () => {
  const subject = { id: 'about', kind: 'k' }
  await brain.call('PUT', '/records/about', { kind: 'k' })
  const [asserted] = await emittedBy(() =>
    brain.call('POST', '/statements', {
      id: 's1',
      subject,
      predicate: 'p',
      object: { value: 1 },
      sources: [{ document: 'd' }],
    }),
  )
  expect(asserted).toMatchObject({ type: 'statement.asserted' })
  expect(asserted?.data).toEqual({ statement: { id: 's1' }, predicate: 'p', subject, change, stateVersion })
  const [retracted] = await emittedBy(() => brain.call('DELETE', '/statements/s1', { reason: 'r' }))
  expect(retracted).toMatchObject({ type: 'statement.retracted' })
  expect(retracted?.data).toEqual({ statement: { id: 's1' }, change, stateVersion })
  await brain.call('POST', '/statements', { id: 's2', subject, predicate: 'p', object: { value: 1 } })
  const deleted = await emittedBy(() => brain.call('DELETE', '/records/about'))
  expect(deleted.map(({ type, data }) => [type, data])).toEqual([
    ['statement.retracted', { statement: { id: 's2' }, change, stateVersion }],
    ['record.deleted', { record: subject, change, stateVersion }],
  ])
})

test('EVT-11 document.served and document.retired have the document, with the name of its source where it has one', async () => {
  const [served] = await emittedBy(() => brain.call('POST', '/documents', { id: 'd', text: 't', title: 'T' }))
  expect(served).toMatchObject({ type: 'document.served' })
  expect(served?.data).toEqual({ document: { id: 'd' }, version: 1, change })
  const source = { name: 'drive', uri: 'https://drive.example/secret', externalId: 'e' }
  const [sourced] = await emittedBy(() => brain.call('POST', '/documents', { id: 'd', text: 't', source }))
  expect(sourced?.data).toEqual({ document: { id: 'd', source: 'drive' }, version: 2, change })
  const [retired] = await emittedBy(() => brain.call('DELETE', '/documents/d'))
  expect(retired).toMatchObject({ type: 'document.retired' })
  expect(retired?.data).toEqual({ document: { id: 'd', source: 'drive' }, change })
  const { document } = (await brain.call('POST', '/documents', { text: 'plain' })).body.data
  const [plain] = await emittedBy(() => brain.call('DELETE', `/documents/${document.id}`))
  expect(plain?.data).toEqual({ document: { id: document.id }, change })
})

/** Marks a text so that its arrival anywhere is seen. */
const marked = (text: string) => `§${text}§`
const anyText = fc.string({ unit: 'grapheme', maxLength: 12 }).map(marked)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    anyText,
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constant('nested'), tie('value')),
  ),
}))
const anyWrite = fc.record({
  value,
  text: anyText,
  title: anyText,
  slug: fc.stringMatching(/^[a-z]{12}$/).map((slug) => `slug-${slug}`),
})

test('EVT-10 no value, text, title, quote, reason or slug of any write is ever in an event', async () => {
  let run = 0
  const { receipt } = (await brain.call('GET', '/search?q=anything')).body.data
  await fc.assert(
    fc.asyncProperty(anyWrite, async ({ value, text, title, slug }) => {
      const id = `leak-${run++}`
      const provenance = { source: title, receipt }
      const operations = [
        {
          op: 'record.put',
          id,
          kind: 'k',
          slug: `${slug}-${run}`,
          fields: { name: value, list: [value, text] },
          links: [{ predicate: 'p', to: text }],
          provenance,
        },
        { op: 'record.patch', id, fields: { name: { patched: text } } },
        {
          ...{
            op: 'statement.assert',
            id,
            subject: { id, kind: 'k' },
            predicate: 'p',
            object: { value: [value, text] },
          },
          ...{ sources: [{ document: text, quote: text }], provenance },
        },
        { op: 'statement.retract', id, reason: text },
        {
          op: 'document.put',
          id,
          text,
          title,
          contentType: text,
          metadata: { value },
          sequence: { id: text, position: 1 },
          provenance,
        },
        { op: 'document.put', id, text: `${text}.`, source: { name: 'source', uri: text, externalId: text } },
        { op: 'document.retire', id },
        { op: 'record.delete', id },
      ]
      const events = await emittedBy(() => brain.call('POST', '/batch', { operations }))
      expect(events).toHaveLength(operations.length)
      const reported = JSON.stringify(events)
      expect(reported).not.toContain('§')
      expect(reported).not.toContain(receipt)
      expect(reported).not.toContain(slug)
    }),
    { numRuns: 25 },
  )
})
