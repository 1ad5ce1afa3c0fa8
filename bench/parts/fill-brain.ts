import type { Result } from '@noema/contracts/endpoint.ts'
import type { SearchMode, searchBrain } from '@noema/contracts/search.ts'
import type { Part } from './collections.ts'
import type { Noema } from './noema.ts'

const documentsAtOnce = 500
const maxWaitMs = 600_000

/** Writes the documents of a part into a Brain of its name. */
export const fillBrain = async (noema: Noema, { name, documents }: Pick<Part, 'name' | 'documents'>): Promise<void> => {
  await noema.call('PUT', `/v1/brains/${name}`, {})
  for (let from = 0; from < documents.length; from += documentsAtOnce) {
    const operations = documents
      .slice(from, from + documentsAtOnce)
      .map((document) => ({ op: 'document.put', ...document }))
    await noema.call('POST', `/v1/brains/${name}/batch`, { operations })
  }
}

/** Searches a Brain over the API. */
export const searchOver = (
  noema: Noema,
  { name, mode, text, limit }: { name: string; mode: SearchMode; text: string; limit: number },
) =>
  noema.call<Result<typeof searchBrain>>(
    'GET',
    `/v1/brains/${name}/search?${new URLSearchParams({ q: text, mode, limit: String(limit) })}`,
  )

/** Waits until nothing of a Brain is left to be indexed or, but for searches of words alone, embedded. */
export const untilReady = async (
  noema: Noema,
  { name, mode = 'hybrid' }: { name: string; mode?: SearchMode },
): Promise<void> => {
  for (let [before, since] = ['', performance.now()]; ; ) {
    const { degraded } = await searchOver(noema, { name, mode, text: 'ready', limit: 1 })
    if (!degraded) return
    const now = JSON.stringify(degraded)
    if (now !== before) [before, since] = [now, performance.now()]
    if (performance.now() > since + maxWaitMs) throw new Error(now)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
