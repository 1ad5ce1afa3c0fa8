import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../shared/clock.ts'
import { CallFailure } from '../../../shared/outbound/call-failure.ts'
import type { Db } from '../../../storage/database.ts'
import { getPage } from './get-page.ts'
import { allowsPath, parseRobots, type RobotsRules } from './robots-rules.ts'
import { type Claim, claimSite, recordWait } from './site-queries.ts'

// The rules that sites have for programs, which a node remembers for a while, and their turns, which all nodes share.

/** The name of this program in robots.txt. */
export const programName = 'noema'

const freshMilliseconds = 3_600_000
const brokenMilliseconds = 60_000
const maxKept = 8_000_000
const maxSites = 10_000
const maxRobotsCharacters = 500_000

type Known = { rules: RobotsRules | undefined; until: number }

/** The size of rules in the memory that they may take. */
const toSize = ({ rules = [] }: Known): number => rules.reduce((sum, { pattern }) => sum + pattern.length + 50, 100)

const unreadable = new CallFailure(
  'The robots.txt of the site cannot be read at present, so its pages are not fetched.',
  {
    isRetryable: true,
  },
)

export type SiteRules = {
  /** Throws CallFailure where the site does not allow that this URL is fetched. */
  check(fetchOnce: typeof fetch, url: string, userAgent: string): Promise<void>
  /** Claims the site of a URL for this node, unless another node calls it or it asked to wait. */
  claim(url: string): Promise<Claim>
  /** Records that a site asked to wait. */
  wait(url: string, until: Date): Promise<void>
}

/** Reads the rules of a site; undefined if the site does not answer. Throws where it may not be asked at all. */
const readRules = async (fetchOnce: typeof fetch, origin: string, userAgent: string) => {
  try {
    const request = { url: `${origin}/robots.txt`, userAgent, validators: { etag: null, lastModified: null } }
    const { status, bytes } = await getPage(fetchOnce, { ...request, check: async () => undefined })
    if (status === 200) return parseRobots(bytes.toString('utf8').slice(0, maxRobotsCharacters), programName)
    return status === 429 || status >= 500 ? undefined : []
  } catch (error) {
    if (error instanceof CallFailure && error.isRetryable && !error.isPostponed) return undefined
    throw error
  }
}

/** `heldMilliseconds`: how long a node keeps a site after its last call began. */
type Deps = { db: Db; clock: Clock; node: string; heldMilliseconds: number }

/** Opens the memory of a node about sites. */
export const createSiteRules = ({ db, clock, node, heldMilliseconds }: Deps): SiteRules => {
  const known = new LRUCache<string, Known>({ max: maxSites, maxSize: maxKept, sizeCalculation: toSize })
  const find = async (fetchOnce: typeof fetch, origin: string, userAgent: string) => {
    const now = clock.now().getTime()
    const found = known.get(origin)
    if (found && found.until > now) return found.rules
    const rules = await readRules(fetchOnce, origin, userAgent)
    known.set(origin, { rules, until: now + (rules ? freshMilliseconds : brokenMilliseconds) })
    return rules
  }
  return {
    check: async (fetchOnce, url, userAgent) => {
      const { origin, pathname, search } = new URL(url)
      const rules = await find(fetchOnce, origin, userAgent)
      if (!rules) throw unreadable
      if (!allowsPath(rules, pathname + search))
        throw new CallFailure('The robots.txt of the site does not allow that this page is fetched.')
    },
    claim: (url) => {
      const now = clock.now()
      const heldUntil = new Date(now.getTime() + heldMilliseconds)
      return claimSite(db, { host: new URL(url).host, node, now, heldUntil })
    },
    wait: async (url, until) => {
      await recordWait(db, { host: new URL(url).host, node, until })
    },
  }
}
