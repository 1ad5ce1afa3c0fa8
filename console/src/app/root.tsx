import { createRootRoute } from '@tanstack/react-router'
import { Shell } from './shell.tsx'

/** The parent route of all others: the frame of the pages. */
export const rootRoute = createRootRoute({ component: Shell })
