import {
  countWaiting,
  getNotificationSettings,
  listNotifications,
  patchNotificationSettings,
  readNotifications,
} from '@noema/contracts/notifications.ts'
import type { MemberPrincipal } from '../../access/principal.ts'
import { markNotifications, openNotifications } from '../../features/oversight/notifications/notifications.ts'
import { changeSettings, readSettings } from '../../features/oversight/notifications/settings.ts'
import { countWaitingFor, type Reader } from '../../features/oversight/notifications/states.ts'
import { readListPage } from '../../features/platform/cursors/cursors.ts'
import { defineBinding } from '../binding.ts'

const toReader = ({ organization, userId, role, viewer }: MemberPrincipal): Reader => ({
  organizationId: organization.id,
  ...{ userId, role, viewer },
})

export const notificationBindings = [
  defineBinding(listNotifications, async (deps, { principal, query }) => {
    const reader = toReader(principal)
    const { waiting, read } = await openNotifications(deps, reader, query)
    const list = {
      scope: deps.listScope(reader.organizationId),
      list: `notifications:${JSON.stringify([query.state, query.unread])}`,
      start: '',
    }
    const { items: notifications, ...page } = await readListPage(list, query, read, ({ id }) => id)
    return { data: { notifications, ...page, waiting } }
  }),
  defineBinding(countWaiting, async (deps, { principal }) => ({
    data: { waiting: await countWaitingFor(deps, toReader(principal)) },
  })),
  defineBinding(readNotifications, async (deps, { principal, body }) => ({
    data: { waiting: await markNotifications(deps, toReader(principal), body) },
  })),
  defineBinding(getNotificationSettings, async (deps, { principal }) => ({
    data: { settings: await readSettings(deps, toReader(principal)) },
  })),
  defineBinding(patchNotificationSettings, async (deps, { principal, body }) => ({
    data: {
      settings: await changeSettings(deps, { ...toReader(principal), emailVerified: principal.emailVerified }, body),
    },
  })),
]
