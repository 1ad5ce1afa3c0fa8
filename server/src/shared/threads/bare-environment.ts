import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/**
 * The environment of a thread or process that needs nothing of this one's, which may hold secrets: only where the compiled
 * modules are kept, if this process keeps them.
 */
export const bareEnvironment = (): Record<string, string> => {
  // Node adds a folder for its version.
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}
