import type { SchemaField } from '@noema/contracts/schema-kinds.ts'
import { expect, test } from 'vitest'
import { applySchemaStep } from './apply-schema-step.ts'

const toField = (name: string, type: SchemaField['type'] = 'string'): SchemaField => ({
  ...{ name, type, required: false, many: false, indexed: false, unique: false, description: '' },
})

test('the steps of a schema make, change and take away kinds, fields and links, in their places', () => {
  const one = applySchemaStep([], { op: 'addKind', kind: 'person', title: 'Person' })
  expect(one).toEqual([{ kind: 'person', title: 'Person', description: null, strict: false, fields: [], links: [] }])
  const fields = ['name', 'role'].reduce(
    (kinds, name) => applySchemaStep(kinds, { op: 'addField', kind: 'person', field: toField(name) }),
    one,
  )
  const changed = applySchemaStep(fields, { op: 'setField', kind: 'person', field: toField('name', 'text') })
  expect(changed[0]?.fields.map(({ name, type }) => [name, type])).toEqual([
    ['name', 'text'],
    ['role', 'string'],
  ])
  const link = { predicate: 'knows', to: ['person'], many: true }
  const linked = applySchemaStep(changed, { op: 'addLink', kind: 'person', link })
  expect(linked[0]?.links).toEqual([link])
  expect(applySchemaStep(linked, { op: 'retireLink', kind: 'person', predicate: 'knows' })[0]?.links).toEqual([])
  expect(applySchemaStep(linked, { op: 'retireField', kind: 'person', name: 'role' })[0]?.fields).toHaveLength(1)
  expect(applySchemaStep(linked, { op: 'setStrict', kind: 'person', strict: true })[0]?.strict).toBe(true)
  expect(applySchemaStep(linked, { op: 'retireKind', kind: 'person' })).toEqual([])
})
