import { endpoints } from '@noema/contracts/api.ts'
import { onlyReads } from '@noema/contracts/endpoint.ts'
import { expect, test } from 'vitest'
import { allEndpoints, endpointRows } from '../../../test/endpoints/all.ts'
import { useBrain, useOwnApp } from '../../../test/harness.ts'
import { sampleCall, sampleCredential } from '../../../test/sample-calls.ts'

// Every endpoint that changes something of an organization or the service leaves an entry in the audit log, or its row says
// why it does not.

const app = useOwnApp()
const brain = useBrain(app)

const changing = endpoints.filter(({ endpoint }) => !onlyReads(endpoint) && !endpoint.jsonRpc)

const countEntries = async (): Promise<number> => {
  const { rows } = await app.database.pool.query('select count(*)::integer as count from audit_entries')
  return rows[0].count
}

test('every exception is an endpoint that changes something', () => {
  const exceptions = allEndpoints.filter(({ name }) => endpointRows[name].unaudited !== undefined)
  const names = changing.map(({ name }) => name)
  expect(exceptions.filter(({ name }) => !names.some((one) => one === name))).toEqual([])
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
  expect([named.name, isNoted]).toEqual([named.name, endpointRows[named.name].unaudited === undefined])
})
