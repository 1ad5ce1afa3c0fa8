import { expect, test } from 'vitest'
import { folderCircles } from './folder-circles.ts'
import { readProjectFile, type SourceFile, sourceFiles } from './source-files.ts'

// The rules of ARCHITECTURE.md about which way imports point. A new arrow fails here before it is a habit.

const files = sourceFiles()

/** The layers of the server, the higher first: a file imports only its own layer and those below. */
const layers = [
  /^server\/src\/(main\.ts$|node\/large-request-thread\.ts$|(doctor|backups|operator)\/)/,
  /^server\/src\/((app|lifecycle)\.ts$|node\/)/,
  /^server\/src\/(http|mcp|openai|agent-runtime|workers)\//,
  /^server\/src\/api\/(?!app-deps\.ts)/,
  /^server\/src\/api\/app-deps\.ts$/,
  /^server\/src\/access\//,
  /^server\/src\/features\//,
  /^server\/src\/storage\//,
  /^server\/src\/(shared|config)\//,
]

/** The areas of the features, and the areas that each may import besides its own. */
const areas: Record<string, readonly string[]> = {
  platform: [],
  accounts: ['platform'],
  kernel: ['platform'],
  knowledge: ['kernel', 'platform'],
  writing: ['knowledge', 'kernel', 'accounts', 'platform'],
  retrieval: ['writing', 'knowledge', 'kernel', 'accounts', 'platform'],
  agents: ['retrieval', 'writing', 'knowledge', 'kernel', 'accounts', 'platform'],
  delivery: ['retrieval', 'writing', 'knowledge', 'kernel', 'accounts', 'platform'],
  files: ['writing', 'kernel', 'accounts', 'platform'],
  evals: ['files', 'delivery', 'agents', 'retrieval', 'writing', 'knowledge', 'kernel', 'accounts', 'platform'],
  learning: [
    'evals',
    'files',
    'delivery',
    'agents',
    'retrieval',
    'writing',
    'knowledge',
    'kernel',
    'accounts',
    'platform',
  ],
  oversight: ['files', 'delivery', 'agents', 'retrieval', 'writing', 'knowledge', 'kernel', 'accounts', 'platform'],
  deletions: ['files', 'delivery', 'agents', 'retrieval', 'writing', 'knowledge', 'kernel', 'accounts', 'platform'],
}

/** The workspaces that each may import. `cli` imports the server only dynamically, to run it. */
const workspaces: Record<string, string[]> = {
  contracts: ['contracts'],
  sdk: ['sdk', 'contracts'],
  adapters: ['adapters', 'sdk'],
  cli: ['cli', 'sdk', 'contracts', 'server'],
  console: ['console', 'sdk', 'contracts'],
  server: ['server', 'contracts'],
}

const findLayer = (path: string): number => layers.findIndex((layer) => layer.test(path))
const findArea = (path: string): string | undefined => /^server\/src\/features\/([^/]+)\//.exec(path)?.[1]
const findFeature = (path: string): string | undefined => /^server\/src\/features\/([^/]+\/[^/]+)\//.exec(path)?.[1]
const findWorkspace = (path: string): string => path.split('/')[0] ?? ''

const arrows = (allowed: (from: SourceFile, to: string) => boolean): string[] =>
  files.flatMap((file) => file.imports.filter((to) => !allowed(file, to)).map((to) => `${file.path} -> ${to}`))

test('the reader of imports sees what there is', () => {
  expect(arrows(() => false).length).toBeGreaterThan(200)
  expect(arrows((_from, to) => !to.endsWith('.ts') || files.some(({ path }) => path === to))).toEqual([])
})

test('workspaces import only what the map allows', () => {
  const wrong = arrows((from, to) => {
    const allowed = workspaces[findWorkspace(from.path)]
    return allowed === undefined || allowed.includes(findWorkspace(to))
  })
  expect(wrong).toEqual([])
})

test('every file of the server belongs to a layer', () => {
  const homeless = files.filter(({ path }) => path.startsWith('server/') && findLayer(path) === -1)
  expect(homeless.map(({ path }) => path)).toEqual([])
})

test('imports of the server point downwards', () => {
  const wrong = arrows((from, to) => {
    if (!from.path.startsWith('server/') || !to.startsWith('server/')) return true
    return findLayer(from.path) <= findLayer(to)
  })
  expect(wrong).toEqual([])
})

test('no edge imports another', () => {
  const toEdge = (path: string): string | undefined =>
    /^server\/src\/(http|mcp|openai|agent-runtime|workers)\//.exec(path)?.[1]
  const wrong = arrows((from, to) => {
    const [mine, theirs] = [toEdge(from.path), toEdge(to)]
    return mine === undefined || theirs === undefined || mine === theirs
  })
  expect(wrong).toEqual([])
})

test('every feature is in an area, and imports only areas below its own', () => {
  const found = [...new Set(files.flatMap(({ path }) => findArea(path) ?? []))].sort()
  expect(found).toEqual(Object.keys(areas).sort())
  const wrong = arrows((from, to) => {
    const [mine, theirs] = [findArea(from.path), findArea(to)]
    return mine === undefined || theirs === undefined || mine === theirs || areas[mine]?.includes(theirs) === true
  })
  expect(wrong).toEqual([])
})

