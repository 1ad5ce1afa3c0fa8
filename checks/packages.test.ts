import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// The content of an installation, read from the files that npm uses.

type Locked = {
  version?: string
  integrity?: string
  resolved?: string
  link?: boolean
  dev?: boolean
}
type Manifest = { dependencies?: Record<string, string> }

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
const locked = Object.entries(lock.packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)

test('every package is checked by its content, wherever it is fetched from', () => {
  expect(locked.filter(([, { integrity }]) => !integrity).map(([path]) => path)).toEqual([])
  expect(locked.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([])
})

test('no library reports an installation to its maker, with an npm that does not know allowScripts either', () => {
  for (const path of ['package.json', 'server/package.json'])
    expect(JSON.parse(read(path)), path).toMatchObject({ scarfSettings: { enabled: false } })
})

test('an installation without development packages can build the console', () => {
  const { dependencies = {} } = JSON.parse(read('console/package.json')) as Manifest
  const sources = ['console/vite.config.ts', 'console/precompress.ts'].map(read).join('\n')
  const imported = [...sources.matchAll(/from '([^'.][^':]*)'/g)].map(([, name]) => name ?? '')
  expect(imported).toContain('vite')
  for (const name of imported) {
    expect(dependencies).toHaveProperty([name])
    expect(lock.packages[`node_modules/${name}`]?.dev, name).toBeUndefined()
  }
})
