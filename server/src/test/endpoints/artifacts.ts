import type { TestApp, TestBrain } from '../app.ts'
import { fresh } from './fresh.ts'
import { asIs, at, type EndpointRows, plain } from './row.ts'

// Files of an organization.

const text = { 'content-type': 'text/plain' }

/** The content of each of these files. */
export const sampleText = 'Kepler-452b is a planet.'

/** A file that is uploaded for one call. */
const onArtifact = async ({ request }: TestApp, { key }: TestBrain) => {
  const path = `/v1/artifacts?path=reports/${fresh('file')}.txt`
  const { body } = await request('POST', path, { key, headers: text, body: sampleText })
  return { params: { id: body.data.artifact.id as string } }
}

export const artifactsRows = {
  'artifacts.list': {
    needs: 'management',
    call: plain,
    aimed: asIs,
    example: async (test, brain) => {
      await onArtifact(test, brain)
      return {}
    },
  },
  'artifacts.get': { needs: 'management', call: onArtifact, aimed: at('artifact') },
  'artifacts.versions': { needs: 'management', call: onArtifact, aimed: at('artifact') },
  'artifacts.content': { needs: 'management', call: onArtifact, aimed: at('artifact') },
  'artifacts.text': { needs: 'management', call: onArtifact, aimed: at('artifact') },
  'artifacts.linked': {
    needs: 'nobody',
    call: async (test, brain) => {
      const { params } = await onArtifact(test, brain)
      const made = await test.request('POST', `/v1/artifacts/${params.id}/links`, { key: brain.key })
      return { params, query: new URL(made.body.data.link.url).search }
    },
    aimed: ({ artifact }) => [{ params: { id: artifact }, query: { token: 'none' } }],
  },
  'artifacts.upload': {
    needs: 'management',
    call: () => ({ query: `?path=reports/${fresh('file')}.txt`, headers: text, body: sampleText }),
    aimed: () => [{ query: { path: 'sample.txt' } }],
  },
  'artifacts.link': {
    needs: 'management',
    call: async (test, brain) => ({ ...(await onArtifact(test, brain)), body: { expiresInSeconds: 600 } }),
    aimed: at('artifact'),
  },
  'artifacts.delete': { needs: 'management', call: onArtifact, aimed: at('artifact') },
} satisfies EndpointRows
