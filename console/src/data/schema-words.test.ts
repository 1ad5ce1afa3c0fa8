import { schemaOperation } from '@noema/contracts/schema.ts'
import { expect, test } from 'vitest'
import { addStep, describeOperation } from './schema-words.ts'

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
    'Add task.due: date, indexed, told of 7 days before',
    'Set task.state: enum, required, one of open, done',
    'Retire task.due',
    'Add the link task → about to project',
    'Retire the link task → about',
    'Let task have declared fields only',
    'Retire the kind task',
  ])
})

test('a later step about the same part takes the place of the earlier one', () => {
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
