import { join } from 'node:path'

/** The modules that every visit needs. */
export const firstModules = ['boot.ts', 'main.tsx'].map((name) => join(import.meta.dirname, 'src', name))

/** A file of the build with the modules in it. */
type Chunk = { fileName: string; moduleIds: string[]; imports: string[]; viteMetadata?: { importedCss: Set<string> } }

/** The scripts of a build, as its plugins get them. */
export const listChunks = (bundle: object): Chunk[] =>
  (Object.values(bundle) as (Chunk & { type: string })[]).filter(({ type }) => type === 'chunk')

/** The files of some modules and of everything that they import, style sheets included. */
export const findFiles = (modules: readonly string[], chunks: readonly Chunk[]): Set<string> => {
  const found = new Set<string>()
  const add = (chunk: Chunk | undefined) => {
    if (!chunk || found.has(chunk.fileName)) return
    found.add(chunk.fileName)
    for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style)
    for (const name of chunk.imports) add(chunks.find(({ fileName }) => fileName === name))
  }
  for (const module of modules) {
    const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(module))
    if (!chunk) throw new Error(`The build has no file of ${module}.`)
    add(chunk)
  }
  return found
}
