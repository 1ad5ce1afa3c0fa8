import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { slimContracts } from '../console/slim-contracts.ts'
import { caret, readManifest, repository } from './manifest.ts'
import { toPublished, writeReadme } from './published.ts'

// Builds sdk/dist, the published package, with its own package.json: `npm pack ./sdk/dist`. The workspace continues to use
// the sources. The program needs only the part of the contracts for calls (method, path, flags), so zod is never loaded:
// only the types depend on it.

const usualFolder = fileURLToPath(new URL('sdk/dist/', repository))
const source = (name: string) => fileURLToPath(new URL(`sdk/src/${name}.ts`, repository))

/** The package's exports, by the file in `src`. Other files are not public. */
const entries: Readonly<Record<string, string>> = {
  '.': 'client',
  './ai': 'ai',
  './errors': 'errors',
  './event-types': 'event-types',
  './gap-detector': 'gap-detector',
  './message-log': 'message-log',
  './retrieval': 'retrieval',
  './tools': 'tools',
  './webhooks': 'webhooks',
}

const bundle = async (dist: string): Promise<void> => {
  const build = await rolldown({
    input: Object.fromEntries(Object.values(entries).map((name) => [name, source(name)])),
    platform: 'neutral',
    plugins: [slimContracts()],
    treeshake: { moduleSideEffects: false },
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !id.startsWith('@noema/'),
  })
  await build.write({ dir: dist, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'shared/[name].js' })
  await build.close()
}

/** The declarations name files like the sources do; in a package they name files next to them. */
const pointInside = (text: string, file: string): string =>
  text.replace(/(from |import\()(['"])(@noema\/contracts\/|\.)([^'"]+)\.ts\2/g, (_, before, quote, root, rest) => {
    const up = posix.relative(posix.dirname(file), 'contracts/src')
    return `${before}${quote}${root === '.' ? `.${rest}` : `${up}/${rest}`}.js${quote}`
  })

const declareTypes = (dist: string): void => {
  const tsc = fileURLToPath(new URL('node_modules/.bin/tsc', repository))
  const folder = `${dist}types/`
  const project = fileURLToPath(new URL('sdk/tsconfig.build.json', repository))
  execFileSync(tsc, ['-p', project, '--outDir', folder], { stdio: 'inherit' })
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = `${entry.parentPath}/${entry.name}`
    writeFileSync(path, pointInside(readFileSync(path, 'utf8'), relative(folder, path)))
  }
}

const writeManifest = (dist: string): void => {
  const { name, version, license, peerDependencies, peerDependenciesMeta } = readManifest('sdk/package.json')
  const { zod } = readManifest('contracts/package.json').dependencies ?? {}
  const toExport = (file: string) => ({ types: `./types/sdk/src/${file}.d.ts`, default: `./${file}.js` })
  const manifest = {
    ...{ name, version, license, type: 'module' },
    description: 'Client of Noema, the knowledge stores for AI agents.',
    ...toPublished('sdk'),
    engines: { node: '>=20' },
    sideEffects: false,
    exports: Object.fromEntries(Object.entries(entries).map(([path, file]) => [path, toExport(file)])),
    dependencies: { zod: caret(zod) },
    peerDependencies,
    peerDependenciesMeta,
  }
  writeFileSync(`${dist}package.json`, `${JSON.stringify(manifest, null, 2)}\n`)
  writeReadme('sdk', `${dist}README.md`)
  cpSync(fileURLToPath(new URL('LICENSE', repository)), `${dist}LICENSE`)
}

/** Builds the package into a folder, `sdk/dist/` unless another is given, and gives that folder. */
export const buildSdk = async (dist = usualFolder): Promise<string> => {
  rmSync(dist, { recursive: true, force: true })
  await bundle(dist)
  declareTypes(dist)
  writeManifest(dist)
  return dist
}

if (import.meta.main) await buildSdk()
