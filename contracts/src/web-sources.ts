import { z } from 'zod'
import { actor, deletedResult, itemId, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { lockErrors } from './error-codes.ts'

// Web sources: pages of the web that are documents of a Brain, and are fetched again at intervals.

/** The most URLs of one request. The settings of the service limit the pages of a source. */
export const maxWebUrls = 500

/** The hours between two refreshes, unless a request says otherwise. */
export const defaultRefreshHours = 24

/** A page is retired once it was missing at so many refreshes in a row, over at least so many hours. */
export const webPageGone = { refreshes: 3, hours: 24 } as const

const url = z
  .string()
  .min(1)
  .max(2000, 'A URL has at most 2000 characters.')
  .describe('The address of a page: https, on a public host.')

const urls = z.array(url).max(maxWebUrls, `A request has at most ${maxWebUrls} URLs.`)

const refreshHours = z
  .int()
  .min(1)
  .max(8760, 'refreshHours is at most 8760, a year.')
  .nullable()
  .describe('The hours between two refreshes; null to refresh only on request.')

export const webPage = z
  .object({
    url,
    documentId: itemId,
    status: z
      .enum(['waiting', 'current', 'failing', 'missing', 'retired'])
      .describe('The state of the page; see the description of the object.'),
    title: z.string().nullable().describe('The title of the page; null until it was fetched.'),
    httpStatus: z.int().nullable().describe('The status of the last answer; null if there was none.'),
    error: z.string().nullable().describe('Why the last fetch failed, in a sentence; null if it did not.'),
    checkedAt: timestamp.nullable().describe('When it was last asked for; null if never.'),
    fetchedAt: timestamp.nullable().describe('When the page last answered with its content; null if never.'),
    nextAt: timestamp.nullable().describe('When it is fetched next; null if only on request.'),
  })
  .describe(
    'A page of a web source. `waiting`: not fetched yet. `current`: the last fetch succeeded. `failing`: it did not, and ' +
      'the document keeps its last text. `missing`: the site says that it does not exist (404 or 410). `retired`: it was ' +
      `missing ${webPageGone.refreshes} times in a row over at least ${webPageGone.hours} hours, and its document was retired.`,
  )
export type WebPage = z.infer<typeof webPage>

const counted = (about: string) => z.int().min(0).describe(about)

export const webSource = z
  .object({
    source: z.string().describe('The name of the source. Its documents carry it, so that reads can filter by it.'),
    refreshHours,
    pages: z
      .object({
        total: counted('All pages.'),
        waiting: counted('Pages that were not fetched yet.'),
        failing: counted('Pages whose last fetch failed.'),
        missing: counted('Pages that do not exist any more, retired ones included.'),
      })
      .describe('How many pages there are.'),
    nextRefreshAt: timestamp.nullable().describe('When a page is fetched next; null if only on request.'),
    refreshedAt: timestamp.nullable().describe('When the last refresh ended; null if none did.'),
    lastChange: z
      .string()
      .nullable()
      .describe('The id of the change that the last refresh with a difference made; null if none did.'),
    problem: z
      .string()
      .nullable()
      .describe('Why changed pages could not be written, in a sentence; null if they could.'),
    paused: z
      .object({ reason: z.string().describe('Why, for people.') })
      .nullable()
      .describe('Set while nothing is fetched, because the access of the author ended.'),
    author: actor.describe('Who set the pages last. Refreshes act for this person or key, and end with their access.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .describe('A web source: pages that are documents of the Brain, and are refreshed at intervals.')
export type WebSource = z.infer<typeof webSource>

const path = '/v1/brains/{handle}/web-sources' as const
const one = `${path}/{source}` as const
const write = { capabilities: ['write', 'admin'] } as const
const read = { capabilities: ['read'] } as const
const addErrors = [...lockErrors, 'too_many_web_sources', 'too_many_web_pages', 'web_page_cap'] as const
const result = z.object({ webSource: webSource.describe('The source.') }).describe('The source.')

export const putWebSource = defineEndpoint({
  method: 'PUT',
  path: one,
  summary: 'Make web pages documents, and refresh them at intervals',
  description:
    'Makes a web source, or sets all its pages. New pages are fetched soon, in the background. Pages that are not in ' +
    '`urls` are removed, and their documents retired. Each refresh is one change of the Brain, reviewed if the Brain ' +
    'requires review, and none if no page differs. The document of a page has its URL as id.',
  access: write,
  body: z.object({
    urls: urls.describe('All pages of the source.'),
    refreshHours: refreshHours.default(defaultRefreshHours),
  }),
  errors: addErrors,
  status: [200],
  result,
})

export const changeWebPages = defineEndpoint({
  method: 'POST',
  path: `${one}/pages`,
  summary: 'Add pages to a web source, or remove some',
  description:
    'Adds pages by their URLs, and removes others. The source is made if it does not exist, so that one call adds a ' +
    'page. A page that is there already stays as it is.',
  access: write,
  body: z
    .object({
      add: urls.default([]).describe('The pages to add.'),
      remove: urls.default([]).describe('The pages to remove. Their documents are retired.'),
      refreshHours: refreshHours.optional(),
    })
    .refine((sent) => sent.add.length + sent.remove.length > 0 || sent.refreshHours !== undefined, {
      error: 'Name pages to add or to remove.',
    }),
  errors: [...addErrors, 'not_found'],
  status: [200],
  result,
})

export const refreshWebSource = defineEndpoint({
  method: 'POST',
  path: `${one}/refresh`,
  summary: 'Refresh a web source now',
  description: 'Fetches all pages of a source soon, in the background. At most once a minute.',
  access: write,
  errors: ['rate_limited'],
  status: [200],
  result,
})

export const deleteWebSource = defineEndpoint({
  method: 'DELETE',
  path: one,
  summary: 'Delete a web source',
  description:
    'Deletes a web source. Nothing is fetched any more, and its documents stay. To retire them, first remove the pages.',
  access: write,
  errors: lockErrors,
  status: [200],
  result: deletedResult,
})

export const getWebSource = defineEndpoint({
  method: 'GET',
  path: one,
  summary: 'Read a web source and its pages',
  description: 'Reads a web source, with a page of its web pages by document id.',
  access: read,
  query: z.object(listQuery),
  status: [200],
  list: 'pages',
  result: z.object({
    webSource: webSource.describe('The source.'),
    pages: z.array(webPage).describe('The web pages of this page.'),
    ...pageResult,
  }),
})

export const listWebSources = defineEndpoint({
  method: 'GET',
  path,
  summary: 'List web sources',
  description: 'Lists the web sources of a Brain by name.',
  access: read,
  query: z.object(listQuery),
  status: [200],
  list: 'webSources',
  result: z.object({ webSources: z.array(webSource).describe('The sources of this page.'), ...pageResult }),
})

/** The endpoints of web sources, by name. */
export const webSources = {
  put: putWebSource,
  changePages: changeWebPages,
  refresh: refreshWebSource,
  delete: deleteWebSource,
  get: getWebSource,
  list: listWebSources,
}
