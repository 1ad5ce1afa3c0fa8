import type { TestApp, TestBrain } from '../../test/app.ts'
import { endpointRows, type NamedEndpoint } from '../../test/endpoints/all.ts'
import { type SampleCall, sampleCall, toCall } from '../../test/sample-calls.ts'

// The Brain and the calls that the examples of the reference are recorded from.

export const exampleHandle = 'space-missions'

const overview =
  'Voyager 1 was launched on 5 September 1977. It crossed into interstellar space in August 2012 and still sends data.'

/** Fills the Brain of the examples. */
export const addSpacecraft = async (brain: TestBrain): Promise<void> => {
  const probe = { kind: 'spacecraft', slug: 'voyager-1', fields: { name: 'Voyager 1', launched: '1977-09-05' } }
  const encounter = { name: 'next', type: 'date', notifyBefore: ['P30D', 'P0D'] }
  const evolution = { baseVersion: 0, operations: [{ op: 'addKind', kind: 'mission', fields: [encounter] }] }
  const { change } = (await brain.call('POST', '/schema/evolve', evolution)).body.data
  await brain.call('POST', `/changes/${change.id}/decide`, { decision: 'approved' })
  const mission = { kind: 'mission', fields: { next: '2999-01-01' } }
  const written = [
    await brain.call('PUT', '/records/voyager-1', probe),
    await brain.call('PUT', '/records/new-horizons', mission),
  ]
  const document = {
    id: 'voyager-overview',
    title: 'Voyager 1',
    text: overview,
    source: { name: 'mission-pages', uri: 'https://example.com/voyager' },
  }
  written.push(await brain.call('POST', '/documents', document), await brain.call('POST', '/statements', crossing))
  for (const { status, body } of written) if (status !== 201) throw new Error(JSON.stringify(body))
}

const crossing = {
  subject: { id: 'voyager-1', kind: 'spacecraft' },
  predicate: 'entered',
  object: { value: 'interstellar space' },
  validFrom: '2012-08-25T00:00:00Z',
  sources: [{ document: 'voyager-overview', quote: 'It crossed into interstellar space in August 2012' }],
}

/** The call that the reference shows of an endpoint: its example, else the call of the tests. */
export const exampleCall = async (test: TestApp, brain: TestBrain, named: NamedEndpoint): Promise<SampleCall> => {
  const { example } = endpointRows[named.name]
  if (!example) return sampleCall(test, brain, named)
  const parts = typeof example === 'function' ? await example(test, brain) : example
  return toCall(named.endpoint, exampleHandle, parts)
}
