import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shownNotifications } from '../../data/shown-notifications.ts'
import { defineSearch, readWord } from '../../validate-search.ts'
import { rootRoute } from '../root.tsx'

const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings/keys',
  component: lazyRouteComponent(() => import('../../views/settings/keys.tsx'), 'Keys'),
})

const notificationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings/notifications',
  validateSearch: defineSearch({ show: (value) => readWord(value, shownNotifications) }),
  component: lazyRouteComponent(() => import('../../views/settings/notifications.tsx'), 'Notifications'),
})

export const settingsRoutes = [keysRoute, notificationsRoute]
