import { expect, test } from 'vitest'
import { createMember } from '../test/app.ts'
import { useApp } from '../test/harness.ts'
import { joinOrganization } from '../test/organizations.ts'

// The audit log of an organization, as an admin reads it to whom a Brain is not open.

const app = useApp()

test('ACC-04 AUD-01 the audit log shows an admin no entry that names a Brain which is not open to them, also if its object names it no more', async () => {
  const owner = await createMember(app)
  const eve = await joinOrganization(app, owner, 'admin')
  const ask = async (who: { session: Record<string, string> }, method: string, path: string, body?: object) => {
    const answer = await app.request(method, path, { headers: who.session, ...(body ? { body } : {}) })
    expect(answer.status).toBeLessThan(300)
    return answer.body.data
  }
  await ask(owner, 'PUT', '/v1/brains/vault', { openTo: 'members' })
  const given = { name: 'Guard', instructions: '', model: 'noema/extractive' }
  const brains = [{ handle: 'vault', access: 'read_only' }]
  const { agent } = await ask(owner, 'POST', '/v1/agents', { ...given, brains })
  await ask(owner, 'PATCH', `/v1/agents/${agent.id}`, { brains: [] })
  const hook = { url: 'http://127.0.0.1:9/', events: ['run.failed'], scope: { brain: 'vault' } }
  const { webhook } = await ask(owner, 'POST', '/v1/webhooks', hook)
  await ask(owner, 'PATCH', `/v1/webhooks/${webhook.id}`, { scope: null })
  await ask(owner, 'PATCH', `/v1/agents/${agent.id}`, { name: 'Guide' })
  const read = async (who: Parameters<typeof ask>[0]) => (await ask(who, 'GET', '/v1/audit?limit=500')).entries
  expect(JSON.stringify(await read(owner))).toContain('vault')
  const shown = await read(eve)
  expect(shown.at(-1)).toMatchObject({ action: 'agent.changed', after: { name: 'Guide' } })
  expect(shown.filter((entry: object) => JSON.stringify(entry).includes('vault'))).toEqual([])
})
