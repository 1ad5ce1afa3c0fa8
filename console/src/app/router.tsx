import { createRouter } from '@tanstack/react-router'
import { basePath } from '../base-path.ts'
import { later } from '../components/later.tsx'
import { FailurePage } from './failure-page.tsx'
import { rootRoute } from './root.tsx'
import { accountRoutes } from './routes/account.tsx'
import { adminRoutes } from './routes/admin.tsx'
import { agentRoutes } from './routes/agents.tsx'
import { automationRoutes } from './routes/automations.tsx'
import { brainRoutes } from './routes/brain.tsx'
import { homeRoutes } from './routes/home.tsx'
import { reviewRoutes } from './routes/review.tsx'
import { settingsRoutes } from './routes/settings.tsx'

const routeTree = rootRoute.addChildren([
  ...homeRoutes,
  ...reviewRoutes,
  ...settingsRoutes,
  ...accountRoutes,
  ...adminRoutes,
  ...agentRoutes,
  ...automationRoutes,
  brainRoutes,
])

const parseSearch = (text: string): Record<string, unknown> => Object.fromEntries(new URLSearchParams(text))

// As people write them: plain texts and numbers, and lists separated by commas.
const stringifySearch = (search: Record<string, unknown>): string => {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}

const NoSuchPage = later(async () => (await import('./no-such-page.tsx')).NoSuchPage)

/** The router of the pages behind the sign-in. */
export const createAppRouter = () =>
  createRouter({
    routeTree,
    basepath: basePath || '/',
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    // The query cache keeps the data of a view.
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultErrorComponent: FailurePage,
    defaultNotFoundComponent: NoSuchPage,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
