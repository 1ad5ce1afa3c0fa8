import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findLockedPackages } from './locked-packages.ts'
import { readManifest, repository } from './manifest.ts'
import { toPublished, writeReadme } from './published.ts'
import { runtimePackages } from './runtime-packages.ts'

// Builds cli/dist, the package `noema`: the command line, the service and the built console, as JavaScript. Each file is
// Node's own translation, with the types removed and nothing moved, so a stack trace names the line of the source. The
// libraries are bundled as in the lock file: a service runs with the tested versions, even where the repository's overrides
// do not apply. npm installs the parts that differ between platforms.

const root = fileURLToPath(repository)
const dist = join(root, 'cli/dist')
const workspaces = ['contracts', 'sdk', 'server', 'cli']
const isLeftOut = /\.(test|fixture|setup)\.ts$|\/test\/|\.wat$|test-place\.ts$/

const listFiles = (): string[] =>
  workspaces
    .flatMap((workspace) => readdirSync(join(root, workspace, 'src'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !isLeftOut.test(path))

const entryOfSdk = '@noema/sdk'

/** The file that an import of another workspace names, as seen from `path`. */
const toRelative = (path: string, name: string): string => {
  const [, workspace = '', ...rest] = name.split('/')
  const target = name === entryOfSdk ? 'sdk/src/client.ts' : [workspace, 'src', ...rest].join('/')
  return posix.relative(posix.dirname(path), target)
}

/** Renames TypeScript files to JavaScript in a file's imports, and in the URLs of threads. */
const pointToScripts = (path: string, code: string): string =>
  code
    .replaceAll(/'(@noema\/(?:contracts|sdk|server)(?:\/[\w./-]+\.ts)?)'/g, (_, name) => `'${toRelative(path, name)}'`)
    .replaceAll(/'([\w./-]+)\.ts'/g, "'$1.js'")

const writeSources = (): void => {
  for (const path of listFiles()) {
    const target = join(dist, path)
    mkdirSync(dirname(target), { recursive: true })
    if (!path.endsWith('.ts')) cpSync(join(root, path), target)
    else {
      const code = stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'))
      writeFileSync(target.replace(/\.ts$/, '.js'), pointToScripts(path, code))
    }
  }
}

/** Files of a library that no program loads: maps and TypeScript. */
const isForEditors = (path: string): boolean => /\.(map|[mc]?ts)$/.test(path)

/** Copies the libraries and gives the names of those on top. */
const bundleLibraries = (): string[] => {
  const folders = findLockedPackages(workspaces)
  for (const folder of folders) {
    // Libraries of a workspace's own come to lie with the others.
    const target = join(dist, folder.replace(/^\w+\/(?=node_modules\/)/, ''))
    if (existsSync(join(target, 'package.json'))) throw new Error(`Two versions of ${folder} would lie in one place.`)
    const own = join(root, folder)
    cpSync(own, target, {
      recursive: true,
      filter: (path) => !isForEditors(path) && !path.slice(own.length).includes('/node_modules'),
    })
  }
  const names = folders.map((folder) => folder.split(/(?:^|\/)node_modules\//).slice(1))
  return names.flatMap(([name = '', ...nested]) => (nested.length === 0 ? [name] : [])).sort()
}

const withoutWorkspaces = (dependencies: Readonly<Record<string, string>> = {}) =>
  Object.entries(dependencies).filter(([name]) => !name.startsWith('@noema/'))

const readVersion = (name: string): string =>
  JSON.parse(readFileSync(join(dist, 'node_modules', name, 'package.json'), 'utf8')).version

const writeManifests = (libraries: readonly string[]): void => {
  const { name, version, license } = readManifest('cli/package.json')
  for (const workspace of ['cli', 'server'])
    writeFileSync(join(dist, workspace, 'package.json'), JSON.stringify({ version, type: 'module' }))
  const native = withoutWorkspaces(readManifest('server/package.json').optionalDependencies).filter(
    ([one]) => one !== 'onnxruntime-node',
  )
  const manifest = {
    ...{ name, version, license, type: 'module' },
    scarfSettings: readManifest('server/package.json').scarfSettings,
    description: readManifest('package.json').description,
    ...toPublished('cli'),
    engines: { node: '>=22.19' },
    bin: { noema: 'cli/src/main.js' },
    dependencies: Object.fromEntries(libraries.map((library) => [library, readVersion(library)])),
    bundleDependencies: libraries,
    optionalDependencies: Object.fromEntries([...native, ...runtimePackages(version)]),
  }
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Builds the package into `cli/dist` and gives that folder. The console must be built. */
export const buildNoema = (): string => {
  const pages = join(root, 'console/dist')
  if (!existsSync(join(pages, 'index.html')))
    throw new Error('The console is not built: npm run build -w @noema/console')
  rmSync(dist, { recursive: true, force: true })
  writeSources()
  writeManifests(bundleLibraries())
  cpSync(pages, join(dist, 'console/dist'), { recursive: true })
  // The guides that the service shows.
  mkdirSync(join(dist, 'docs'))
  for (const file of readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md')))
    cpSync(join(root, 'docs', file), join(dist, 'docs', file))
  writeReadme('.', join(dist, 'README.md'))
  cpSync(join(root, 'LICENSE'), join(dist, 'LICENSE'))
  chmodSync(join(dist, 'cli/src/main.js'), 0o755)
  return dist
}

if (import.meta.main) buildNoema()
