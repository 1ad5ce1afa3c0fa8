import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shownNotifications } from '../../data/shown-notifications.ts'
import { defineSearch, readWord } from '../../validate-search.ts'
import { rootRoute } from '../root.tsx'

/** What the pages of settings share. */
const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('../../views/settings/settings-frame.tsx'), 'SettingsFrame'),
})

const organizationRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/organization',
  component: lazyRouteComponent(() => import('../../views/settings/organization.tsx'), 'OrganizationPage'),
})

const membersRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/members',
  component: lazyRouteComponent(() => import('../../views/settings/members.tsx'), 'Members'),
})

const keysRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/keys',
  validateSearch: defineSearch({ show: (value) => readWord(value, ['all']) }),
  component: lazyRouteComponent(() => import('../../views/settings/keys.tsx'), 'Keys'),
})

const notificationsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/notifications',
  validateSearch: defineSearch({ show: (value) => readWord(value, shownNotifications) }),
  component: lazyRouteComponent(() => import('../../views/settings/notifications.tsx'), 'Notifications'),
})

export const settingsRoutes = [frameRoute.addChildren([organizationRoute, membersRoute, keysRoute, notificationsRoute])]
