import { createRoute } from '@tanstack/react-router'
import { defineSearch, readText } from '../../validate-search.ts'
import { rootRoute } from '../root.tsx'
import { lazyPage } from './lazy-page.ts'

const requestsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/requests',
  validateSearch: defineSearch({ state: readText, open: readText }),
  component: lazyPage(() => import('../../views/admin/requests.tsx'), 'Requests'),
})

const codesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/codes',
  component: lazyPage(() => import('../../views/admin/codes.tsx'), 'Codes'),
})

const eventsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/events',
  validateSearch: defineSearch({ kind: readText, open: readText }),
  component: lazyPage(() => import('../../views/admin/events.tsx'), 'AdminEvents'),
})

const organizationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/organizations',
  validateSearch: defineSearch({ q: readText, tier: readText, state: readText }),
  component: lazyPage(() => import('../../views/admin/organizations.tsx'), 'Organizations'),
})

const organizationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/organizations/$id',
  component: lazyPage(() => import('../../views/admin/organization.tsx'), 'Organization'),
})

const tiersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/tiers',
  component: lazyPage(() => import('../../views/admin/tiers.tsx'), 'Tiers'),
})

const mailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/mail',
  validateSearch: defineSearch({ state: readText, open: readText }),
  component: lazyPage(() => import('../../views/admin/mail.tsx'), 'Mail'),
})

const healthRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin/health',
  component: lazyPage(() => import('../../views/admin/health.tsx'), 'Health'),
})

export const adminRoutes = [
  ...[requestsRoute, codesRoute, eventsRoute, organizationsRoute],
  ...[organizationRoute, tiersRoute, mailRoute, healthRoute],
] as const
