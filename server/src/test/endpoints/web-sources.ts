import type { TestApp, TestBrain } from '../app.ts'
import { fresh } from './fresh.ts'
import { asIs, type EndpointRows, plain } from './row.ts'

// Web sources of a Brain. Nothing is fetched: the hosts do not exist.

const needs = ['write', 'admin']
const pages = { urls: ['https://pages.example.org/zqcontent-page'] }

const onSource = async (_test: TestApp, brain: TestBrain) => {
  const source = fresh('web')
  await brain.call('PUT', `/web-sources/${source}`, pages)
  return { params: { source } }
}

const aimedAtSource = (body?: object) => () => [{ params: { source: 'sample' }, ...(body ? { body } : {}) }]

const example = { params: { source: 'mission-site' }, body: { urls: ['https://missions.example.org/cassini/'] } }

export const webSourcesRows = {
  'brain.webSources.list': { needs: ['read'], call: plain, aimed: asIs },
  'brain.webSources.get': { needs: ['read'], call: onSource, aimed: aimedAtSource() },
  'brain.webSources.put': {
    needs,
    call: () => ({ params: { source: fresh('web') }, body: pages }),
    aimed: aimedAtSource(pages),
    example,
  },
  'brain.webSources.changePages': {
    needs,
    call: () => ({ params: { source: fresh('web') }, body: { add: pages.urls } }),
    aimed: aimedAtSource({ add: pages.urls }),
    example: { ...example, body: { add: example.body.urls } },
  },
  'brain.webSources.refresh': {
    needs,
    call: onSource,
    aimed: aimedAtSource(),
    unaudited: 'it sets nothing; the change of a refresh is an event of the stream',
  },
  'brain.webSources.delete': { needs, call: onSource, aimed: aimedAtSource() },
} satisfies EndpointRows
