import { CSPProvider } from '@base-ui/react/csp-provider'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { ThemeToggle } from '../components/theme-toggle.tsx'
import { Toasts } from '../components/toasts.tsx'
import { Acts } from './acts.tsx'
import { Figures } from './figures.tsx'
import { Inputs } from './inputs.tsx'
import { Pieces } from './pieces.tsx'
import { Tables } from './tables.tsx'

const Content = () => (
  <main id="main" className="page">
    <ThemeToggle />
    <Pieces />
    <Acts />
    <Inputs />
    <Tables />
    <Figures />
    <Toasts />
  </main>
)

const router = createRouter({ routeTree: createRootRoute({ component: Content }), history: createMemoryHistory() })

/** All components on one page, for developers: `/components` of `npm run dev`. */
export const Gallery = () => (
  <CSPProvider disableStyleElements>
    <RouterProvider router={router} />
  </CSPProvider>
)
