import type { TestApp, TestBrain } from '../app.ts'
import { fresh } from './fresh.ts'
import { asIs, type EndpointRows, plain } from './row.ts'

// Corpora of an organization.

const toParts = ({ brain }: TestBrain) => ({ parts: [{ brain: brain.handle }] })

const newCorpus = async (test: TestApp, brain: TestBrain): Promise<{ name: string }> => {
  const name = fresh('corpus')
  await test.request('PUT', `/v1/corpora/${name}`, { key: brain.key, body: toParts(brain) })
  return { name }
}

const planted = { params: { name: 'planted' } }

/** A corpus with a record that a search finds. */
const exampleCorpus = async (test: TestApp, brain: TestBrain) => {
  await test.request('PUT', '/v1/corpora/space', { key: brain.key, body: toParts(brain) })
  return { name: 'space' }
}

export const corporaRows = {
  'corpora.list': { needs: 'management', call: plain, aimed: asIs },
  'corpora.get': {
    needs: 'management',
    call: async (test, brain) => ({ params: await newCorpus(test, brain) }),
    aimed: () => [planted],
    example: async (test, brain) => ({ params: await exampleCorpus(test, brain) }),
  },
  'corpora.put': {
    needs: 'management',
    call: (_test, brain) => ({ params: { name: fresh('corpus') }, body: toParts(brain) }),
    aimed: (brain) => [{ ...planted, body: toParts(brain) }],
    example: (_test, brain) => ({
      params: { name: 'space' },
      body: { parts: [{ brain: brain.brain.handle, types: ['record', 'document'] }] },
    }),
  },
  'corpora.search': {
    needs: 'management',
    call: async (test, brain) => ({ params: await newCorpus(test, brain), body: { q: 'sample' } }),
    aimed: () => [{ ...planted, body: { q: 'planted' } }],
    example: async (test, brain) => ({
      params: await exampleCorpus(test, brain),
      body: { q: 'interstellar space', limit: 1 },
    }),
  },
  'corpora.context': {
    needs: 'management',
    call: async (test, brain) => ({ params: await newCorpus(test, brain), body: { query: 'sample' } }),
    aimed: () => [{ ...planted, body: { query: 'planted' } }],
    example: async (test, brain) => ({
      params: await exampleCorpus(test, brain),
      body: { query: 'When did Voyager 1 reach interstellar space?', budget: { tokens: 400 } },
    }),
  },
  'corpora.delete': {
    needs: 'management',
    call: async (test, brain) => ({ params: await newCorpus(test, brain) }),
    aimed: () => [planted],
  },
} satisfies EndpointRows
