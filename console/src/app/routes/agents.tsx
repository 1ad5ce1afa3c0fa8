import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { defineSearch, readFlag, readText } from '../../validate-search.ts'
import { rootRoute } from '../root.tsx'

const agentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents',
  validateSearch: defineSearch({ archived: readFlag }),
  component: lazyRouteComponent(() => import('../../views/agents/agents.tsx'), 'Agents'),
})

const agentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents/$id',
  component: lazyRouteComponent(() => import('../../views/agents/agent.tsx'), 'AgentPage'),
})

const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  validateSearch: defineSearch({ agent: readText, state: readText }),
  component: lazyRouteComponent(() => import('../../views/runs/runs.tsx'), 'Runs'),
})

const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$id',
  validateSearch: defineSearch({ operation: readText, failed: readText }),
  component: lazyRouteComponent(() => import('../../views/runs/run.tsx'), 'RunPage'),
})

const tasksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks',
  validateSearch: defineSearch({ state: readText }),
  component: lazyRouteComponent(() => import('../../views/tasks/tasks.tsx'), 'Tasks'),
})

export const agentRoutes = [agentsRoute, agentRoute, runsRoute, runRoute, tasksRoute]
