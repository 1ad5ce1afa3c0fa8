import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMember } from '../server/src/test/app.ts'
import { useOwnApp } from '../server/src/test/harness.ts'
import { adapterNames, buildAdapters } from './build-adapters.ts'
import { buildSdk } from './build-sdk.ts'
import { createProject, type Project, pack } from './test/test-project.ts'

// The packages for frameworks as a user has them: packed, installed with the frameworks into an empty project, and used there
// against a running service. The frameworks are only here, because every contributor would install them otherwise: see decision 59.

const frameworks = [
  ...['@langchain/core@1.4.0', '@langchain/langgraph@1.7.3', 'langchain@1.5.14', '@llamaindex/core@0.6.23'],
  ...['@llamaindex/env@0.1.31', '@mastra/core@1.71.0', '@openai/agents-core@0.20.0', '@types/node@24.19.2'],
]

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const { devDependencies } = JSON.parse(read('package.json'))

const findExample = (path: string): string => {
  const [, code] = /^```ts\n(.*?)^```$/ms.exec(read(path)) ?? []
  if (code === undefined) throw new Error(`${path} has no example.`)
  return code
}

let project: Project
const service = useOwnApp()

beforeAll(async () => {
  project = await createProject()
  const tarballs = await pack(project, await buildSdk(join(project.folder, 'sdk/')), ...buildAdapters())
  await project.install(...tarballs, ...frameworks, `ai@${devDependencies.ai}`, `zod@${devDependencies.zod}`)
  await project.write({
    'adapter-brains.mjs': read('packaging/programs/adapter-brains.mjs'),
    ...Object.fromEntries(adapterNames.map((name) => [`${name}.ts`, findExample(`adapters/${name}/README.md`)])),
    ...Object.fromEntries(adapterNames.map((name) => [`use-${name}.mjs`, read(`packaging/programs/use-${name}.mjs`)])),
  })
})

afterAll(() => project?.remove())

test('the sources and the examples comply with the types of the frameworks, at their strictest', async () => {
  for (const name of adapterNames)
    cpSync(fileURLToPath(new URL(`../adapters/${name}/src`, import.meta.url)), join(project.folder, `src/${name}`), {
      recursive: true,
    })
  const { compilerOptions } = JSON.parse(read('tsconfig.json'))
  await project.write({
    'tsconfig.json': JSON.stringify({
      compilerOptions: { ...compilerOptions, lib: ['es2024', 'dom', 'dom.iterable'] },
      include: ['src', ...adapterNames.map((name) => `${name}.ts`)],
    }),
  })
  await project.run(fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url)), ['-p', '.'])
})

test.each(adapterNames)('the packed @noema/%s keeps its promises in the real framework', async (name) => {
  const { key } = await createMember(service)
  const env = { NOEMA_BASE_URL: service.base, NOEMA_API_KEY: key, LANGCHAIN_TRACING_V2: 'false' }
  const said = await project.run(process.execPath, ['--test-reporter=tap', `use-${name}.mjs`], env)
  expect(said).toMatch(/^# pass [1-9]\d*$/m)
  expect(said).toMatch(/^# fail 0$/m)
})

test('the guide to frameworks shows the examples as they are', () => {
  for (const name of adapterNames)
    expect(read('docs/frameworks.md')).toContain(findExample(`adapters/${name}/README.md`))
})
