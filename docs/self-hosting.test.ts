import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runCli } from '../cli/src/test/run-cli.ts'
import { readConfig, unknownSettings } from '../server/src/config/config.ts'
import { settings } from '../server/src/config/settings.ts'

// The settings and commands in the guides for operators exist. The commands of their named blocks run with those of the
// README.

const read = (page: string): string => readFileSync(new URL(page, import.meta.url), 'utf8')
const pages = [
  ...['self-hosting.md', 'deploying.md', 'scaling.md', 'backup.md', 'observability.md', 'administration.md'],
  ...['../README.md', '../SECURITY.md'],
]

const findBlocks = (page: string, kind: string): string[] =>
  [...read(page).matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text)

test('D-83 each block of settings of the guide to self-hosting is taken by the service', () => {
  const blocks = findBlocks('self-hosting.md', 'sh settings')
  expect(blocks.length).toBeGreaterThan(3)
  for (const block of blocks) {
    const lines = block.trim().split('\n')
    const env = Object.fromEntries(lines.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]))
    expect(() => readConfig(env, '/'), block).not.toThrow()
    expect(unknownSettings(env)).toEqual([])
  }
})

test('each default that docs/settings.md shows may be written so', () => {
  const rows = [...read('settings.md').matchAll(/^\| `((?:NOEMA|OTEL)_\w+)`[^|]*\| `([^|`]+)` +\|/gm)]
  expect(rows.length).toBeGreaterThan(40)
  for (const [, name = '', value = ''] of rows)
    expect(settings[name as keyof typeof settings].schema.safeParse(value), name).toMatchObject({ success: true })
})

test.each(pages)('each setting that %s names is one', (page) => {
  const names = new Set([...read(page).matchAll(/\bNOEMA_[A-Z0-9_]+\b/g)].map(([name]) => name))
  expect(unknownSettings(Object.fromEntries([...names].map((name) => [name, 'x'])))).toEqual([])
})

test.each(pages)('each command that %s names is one of the command line', async (page) => {
  const texts = [...read(page).matchAll(/(?:^|`|\(|&& )(?:npx )?noema ([a-z][a-z -]*[a-z])/gm)].map(
    ([, words = '']) => words,
  )
  for (const words of new Set(texts)) {
    const nouns = words.split(' ').filter((word) => !word.startsWith('-'))
    const { code, stderr } = await runCli([...nouns.slice(0, 2), '--help'], 'http://127.0.0.1:1')
    expect([words, code, stderr]).toEqual([words, 0, ''])
  }
})

test.each(pages)('each file that %s leads to is there', (page) => {
  for (const [, path = ''] of read(page).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g))
    expect(existsSync(new URL(path, new URL(page, import.meta.url))), path).toBe(true)
})