test('sibling folders do not import each other in a circle, anywhere', () => {
  expect(folderCircles(files)).toEqual([])
})

test('a file named queries.ts is private to its feature', () => {
  const wrong = arrows((from, to) => {
    const feature = findFeature(to)
    const isPrivate = feature !== undefined && to.endsWith('/queries.ts')
    // Benchmarks measure internals.
    return !isPrivate || findFeature(from.path) === feature || from.path.startsWith('bench/')
  })
  expect(wrong).toEqual([])
})

test('the server has no barrels: a name is imported from the file that defines it', () => {
  const wrong = files.filter(
    ({ path, text }) => path.startsWith('server/') && /^export (type )?(\{[^}]*\}|\*[^'\n]*) from '/m.test(text),
  )
  expect(wrong.map(({ path }) => path)).toEqual([])
})

test('ARCHITECTURE.md names every feature', () => {
  const page = readProjectFile('ARCHITECTURE.md')
  const features = files.flatMap(({ path }) => /\/features\/[^/]+\/([^/]+)\//.exec(path)?.[1] ?? [])
  const map = /features\/ {3}[\s\S]*?\n {2}storage\//.exec(page)?.[0] ?? ''
  const named = map.split(/[\s()]+/)
  expect([...new Set(features)].filter((name) => !named.includes(name))).toEqual([])
})

test('SQL is only in queries and stores', () => {
  const writesSql = /import \{[^}]*\bsql\b[^}]*\} from 'kysely'/
  const wrong = files.filter(
    ({ path, text }) =>
      /^server\/src\/(?!storage\/)/.test(path) && !/(\/|-)(queries|store)\.ts$/.test(path) && writesSql.test(text),
  )
  expect(wrong.map(({ path }) => path)).toEqual([])
})

test('a subquery of exists has a column: Citus cannot plan one without, where it stores the rows of the subquery first', () => {
  const wrong = files.filter(({ path, text }) => path.startsWith('server/src/') && /exists \(\s*select from/.test(text))
  expect(wrong.map(({ path }) => path)).toEqual([])
})

test('no test waits less than the others: limits end what hangs, and a busy machine is slow', () => {
  const least = 90_000
  const tests = sourceFiles({ tests: true }).filter(({ path }) => /\.(test|fixture)\.ts$/.test(path))
  const wrong = tests.flatMap(({ path, text }) =>
    [...text.matchAll(/[{,] timeout: ([0-9_]+)|^\}, ([0-9_]+)\)$/gm)]
      .map(([limit, ...found]) => ({ limit, milliseconds: Number(found.join('').replaceAll('_', '')) }))
      .filter(({ milliseconds }) => milliseconds >= 1_000 && milliseconds < least)
      .map(({ limit }) => `${path}: ${limit}`),
  )
  expect(wrong).toEqual([])
})

test('the command line loads the server by dynamic import alone, so that most commands start without it', () => {
  const wrong = files.filter(
    ({ path, text }) => path.startsWith('cli/') && /^(import|export) (?!type )[^;]*from '@noema\/server/m.test(text),
  )
  expect(wrong.map(({ path }) => path)).toEqual([])
})

test('only entry points read the environment', () => {
  const entries = ['server/src/main.ts', 'cli/src/main.ts', 'cli/src/start.ts']
  const readers = files.filter(
    ({ path, text }) => !/^(bench|dev)\//.test(path) && text.includes('process.env') && !entries.includes(path),
  )
  // The SDK reads its two variables if there is a process at all.
  expect(readers.map(({ path }) => path).filter((path) => !path.startsWith('sdk/'))).toEqual([])
})

test('the server reaches the network through shared/outbound alone, mail, its own database and its own nodes aside', () => {
  const modules = ['undici', 'node:http', 'node:https', 'node:http2', 'node:net', 'node:tls', 'node:dns', 'node:dgram']
  // Types of sockets, the check whether a text is an address, and listening open no connection.
  const harmless = /import (type [^;\n]+|\{ isIP \}|\{ createServer \}) from 'node:(net|http)'\n/g
  const callers = files
    .filter(({ path }) => path.startsWith('server/') && !path.startsWith('server/src/shared/outbound/'))
    .filter(({ path }) => !path.startsWith('server/src/storage/embedded/'))
    // Connections between the nodes of the service.
    .filter(({ path }) => !path.startsWith('server/src/http/forwarding/'))
    // Takes the network from a process.
    .filter(({ path }) => !path.endsWith('/isolation/deny-network.ts'))
    .filter(({ text }) => {
      const rest = text.replaceAll(harmless, '')
      return /(?<![\w.])fetch\(|WebSocket\(/.test(rest) || modules.some((name) => rest.includes(`from '${name}`))
    })
  expect(callers.map(({ path }) => path)).toEqual([])
})

test('the contracts and the SDK run outside Node', () => {
  const wrong = files.filter(
    ({ path, packages }) => /^(contracts|sdk)\//.test(path) && packages.some((name) => name.startsWith('node:')),
  )
  expect(wrong.map(({ path }) => path)).toEqual([])
})
