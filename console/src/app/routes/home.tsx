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

const filesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/files',
  validateSearch: defineSearch({ prefix: readText, file: readText }),
  component: lazyPage(() => import('../../views/files/files.tsx'), 'Files'),
})

/** The old URL of the management keys. */
const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/keys',
  beforeLoad: () => {
    throw redirect({ to: '/settings/keys', replace: true })
  },
})

export const homeRoutes = [homeRoute, brainsRoute, filesRoute, keysRoute]
