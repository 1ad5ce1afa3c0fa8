import type { FastifyInstance } from 'fastify'
import { notFound } from '../../shared/errors.ts'
import { toBasePath } from '../../shared/network/base-path.ts'
import { type StaticFile, sendFile, toTextFile } from '../request/static-files.ts'
import { readAssets } from './assets.ts'
import { readGuides, renderGuide } from './guides.ts'
import { llmsFullText, llmsText } from './llms.ts'
import { guidePage, guidesPage, referencePage } from './pages.ts'

// Serves the documentation: the interactive reference, the guides, and the texts for language models. It is rendered at the first
// request and kept in memory.

const html = 'text/html; charset=utf-8'
const markdown = 'text/markdown; charset=utf-8'
const plain = 'text/plain; charset=utf-8'

/** Every file of the documentation, by its path. */
const makeFiles = (publicUrl: string): ReadonlyMap<string, StaticFile> => {
  const base = toBasePath(publicUrl)
  const guides = readGuides()
  const assets = Object.entries(readAssets(base))
  return new Map([
    ['/docs', toTextFile(html, referencePage(base))],
    ['/docs/guides', toTextFile(html, guidesPage(base, guides))],
    ['/llms.txt', toTextFile(plain, llmsText(publicUrl, guides))],
    ['/llms-full.txt', toTextFile(plain, llmsFullText(guides))],
    ...guides.flatMap((guide): [string, StaticFile][] => [
      [`/docs/guides/${guide.name}`, toTextFile(html, guidePage(base, guide, renderGuide(base, guide, guides)))],
      [`/docs/guides/${guide.name}.md`, toTextFile(markdown, guide.markdown)],
    ]),
    ...assets.map(([name, { type, body }]): [string, StaticFile] => [`/docs/assets/${name}`, toTextFile(type, body)]),
  ])
}

/** Registers the pages of the documentation. */
export const registerDocs = (app: FastifyInstance, publicUrl: string): void => {
  let files: ReadonlyMap<string, StaticFile> | undefined
  for (const url of [
    '/docs',
    '/docs/guides',
    '/docs/guides/:name',
    '/docs/assets/:name',
    '/llms.txt',
    '/llms-full.txt',
  ])
    app.route({
      method: ['GET', 'HEAD'],
      url,
      handler: async (request, reply) => {
        files ??= makeFiles(publicUrl)
        const path = request.url.replace(/\?.*$/s, '')
        const file = files.get(path)
        if (!file) throw notFound(`There is no page ${path}. /docs/guides lists the guides.`)
        return sendFile(request, reply, file)
      },
    })
}
