import { endpoints } from '@noema/contracts/api.ts'
import { areas, findArea } from '../reference/areas.ts'
import type { Guide } from './guides.ts'

// The files that language models read first: llms.txt lists the pages, llms-full.txt holds all of them (https://llmstxt.org).

const about =
  'Knowledge stores for AI agents, self-hosted: records, statements and documents with reviewable writes and one ordered stream of events.'

const listCalls = (area: string): string[] =>
  endpoints
    .filter(({ name }) => findArea(name) === area)
    .map(({ endpoint: { method, path, summary } }) => `- \`${method} ${path}\`: ${summary}`)

const callsByArea = (): string =>
  areas
    .map(({ name, description }) => ({ name, description, calls: listCalls(name) }))
    .filter(({ calls }) => calls.length > 0)
    .map(({ name, description, calls }) => `### ${name}\n\n${description}\n\n${calls.join('\n')}`)
    .join('\n\n')

const head = `# Noema\n\n> ${about}\n`

/** The text of llms.txt. */
export const llmsText = (base: string, guides: readonly Guide[]): string =>
  [
    head,
    `Every call is described in [the OpenAPI document](${base}/v1/openapi.json). Send a key as \`authorization: Bearer …\`.`,
    '',
    '## Guides',
    '',
    ...guides.map(({ name, title, about: text }) => `- [${title}](${base}/docs/guides/${name}.md): ${text}`),
    '',
    '## Reference',
    '',
    `- [OpenAPI document](${base}/v1/openapi.json): every operation with its parameters, answers, errors and examples`,
    `- [Everything in one file](${base}/llms-full.txt): all guides and the list of operations`,
    '',
  ].join('\n')

/** The text of llms-full.txt. */
export const llmsFullText = (guides: readonly Guide[]): string =>
  [head, '## Operations', '', callsByArea(), '', ...guides.map(({ markdown }) => `${markdown.trim()}\n`)].join('\n')
