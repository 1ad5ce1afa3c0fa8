import { expect, test } from 'vitest'
import { type Actor, mayBeSamePerson } from './actor.ts'

const key = (id: string, more: Partial<Actor> = {}): Actor => ({ type: 'key', id, ...more })
const session = (userId: string): Actor => ({ type: 'session', id: userId, userId })

test.each<[string, Actor, Actor, boolean]>([
  ['a person and themselves', session('anna'), session('anna'), true],
  ['two persons', session('anna'), session('ben'), false],
  ['a person and a key that they minted', session('anna'), key('k1', { userId: 'anna' }), true],
  ['two keys of one person', key('k1', { userId: 'anna' }), key('k2', { userId: 'anna' }), true],
  ['two keys of two persons', key('k1', { userId: 'anna' }), key('k2', { userId: 'ben' }), false],
  ['a run and who started it', { type: 'run', id: 'r1', runId: 'r1', userId: 'anna' }, session('anna'), true],
  [
    'a rotated key and who rotated it',
    key('k2', { userId: 'anna', line: 'k1', rotatedBy: ['ben'] }),
    session('ben'),
    true,
  ],
  [
    'a rotated key and a third person',
    key('k2', { userId: 'anna', line: 'k1', rotatedBy: ['ben'] }),
    session('eve'),
    false,
  ],
  ['two keys of one line of which nobody is known', key('k2', { line: 'k1' }), key('k3', { line: 'k1' }), true],
  ['the first key of a line and the next', key('k1'), key('k2', { line: 'k1' }), true],
  ['two keys of which nobody is known', key('k1'), key('k2'), false],
  ['the service and a person', { type: 'system', id: 'system' }, session('anna'), false],
])('D-42 %s: the same person or not, either way round', (_case, one, other, expected) => {
  expect([mayBeSamePerson(one, other), mayBeSamePerson(other, one)]).toEqual([expected, expected])
})
