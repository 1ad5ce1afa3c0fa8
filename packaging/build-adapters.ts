import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isolatedDeclarationSync } from 'rolldown/experimental'
import { caret, readManifest, repository } from './manifest.ts'
import { toPublished, writeReadme } from './published.ts'

// Builds adapters/*/dist, the packages for frameworks: `npm pack ./adapters/langchain/dist`. The frameworks are not installed
// here (see decision 59), so each file is translated by itself: its types are removed, and its declarations are the types
// that it writes down.

const folder = fileURLToPath(new URL('adapters/', repository))

/** The folders of the packages, by the framework. */
export const adapterNames: readonly string[] = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort()

/** Imports of files next to it, which the package has as JavaScript. */
const pointToScripts = (code: string): string => code.replaceAll(/'(\.\/[\w./-]+)\.ts'/g, "'$1.js'")

const declare = (path: string, text: string): string => {
  const { code, errors } = isolatedDeclarationSync(path, text, { sourcemap: false })
  const [error] = errors
  if (error) throw new Error(`${path}: ${error.message}`)
  return code.replaceAll(/(["'])(\.\/[\w./-]+)\.ts\1/g, '$1$2.js$1')
}

const writeSources = (source: string, dist: string): void => {
  for (const file of readdirSync(source)) {
    const path = join(source, file)
    const text = readFileSync(path, 'utf8')
    const name = file.replace(/\.ts$/, '')
    writeFileSync(join(dist, `${name}.js`), pointToScripts(stripTypeScriptTypes(text)))
    writeFileSync(join(dist, `${name}.d.ts`), declare(path, text))
  }
}

const writeManifest = (adapter: string, dist: string): void => {
  const { name, version, license, description, ...rest } = readManifest(`adapters/${adapter}/package.json`)
  const { exports = {}, dependencies, peerDependencies, peerDependenciesMeta } = rest
  const toExport = (path: string) => {
    const file = path.replace(/^\.\/src\/(.*)\.ts$/, '$1')
    return { types: `./${file}.d.ts`, default: `./${file}.js` }
  }
  const manifest = {
    ...{ name, version, license, type: 'module', description },
    ...toPublished(`adapters/${adapter}`),
    engines: { node: '>=20' },
    sideEffects: false,
    exports: Object.fromEntries(Object.entries(exports).map(([path, file]) => [path, toExport(file)])),
    dependencies: { '@noema/sdk': caret(dependencies?.['@noema/sdk']) },
    peerDependencies,
    ...(peerDependenciesMeta && { peerDependenciesMeta }),
  }
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Builds every package and gives their folders. */
export const buildAdapters = (): string[] =>
  adapterNames.map((adapter) => {
    const dist = join(folder, adapter, 'dist')
    rmSync(dist, { recursive: true, force: true })
    mkdirSync(dist)
    writeSources(join(folder, adapter, 'src'), dist)
    writeManifest(adapter, dist)
    writeReadme(`adapters/${adapter}`, join(dist, 'README.md'))
    cpSync(fileURLToPath(new URL('LICENSE', repository)), join(dist, 'LICENSE'))
    return dist
  })

if (import.meta.main) buildAdapters()
