import { readFileSync } from 'node:fs'

/** A package.json, as far as packing reads it. */
export type Manifest = {
  name: string
  version: string
  license: string
  keywords?: string[]
  homepage?: string
  repository?: { type: string; url: string; directory: string }
  bugs?: { url: string }
  publishConfig?: { access: string; provenance: boolean }
  description?: string
  exports?: Record<string, string>
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
  scarfSettings?: { enabled: boolean }
}

/** The repository's folder, as a URL that ends with a slash. */
export const repository = new URL('../', import.meta.url)

export const readManifest = (path: string): Manifest => JSON.parse(readFileSync(new URL(path, repository), 'utf8'))

/** The range of the tested version and its fixes: `^` before the version. */
export const caret = (version: string | undefined): string => {
  if (version === undefined) throw new Error('A package that is to be published names a version of each dependency.')
  return `^${version}`
}
