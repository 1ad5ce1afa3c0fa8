import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../root.tsx'

const accountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('../../views/account/account.tsx'), 'AccountPage'),
})

export const accountRoutes = [accountRoute]
