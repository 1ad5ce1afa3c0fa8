import { createRoute } from '@tanstack/react-router'
import { defineSearch, readFlag, readText } from '../../validate-search.ts'
import { rootRoute } from '../root.tsx'
import { lazyPage } from './lazy-page.ts'

/** A search by words and time. */
const searched = { q: readText, last: readText, from: readText, until: readText }

const agentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents',
  validateSearch: defineSearch({ archived: readFlag }),
  component: lazyPage(() => import('../../views/agents/agents.tsx'), 'Agents'),
})

const agentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents/$id',
  component: lazyPage(() => import('../../views/agents/agent.tsx'), 'AgentPage'),
})

const chatRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents/$id/chat',
  validateSearch: defineSearch({ conversation: readText }),
  component: lazyPage(() => import('../../views/chat/chat.tsx'), 'Chat'),
})

const evalsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/evals',
  validateSearch: defineSearch({ open: readText }),
  component: lazyPage(() => import('../../views/evals/evals.tsx'), 'Evals'),
})

const providersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/providers',
  validateSearch: defineSearch({ provider: readText }),
  component: lazyPage(() => import('../../views/providers/providers.tsx'), 'Providers'),
})

const connectorsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connectors',
  validateSearch: defineSearch({ connector: readText }),
  component: lazyPage(() => import('../../views/connectors/connectors.tsx'), 'Connectors'),
})

const packsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/packs',
  component: lazyPage(() => import('../../views/packs/packs.tsx'), 'Packs'),
})

const projectsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/projects',
  validateSearch: defineSearch({ archived: readFlag }),
  component: lazyPage(() => import('../../views/projects/projects.tsx'), 'Projects'),
})

const conversationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/conversations',
  component: lazyPage(() => import('../../views/chat/conversations.tsx'), 'Conversations'),
})

const conversationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/conversations/$id',
  component: lazyPage(() => import('../../views/chat/conversations.tsx'), 'ConversationPage'),
})

const activityRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/activity',
  validateSearch: defineSearch({ type: readText, status: readText, ...searched }),
  component: lazyPage(() => import('../../views/activity/activity.tsx'), 'Activity'),
})

const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  validateSearch: defineSearch({ agent: readText, state: readText, project: readText, ...searched }),
  component: lazyPage(() => import('../../views/runs/runs.tsx'), 'Runs'),
})

const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$id',
  validateSearch: defineSearch({ operation: readText, failed: readText }),
  component: lazyPage(() => import('../../views/runs/run.tsx'), 'RunPage'),
})

const tasksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tasks',
  validateSearch: defineSearch({ state: readText, ...searched }),
  component: lazyPage(() => import('../../views/tasks/tasks.tsx'), 'Tasks'),
})

export const agentRoutes = [
  agentsRoute,
  agentRoute,
  chatRoute,
  evalsRoute,
  providersRoute,
  connectorsRoute,
  packsRoute,
  projectsRoute,
  conversationsRoute,
  conversationRoute,
  activityRoute,
  runsRoute,
  runRoute,
  tasksRoute,
]
