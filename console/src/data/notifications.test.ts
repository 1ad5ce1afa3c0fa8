import { type Notification, notificationKind } from '@noema/contracts/notifications.ts'
import { expect, test } from 'vitest'
import { findPage } from '../pages.ts'
import { toNotificationPath } from './notifications.ts'

const toPath = (kind: Notification['kind'], target: object = {}) =>
  toNotificationPath({ kind, brain: 'handbook', target: { id: 'an-id', name: 'A name', ...target } } as Notification)

test('each kind of notification leads to a page that exists', () => {
  const paths = notificationKind.options.map((kind) => toPath(kind, { type: 'trigger' }))
  expect(paths.filter((path) => findPage(path.split('?')[0] ?? '') === undefined)).toEqual([])
})

test('a notification leads to what it is about', () => {
  expect([toPath('goal.paused'), toPath('brain.taken_over'), toPath('brain.unmanaged')]).toEqual([
    '/evals?open=an-id',
    '/brains/handbook/settings',
    '/brains/handbook/settings',
  ])
})
