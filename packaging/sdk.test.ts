import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openBrowser, whyNot } from '../console/test/browser.ts'
import { useMember, useOwnApp } from '../server/src/test/harness.ts'
import { buildSdk } from './build-sdk.ts'
import { createProject, olderNode, type Project, pack } from './test/test-project.ts'

// The SDK as a user has it: packed, installed into an empty project, and used there against a running service.

// Four installations, of which two are a whole Node.
vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 })

const pages = createServer((request, response) => {
  const path = join(project.folder, 'dist', request.url === '/' ? 'index.html' : (request.url ?? ''))
  if (!existsSync(path)) return void response.writeHead(404).end()
  response.setHeader('content-type', path.endsWith('.js') ? 'text/javascript' : 'text/html')
  response.end(readFileSync(path))
})

let project: Project
const service = useOwnApp({ NOEMA_CORS_ANY: 'true' })
const member = useMember(service)

beforeAll(async () => {
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
  project = await createProject()
  const tarballs = await pack(project, await buildSdk())
  await project.install(...tarballs, olderNode(20).name, olderNode(22).name)
  await project.write({
    'use-sdk.mjs': readFileSync(new URL('programs/use-sdk.mjs', import.meta.url), 'utf8'),
    'run.mjs':
      "import { useSdk } from './use-sdk.mjs'\nconsole.log(JSON.stringify(await useSdk(JSON.parse(process.argv[2]))))\n",
    'typed.ts': readFileSync(new URL('programs/typed.ts', import.meta.url), 'utf8'),
    'index.html': '<!doctype html><title>A page</title><script type="module" src="./page.js"></script>',
    'page.js': "import { useSdk } from './use-sdk.mjs'\nwindow.useSdk = useSdk\n",
  })
})

afterAll(async () => {
  pages.closeAllConnections()
  pages.close()
  await project?.remove()
})

const { devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const aiVersion: string = devDependencies.ai

const used = {
  outcome: 'landed',
  slugs: ['ada'],
  types: ['record.accepted'],
  missing: true,
  kind: 'brain',
  handled: 0,
  version: 1,
  known: true,
}

test.each([
  ['24', process.execPath],
  ['22', olderNode(22).program],
  ['20', olderNode(20).program],
])('the packed SDK writes, reads, follows and verifies under Node %s', async (major, node) => {
  const program = node === process.execPath ? node : join(project.folder, node)
  expect(await project.run(program, ['--version'])).toMatch(new RegExp(`^v${major}\\.`))
  const given = JSON.stringify({ baseUrl: service.base, apiKey: member.key, handle: `node-${major}` })
  const said = await project.run(program, ['run.mjs', given])
  expect(JSON.parse(said)).toEqual(used)
})

test.each([
  ['nodenext', ['--module', 'nodenext']],
  ['bundler', ['--module', 'esnext', '--moduleResolution', 'bundler']],
])('its types are whole under moduleResolution %s, with every declaration checked', async (_, settings) => {
  const tsc = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url))
  const common = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--types', '']
  await project.run(tsc, [...common, '--lib', 'es2022,dom,dom.iterable,dom.asynciterable', ...settings, 'typed.ts'])
})

test('a page that Vite built uses it from another origin, in Chromium', async ({ skip }) => {
  const reason = whyNot()
  if (reason) skip(reason)
  await build({ root: project.folder, logLevel: 'warn', configFile: false })
  const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  const browser = await openBrowser(origin, [service.base])
  try {
    await browser.page.goto('/')
    const given = { baseUrl: service.base, apiKey: member.key, handle: 'page' }
    await browser.page.waitForFunction('window.useSdk !== undefined')
    expect(await browser.page.evaluate(`window.useSdk(${JSON.stringify(given)})`)).toEqual(used)
    expect(browser.problems).toEqual([])
  } finally {
    await browser.close()
  }
})

test('it and its tools for the AI SDK run in an edge runtime, where there is nothing of Node', async () => {
  const program = (name: string) => readFileSync(new URL(`programs/${name}`, import.meta.url), 'utf8')
  await project.install('@edge-runtime/vm@5.0.0', `ai@${aiVersion}`)
  const names = ['use-tools.mjs', 'run-at-edge.mjs']
  await project.write(Object.fromEntries(names.map((name) => [name, program(name)])))
  const uses = "import { useSdk } from './use-sdk.mjs'\nimport { useTools } from './use-tools.mjs'\n"
  const code = 'globalThis.atEdge = async (given) => ({ used: await useSdk(given), tools: await useTools(given) })\n'
  await project.write({ 'at-edge.js': uses + code })
  const bundle = await rolldown({ input: join(project.folder, 'at-edge.js'), platform: 'browser' })
  await bundle.write({ file: join(project.folder, 'edge-bundle.js'), format: 'iife', codeSplitting: false })
  await bundle.close()
  const given = JSON.stringify({ baseUrl: service.base, apiKey: member.key, handle: 'edge' })
  const said = JSON.parse(await project.run(process.execPath, ['run-at-edge.mjs', 'edge-bundle.js', given]))
  const tools = ['context', 'query', 'read', 'search', 'write'].map((name) => `knowledge_${name}`)
  expect(said).toEqual({ used, tools: { names: tools, found: true } })
})

/** The bytes of a program that takes these imports of the package, minified and compressed. */
const bundledBytes = async (code: string): Promise<{ minified: number; compressed: number }> => {
  await project.write({ 'entry.js': code })
  const bundle = await rolldown({ input: join(project.folder, 'entry.js'), platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const text = output.map((part) => (part.type === 'chunk' ? part.code : '')).join('')
  return { minified: text.length, compressed: gzipSync(text).length }
}

test('a bundle of its client is below 10 kB compressed, one of its webhooks below 2 kB, and zod is in neither', async () => {
  const client = await bundledBytes("import { createClient } from '@noema/sdk'\nconsole.log(createClient)\n")
  const webhooks = await bundledBytes("import { unwrap } from '@noema/sdk/webhooks'\nconsole.log(unwrap)\n")
  process.stdout.write(`@noema/sdk: ${JSON.stringify({ client, webhooks })} bytes\n`)
  expect(client.compressed).toBeLessThan(10_000)
  expect(webhooks.compressed).toBeLessThan(2_000)
})

test('private modules cannot be imported', async () => {
  await project.write({ 'inside.mjs': "await import('@noema/sdk/shared/errors.js')\n" })
  await expect(project.run(process.execPath, ['inside.mjs'])).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED')
  expect(existsSync(join(project.folder, 'node_modules/@noema/sdk/src'))).toBe(false)
})
