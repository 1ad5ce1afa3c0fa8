import { createRoute } from '@tanstack/react-router'
import { defineSearch, readText } from '../../validate-search.ts'
import { rootRoute } from '../root.tsx'
import { lazyPage } from './lazy-page.ts'

const automationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/automations',
  validateSearch: defineSearch({ tab: readText }),
  component: lazyPage(() => import('../../views/automations/automations.tsx'), 'Automations'),
})

const triggerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/automations/triggers/$id',
  component: lazyPage(() => import('../../views/automations/trigger.tsx'), 'TriggerPage'),
})

const scheduleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/automations/schedules/$id',
  component: lazyPage(() => import('../../views/automations/schedule.tsx'), 'SchedulePage'),
})

export const automationRoutes = [automationsRoute, triggerRoute, scheduleRoute]
