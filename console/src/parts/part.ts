import { readBuild, restoreStyles } from './build.ts'
import { createPartLoader } from './load-part.ts'
import { pauseUnlessReached } from './reach.ts'

/** Loads a part of the console: `loadPart(() => import('./view.tsx'))`. */
export const loadPart = createPartLoader({ readBuild, restoreStyles, pause: pauseUnlessReached })
