import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root.tsx'

const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings/keys',
  component: lazyRouteComponent(() => import('../../views/settings/keys.tsx'), 'Keys'),
})

export const settingsRoutes = [keysRoute]
