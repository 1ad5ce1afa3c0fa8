import { schemaOperation } from '@noema/contracts/schema.ts'
import { schemaKind } from '@noema/contracts/schema-kinds.ts'
import { expect, test } from 'vitest'
import { addStep, describeOperation, toKindRows } from './schema-words.ts'

const step = (operation: object) => schemaOperation.parse(operation)

test('each step of a schema change reads as a sentence', () => {
  const field = { name: 'due', type: 'date', indexed: true, notifyBefore: ['P7D'] }
  const steps = [
    { op: 'addKind', kind: 'task', fields: [{ name: 'title', type: 'string' }] },
    { op: 'addField', kind: 'task', field },
    { op: 'setField', kind: 'task', field: { name: 'state', type: 'enum', values: ['open', 'done'], required: true } },
    { op: 'retireField', kind: 'task', name: 'due' },
    { op: 'addLink', kind: 'task', link: { predicate: 'about', to: ['project'] } },
    { op: 'retireLink', kind: 'task', predicate: 'about' },
    { op: 'setStrict', kind: 'task', strict: true },
    { op: 'retireKind', kind: 'task' },
  ].map(step)
  expect(steps.map(describeOperation)).toEqual([
    'Declare the kind task with title',
    'Add task.due: date, indexed, notifies 7 days before',
    'Set task.state: enum, required, one of open, done',
    'Retire task.due',
    'Add the link task → about to project',
    'Retire the link task → about',
    'Allow only declared fields in task',
    'Retire the kind task',
  ])
})

test('a declared kind reads as a row for each field and link', () => {
  const kind = schemaKind.parse({
    kind: 'task',
    title: 'Task',
    strict: true,
    fields: [
      { name: 'due', type: 'date', required: true },
      { name: 'state', type: 'enum', values: ['open', 'done'], description: 'Where it stands.' },
    ],
    links: [{ predicate: 'about', to: ['project'], many: false }, { predicate: 'needs' }],
  })
  expect(toKindRows(kind)).toEqual({
    title: 'Task',
    'field due': 'date, required',
    'field state': 'enum, one of open, done: Where it stands.',
    'link about': 'one link to project',
    'link needs': 'any number of links to any kind',
    'other fields': 'refused',
  })
})

test('a later step replaces an earlier one with the same target', () => {
  const add = step({ op: 'addField', kind: 'task', field: { name: 'due', type: 'date' } })
  const set = step({ op: 'setField', kind: 'task', field: { name: 'due', type: 'datetime' } })
  const other = step({ op: 'addField', kind: 'task', field: { name: 'title', type: 'string' } })
  const retire = step({ op: 'retireField', kind: 'task', name: 'due' })
  expect(addStep([add, other], set).map(describeOperation)).toEqual([
    'Add task.due: datetime',
    'Add task.title: string',
  ])
  expect(addStep([add, other], retire)).toEqual([other])
  expect(addStep([set], retire)).toEqual([retire])
})
