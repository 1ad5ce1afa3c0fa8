import type { LeasedWork } from '../../../shared/concurrency/leased-work.ts'
import type { SecretBox } from '../../../shared/secret-box.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import type { Mail } from '../../platform/mail/mail.ts'
import { toDailyMail } from './daily-email.ts'
import { type LeasedReader, leaseReaders, storeMailOutcome } from './mail-queries.ts'
import { findNextMail } from './settings.ts'
import { type OngoingState, readStates, type StateDeps } from './states.ts'
import { toUnsubscribeUrl } from './unsubscribing.ts'

// The transaction that ends the reader's day stores the daily mail, while the lease is valid: so it is sent once, on any number
// of nodes and after any crash.

type Deps = StateDeps & { mail: Mail; secretBox: SecretBox; publicUrl: string }

/** The states that the reader has not heard of yet, by mail or otherwise. */
type Outcome = { news: readonly OngoingState[] }

const findNews = async (deps: Deps, reader: LeasedReader): Promise<OngoingState[]> => {
  const { organization: organizationId, userId, role, emailVerified, mailedThrough } = reader
  if (!emailVerified) return []
  const states = await readStates(deps, { organizationId, userId, role, viewer: userId })
  return states.filter(({ id, isRead }) => !isRead && (mailedThrough === null || id > mailedThrough))
}

const storeOutcome = (deps: Deps, reader: LeasedReader, { news }: Outcome): Promise<boolean> =>
  deps.db.transaction().execute(async (tx) => {
    const { organization: organizationId, userId, hour, timezone } = reader
    const dueAt = findNextMail({ mail: true, hour, timezone }, deps.clock.now())
    const mailedThrough = news.reduce<string | null>(
      (last, { id }) => (last === null || id > last ? id : last),
      reader.mailedThrough,
    )
    if (!(await storeMailOutcome(tx, reader, { dueAt, mailedThrough }))) return false
    if (news.length === 0) return true
    const unsubscribe = toUnsubscribeUrl(deps, { organizationId, userId })
    const kinds = news.map(({ kind }) => kind)
    const about = { organizationId, organization: reader.organizationName, kinds, app: deps.publicUrl, unsubscribe }
    await deps.mail.send({ ...toDailyMail(reader.email, about), organizationId }, tx)
    return true
  })

/** Daily mails as leased work: a turn is one person's of one organization. */
export const createDailyMail = (deps: Deps): LeasedWork<LeasedReader, Outcome> => ({
  name: 'send daily mails',
  maxTurns: 8,
  leaseSeconds: 60,
  maxKeys: 100,
  isLocal: true,
  lease: (request) => leaseReaders(deps.db, request),
  run: async (reader, turn) => {
    await turn.storeOutcome({ news: await findNews(deps, reader) })
    return false
  },
  storeOutcomes: async (settlements) => {
    const stood: boolean[] = []
    for (const { row, outcome } of settlements) stood.push(await storeOutcome(deps, row, outcome))
    return stood
  },
  dueKeys: (page) => selectDueKeys({ table: 'notification_readers', key: 'organization_id' }, page),
})
