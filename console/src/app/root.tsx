import { createRootRoute } from '@tanstack/react-router'
import { Shell } from './shell.tsx'

/** The route that all the others stand in: the frame of the pages. */
export const rootRoute = createRootRoute({ component: Shell })
