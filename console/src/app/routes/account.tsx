import { createRoute } from '@tanstack/react-router'
import { rootRoute } from '../root.tsx'
import { lazyPage } from './lazy-page.ts'

const accountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account',
  component: lazyPage(() => import('../../views/account/account.tsx'), 'AccountPage'),
})

export const accountRoutes = [accountRoute]
