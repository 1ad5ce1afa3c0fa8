import { expect, test } from 'vitest'
import { aiClients, findLastUse, isPublicUrl, toMcpServer } from './ai-clients.ts'

const server = toMcpServer('https://noema.example.com/', 'handbook')

test('each client gets the URL of the Brain, as it wants it', () => {
  expect(server).toEqual({ name: 'noema-handbook', url: 'https://noema.example.com/v1/brains/handbook/mcp' })
  for (const { name, step, next } of aiClients) {
    const { text } = step(server)
    const config = name === 'cursor' ? atob(new URL(text).searchParams.get('config') ?? '') : text
    expect(config, name).toContain(server.url)
    expect(next(server), name).toMatch(/\.$/)
  }
})

test('an address that only this machine or network knows is not public', () => {
  const known = { 'https://noema.example.com': true, 'https://noema.example.com:8443/base': true }
  const local = [
    'http://noema.example.com',
    'https://localhost',
    'https://10.0.0.1',
    'https://[::1]',
    'https://nas',
    'https://noema.local',
  ]
  expect(Object.keys(known).filter(isPublicUrl)).toEqual(Object.keys(known))
  expect(local.filter(isPublicUrl)).toEqual([])
})

test('the last use of a client is that of its app in this Brain, or of a key that was made for it', () => {
  const find = (name: string, apps: object[], keys: object[]) => {
    const client = aiClients.find((one) => one.name === name)
    if (!client) throw new Error(`There is no client ${name}.`)
    return findLastUse(client, 'brn_1', { apps: apps as never, keys: keys as never })
  }
  const toApp = (name: string, id: string, lastUsedAt: string | null) => ({
    name,
    grants: [{ brain: { id }, lastUsedAt }],
  })
  const apps = [
    toApp('Claude', 'brn_1', '2026-01-01'),
    toApp('Claude Code', 'brn_1', '2026-01-02'),
    toApp('Cursor', 'brn_2', '2026-01-03'),
    toApp('Codex', 'brn_1', null),
  ]
  const keys = [
    { name: 'MCP: Cursor', lastUsedAt: '2026-01-04' },
    { name: 'MCP: Claude Code', lastUsedAt: '2026-01-01' },
  ]
  const found = ['claude', 'claude-code', 'cursor', 'codex', 'zed'].map((name) => find(name, apps, keys))
  expect(found).toEqual(['2026-01-01', '2026-01-02', '2026-01-04', undefined, undefined])
})
