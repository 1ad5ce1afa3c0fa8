import { onlyReads } from '@noema/contracts/endpoint.ts'
import { expect, test } from 'vitest'
import { useBrain, useOwnApp } from '../../../test/harness.ts'
import { sampleCall, sampleCredential, sampledEndpoints } from '../../../test/sample-calls.ts'

// Every endpoint that changes something of an organization or the service leaves an entry in the audit log, or is listed here
// with the reason why it does not. A new one fails until it is one or the other.

const app = useOwnApp()
const brain = useBrain(app)

const content = "what is written of a Brain's content stands in its stream, with who wrote it"
const work = 'it is work of agents, which runs and their journals keep with who began it'

/** Why an endpoint leaves no entry. */
const exceptions: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...[
        'records.create',
        'records.put',
        'records.patch',
        'records.delete',
        'statements.assert',
        'statements.retract',
      ],
      ...['documents.put', 'documents.retire', 'batch', 'snapshots.plan', 'snapshots.apply'],
      ...['changes.decide', 'changes.publish', 'changes.cancel', 'changes.rebase', 'changes.revert'],
      ...['schema.evolve', 'schema.promote'],
    ].map((name) => [`brain.${name}`, content]),
  ),
  ...Object.fromEntries(
    ['runs.start', 'runs.cancel', 'tasks.complete', 'conversations.create', 'conversations.delete'].map((name) => [
      name,
      work,
    ]),
  ),
  'accessRequests.submit': 'it is a request of somebody outside, which admin events keep',
  'admin.accessRequests.approve': 'the request keeps who approved it; nobody has an account yet',
  'admin.accessRequests.refuse': 'the request keeps who refused it',
  'admin.organizations.end': 'the log goes with the organization; an event of administrators names who ended it',
  'admin.retryMail': 'it sends once more what was to be sent',
  'admin.invitationCodes.create': 'codes are of no organization; each names who made it',
  'admin.invitationCodes.delete': 'codes are of no organization; what one gave stays with who signed up',
  'organization.delete': 'the log goes with the organization; the erasure names who ended it',
  'account.delete': 'here it takes its only organization along; others keep that the member left',
  'notifications.read': 'marks are of one person alone',
  'notifications.settings.patch': 'when a mail comes is of one person alone',
  'brain.webhooks.test': 'a test changes nothing',
  'webhooks.test': 'a test changes nothing',
  'webhooks.redeliver': 'it sends once more what was to be sent, which deliveries keep',
  'providers.test': 'a test changes nothing',
  'connectors.test': 'a test changes nothing but the list of tools that was seen last',
  'brain.release': 'the sample has nothing to release; the test of holds shows its entry',
  'admin.setBillingTier': 'the sample sets the tier that there is; the test of tiers shows its entry',
}

const changing = sampledEndpoints.filter(({ endpoint }) => !onlyReads(endpoint) && !endpoint.jsonRpc)

const countEntries = async (): Promise<number> => {
  const { rows } = await app.database.pool.query('select count(*)::integer as count from audit_entries')
  return rows[0].count
}

test('every exception is an endpoint that changes something', () => {
  const names = changing.map(({ name }) => name)
  expect(Object.keys(exceptions).filter((name) => !names.includes(name))).toEqual([])
})

test.each(changing)('AUD-04 $name leaves an entry in the audit log, or a reason says why not', async (named) => {
  const { method, path, body, headers } = await sampleCall(app, brain, named)
  const before = await countEntries()
  const sent = {
    headers: { ...sampleCredential(named.endpoint, brain), ...headers },
    ...(body === undefined ? {} : { body }),
  }
  const answer = await app.request(method, path, sent)
  expect(answer.status).toBeLessThan(300)
  const isNoted = (await countEntries()) > before
  expect([named.name, isNoted]).toEqual([named.name, !Object.hasOwn(exceptions, named.name)])
})
