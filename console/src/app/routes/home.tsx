import { createRoute, redirect } from '@tanstack/react-router'
import { defineSearch, readFlag, readText } from '../../validate-search.ts'
import { rootRoute } from '../root.tsx'
import { lazyPage } from './lazy-page.ts'

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: defineSearch({ brain: readText, confirmed: readText, error: readText }),
  component: lazyPage(() => import('../../views/home/home.tsx'), 'Home'),
})

const brainsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/brains',
  validateSearch: defineSearch({ q: readText, isNew: readFlag }),
  component: lazyPage(() => import('../../views/brains/brains.tsx'), 'Brains'),
})

/** The old URL of the management keys. */
const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/keys',
  beforeLoad: () => {
    throw redirect({ to: '/settings/keys', replace: true })
  },
})

export const homeRoutes = [homeRoute, brainsRoute, keysRoute]
