import { type FieldType, fieldType, type SchemaField } from '@noema/contracts/schema-kinds.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../shared/text/json.ts'
import { createBrain } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'
import { evolve } from '../schema/schema-app.fixture.ts'
import { compileKind, findViolations } from './kinds.ts'

const app = useApp()

/** The rules once more, as short as they can be said. */
const isOne = (type: FieldType, value: Json, values: readonly string[]): boolean => {
  const isText = typeof value === 'string'
  if (type === 'json') return true
  if (type === 'integer') return typeof value === 'number' && value % 1 === 0
  if (type === 'enum') return values.some((one) => one === value)
  if (type === 'date') return isText && /^\d{4}-..-..$/.test(value) && new Date(value).toJSON()?.slice(0, 10) === value
  if (type === 'datetime') return isText && /T.*(Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value))
  return type === 'text' ? isText : typeof value === type
}

const names = ['a', 'b', 'c']
const values = ['red', 'blue']
const moment = fc.date({
  min: new Date('1000-01-01T00:00:00Z'),
  max: new Date('9000-01-01T00:00:00Z'),
  noInvalidDate: true,
})
const scalar = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    0,
    1.5,
    -7,
    '',
    'red',
    'green',
    '2026-02-30',
    '2024-02-29',
    '2026-03-01T00:00:00',
    {},
  ),
  moment.map((date) => date.toISOString()),
  moment.map((date) => date.toISOString().slice(0, 10)),
  moment.map((date) => date.toISOString().replace('Z', '+02:00')),
)
const value: fc.Arbitrary<Json> = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }))
const field: fc.Arbitrary<SchemaField> = fc.record({
  name: fc.constantFrom(...names),
  type: fc.constantFrom(...fieldType.options),
  required: fc.boolean(),
  many: fc.boolean(),
  indexed: fc.constant(false),
  unique: fc.constant(false),
  values: fc.constant(values),
  description: fc.constant(''),
})

test('D-36 the validator finds the same faults as a tiny model of the rules, in whole records and in patches', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(field, { selector: ({ name }) => name }),
      fc.boolean(),
      fc.dictionary(fc.constantFrom(...names), value) as fc.Arbitrary<JsonObject>,
      fc.option(fc.subarray(names)),
      (fields, strict, content, patched) => {
        const kind = compileKind({ kind: 'K', title: null, description: null, strict, fields, links: [] })
        const record = { id: 'r', kind: 'K', fields: content, links: [] }
        const scope = patched === null ? undefined : { fields: patched, links: [] }
        const found = findViolations(kind, record, scope, () => undefined).map(({ path }) => path.join('.'))
        const expected = (patched ?? names).filter((name) => {
          const declared = fields.find((one) => one.name === name)
          const given = content[name]
          if (given === undefined) return declared?.required === true
          if (!declared) return strict
          if (!declared.many) return !isOne(declared.type, given, values)
          return !Array.isArray(given) || given.some((item) => !isOne(declared.type, item, values))
        })
        expect(found.sort()).toEqual(expected.map((name) => `fields.${name}`).sort())
      },
    ),
    { numRuns: 2_000 },
  )
})

type Step = { id: string; kind: string; email: string | null; op: 'put' | 'delete' }
const step: fc.Arbitrary<Step> = fc.record({
  id: fc.constantFrom('r1', 'r2', 'r3'),
  kind: fc.constantFrom('K', 'L', 'Free'),
  email: fc.constantFrom('a', 'b', null),
  op: fc.constantFrom('put', 'put', 'put', 'delete'),
})

test('D-36 unique fields hold through any order of writes, alone and in batches, as a model of them does', async () => {
  const brain = await createBrain(app, 'model')
  const email = { name: 'email', type: 'string', unique: true }
  const kinds = ['K', 'L'].map((kind) => ({ op: 'addKind', kind, fields: [email] }))
  await evolve(brain, ...kinds)
  const toOperation = ({ op, id, kind, email: value }: Step, prefix: string) =>
    op === 'delete'
      ? { op: 'record.delete', id: prefix + id }
      : { op: 'record.put', id: prefix + id, kind, fields: value === null ? {} : { email: prefix + value } }
  const applied = (model: Map<string, Step>, one: Step): boolean => {
    if (one.op === 'delete') return model.delete(one.id) || !model.has(one.id)
    const isTaken = [...model.values()].some(
      ({ id, kind, email: held }) =>
        id !== one.id && kind === one.kind && kind !== 'Free' && held !== null && held === one.email,
    )
    if (!isTaken) model.set(one.id, one)
    return !isTaken
  }
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 8 }), async (batches) => {
      const prefix = `${++run}-`
      let model = new Map<string, Step>()
      // Deleting what never was is refused, so that every record has been once.
      for (const id of ['r1', 'r2', 'r3']) await brain.call('PUT', `/records/${prefix}${id}`, { kind: 'Free' })
      for (const batch of batches) {
        const next = new Map(model)
        const fits = batch.every((one) => applied(next, one))
        const operations = batch.map((one) => toOperation(one, prefix))
        const { status, body } = await brain.call('POST', '/batch', { operations })
        expect([status, body.error?.code]).toEqual(fits ? [200, undefined] : [409, 'field_taken'])
        if (fits) model = next
      }
    }),
    { numRuns: 40 },
  )
})
