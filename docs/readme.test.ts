import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findCommands, useNewcomer } from './readme-shell.ts'

// Follows the README, and then the guides to clients and to self-hosting, like a newcomer: runs their commands unchanged, one after the
// other, against a service that `npm start` started. Only the port differs.

// Each command starts programs, which takes time on a busy machine.
const pages = ['../README.md', 'clients.md', 'self-hosting.md']
  .map((page) => readFileSync(new URL(page, import.meta.url), 'utf8'))
  .join('\n')
const documents = readdirSync(new URL('../node_modules/fastify/docs/', import.meta.url), { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
  .sort()

const newcomer = useNewcomer()

const commands = (name: string): string => findCommands(pages, name).replaceAll('http://127.0.0.1:4100', newcomer.base)

const run = async (name: string) => {
  const done = await newcomer.shell.run(commands(name))
  expect(done, done.stderr).toMatchObject({ status: 0 })
  return { ...done, lines: done.stdout.split('\n').filter((line) => line !== '') }
}

const documentIds = (lines: string[]): string[] => lines.map((line) => line.split(/ {2,}/).at(-1) ?? '')

test('minting the first key creates the first account and prints its password', async () => {
  const { stdout, stderr } = await run('key')
  expect(stdout).toBe('')
  expect(stderr).toContain('Minted management key "cli"')
  expect(stderr).toContain('its password, shown once: ')
})

test('syncing a folder makes a Brain with one document for each file', async () => {
  const { stderr } = await run('sync')
  const count = documents.length
  expect(stderr).toContain(`${count} files: ${count} created, 0 updated, 0 unchanged; state version 1.`)
})

test('the stream shows each document once', async () => {
  const { lines } = await run('tail')
  expect(lines.every((line) => line.includes('  document.served  '))).toBe(true)
  expect(documentIds(lines).sort()).toEqual(documents)
})

test('a search from the command line finds by words at once', async () => {
  const { lines } = await run('search')
  expect(lines.filter((line) => / version \d+ {2}/.test(line))).toHaveLength(3)
  expect(lines.join('\n')).toContain('bodyLimit')
})

test('by curl a context is fetched within its budget, and its receipt names the versions that it contains', async () => {
  const [answer, kept] = (await run('context')).lines.map((line) => JSON.parse(line).data)
  const { context, items, budget, receipt } = answer
  expect(budget.used).toBeLessThanOrEqual(600)
  expect(context).toContain('plugin')
  expect(kept.receipt).toMatchObject({ id: receipt, consumerId: 'my-agent', operation: 'context', current: true })
  expect(kept.receipt.served.documents.map(({ id }: { id: string }) => id)).toContain(items[0].id)
})

test('an AI client gets a key of one Brain that reads alone', async () => {
  await run('agentkey')
  const asked = await newcomer.shell.run(`curl -sS -H "authorization: Bearer $AGENT_KEY" ${newcomer.base}/v1/whoami`)
  expect(JSON.parse(asked.stdout).data).toMatchObject({ kind: 'brain', capabilities: ['read'] })
})

test('by curl a tool of the MCP server searches', async () => {
  const { stdout } = await run('mcp')
  const message = JSON.parse(stdout.replace(/^.*?data: /s, ''))
  expect(message.result.structuredContent.results).toHaveLength(1)
})

test('by curl a Brain is created, a record is written, and the stream has one event for it, however often it is sent', async () => {
  const first = (await run('curl')).lines.map((line) => JSON.parse(line).data)
  const second = (await run('curl')).lines.map((line) => JSON.parse(line).data)
  const [made, written, page] = first
  expect(made.brain).toMatchObject({ handle: 'projects', stateVersion: 0 })
  expect(written).toMatchObject({ outcome: 'landed', record: { slug: 'apollo', version: 1 }, stateVersion: 1 })
  expect(page.events).toMatchObject([{ type: 'record.accepted', data: { record: { id: written.record.id } } }])
  expect(second.slice(1)).toEqual([written, page])
})

test('by curl the stream is followed live', async () => {
  const { stdout } = await newcomer.shell.run(`${commands('live').trimEnd()} | head -n 5`)
  expect(stdout).toMatch(/^: connected\n\nid: \S+\nevent: record\.accepted\ndata: \{"cursor":/)
})

test('the SDK writes and reads in a few lines of TypeScript', async () => {
  expect((await run('sdk')).lines.slice(-2)).toEqual(['record.accepted', 'statement.asserted'])
})

test('a person without a shell on the server signs up and mints a key by cookie', async () => {
  const { lines } = await run('signup')
  const [account, minted] = lines.map((line) => JSON.parse(line))
  expect(account.user).toMatchObject({ email: 'you@example.com', emailVerified: false })
  expect(minted.data).toMatchObject({
    key: { name: 'laptop', status: 'active' },
    secret: expect.stringMatching(/^nsk_/),
  })
})

test('without a mail server the log has the link that confirms an address, and it works', async () => {
  const mail = newcomer.service
    .output()
    .split('\n')
    .filter((line) => line.includes('"mail":'))
    .map((line) => JSON.parse(line).mail)
    .find((sent) => sent?.to === 'you@example.com')
  const link = /https?:\/\/\S+/.exec(mail.text)?.[0] ?? ''
  expect(link.startsWith(`${newcomer.base}/`)).toBe(true)
  const opened = await newcomer.shell.run(`curl -sS -o /dev/null -w '%{http_code}' -b "$JAR" '${link}'`)
  expect(opened.stdout).toContain('302')
  const session = await newcomer.shell.run(
    `curl -sS -b "$JAR" -H 'origin: ${newcomer.base}' ${newcomer.base}/v1/whoami`,
  )
  expect(JSON.parse(session.stdout).data.user).toMatchObject({ email: 'you@example.com', emailVerified: true })
})

test('a Brain key has the granted capabilities', async () => {
  const { stdout } = await run('brainkey')
  expect(JSON.parse(stdout).data).toMatchObject({
    key: { capabilities: ['read', 'write'] },
    secret: expect.stringMatching(/^nbk_/),
  })
})

test('Ctrl-C stops the service and its database', async () => {
  expect(existsSync(join(newcomer.place, 'data/postgres/postmaster.pid'))).toBe(true)
  await newcomer.service.stop()
  expect(existsSync(join(newcomer.place, 'data/postgres/postmaster.pid'))).toBe(false)
})
