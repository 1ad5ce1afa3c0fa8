import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { defineSearch, readText } from '../../validate-search.ts'
import { rootRoute } from '../root.tsx'

const requestsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/requests',
  validateSearch: defineSearch({ state: readText, open: readText }),
  component: lazyRouteComponent(() => import('../../views/admin/requests.tsx'), 'Requests'),
})

const codesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/codes',
  component: lazyRouteComponent(() => import('../../views/admin/codes.tsx'), 'Codes'),
})

const eventsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/events',
  validateSearch: defineSearch({ kind: readText, open: readText }),
  component: lazyRouteComponent(() => import('../../views/admin/events.tsx'), 'AdminEvents'),
})

const organizationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/organizations',
  validateSearch: defineSearch({ q: readText, tier: readText, state: readText }),
  component: lazyRouteComponent(() => import('../../views/admin/organizations.tsx'), 'Organizations'),
})

const organizationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/organizations/$id',
  component: lazyRouteComponent(() => import('../../views/admin/organization.tsx'), 'Organization'),
})

const tiersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/tiers',
  component: lazyRouteComponent(() => import('../../views/admin/tiers.tsx'), 'Tiers'),
})

const mailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/mail',
  validateSearch: defineSearch({ state: readText, open: readText }),
  component: lazyRouteComponent(() => import('../../views/admin/mail.tsx'), 'Mail'),
})

const healthRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/health',
  component: lazyRouteComponent(() => import('../../views/admin/health.tsx'), 'Health'),
})

export const adminRoutes = [
  ...[requestsRoute, codesRoute, eventsRoute, organizationsRoute],
  ...[organizationRoute, tiersRoute, mailRoute, healthRoute],
] as const
