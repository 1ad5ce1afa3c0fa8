/** The imports of a module, as the bundler tells them. */
type Modules = { getModuleInfo: (id: string) => { importedIds: readonly string[] } | null }

// Libraries of the frame: it has loaded them before any view.
const inFrame =
  /node_modules\/(preact|@tanstack\/(query-core|react-query|react-router|router-core|history|store|react-store))\//

const isLibrary = (id: string): boolean => id.includes('node_modules') && !inFrame.test(id)

const known = new Map<string, boolean>()

/** True if a module and all that it imports are code of the console or libraries of the frame. */
const isLight = (id: string, modules: Modules): boolean => {
  const found = known.get(id)
  if (found !== undefined) return found
  // A cycle of imports ends here.
  known.set(id, true)
  const light = !isLibrary(id) && (modules.getModuleInfo(id)?.importedIds ?? []).every((one) => isLight(one, modules))
  known.set(id, light)
  return light
}

// The codes of errors are larger than all other modules that many views share.
const isLarge = (id: string): boolean => id.endsWith('/contracts/src/error-codes.ts')

/** Puts small modules that many views share into one file, `shared`. Each in a file of its own would take a request each. */
export const nameLight = (id: string, modules: Modules): string | null =>
  isLight(id, modules) && !isLarge(id) ? 'shared' : null
