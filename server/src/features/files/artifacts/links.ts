import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { notFound } from '../../../shared/errors.ts'
import type { SecretBox } from '../../../shared/secret-box.ts'
import type { Db } from '../../../storage/database.ts'
import { hasAccess, holdAccess } from '../../accounts/keys/revoking.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import { findArtifact } from './artifacts.ts'
import { findVersion, type VersionKey, type VersionRow } from './version-queries.ts'

// Links by which anyone downloads one version of a file for a while. A link is a token that only the service can make and read:
// nothing is stored, and it ends with the access of its maker.

type Deps = { db: Db; clock: Clock; secretBox: SecretBox }

/** The content of a token. Its file is the context that it was encrypted for. */
type Token = { organizationId: string; version: number; by: Actor; expiresAt: number }

const toContext = (id: string): string => `artifact link ${id}`

/** Makes a link to a version of a file. */
export const makeLink = async (
  { db, clock, secretBox }: Deps,
  { by, ...key }: VersionKey & { by: Actor },
  seconds: number,
) => {
  const { id, path, version } = await findArtifact(db, key)
  const { organizationId } = key
  const now = clock.now()
  const expires = new Date(now.getTime() + seconds * 1000)
  const expiresAt = expires.toISOString()
  const token: Token = { organizationId, version, by, expiresAt: expires.getTime() }
  await db.transaction().execute(async (tx) => {
    await holdAccess(tx, by, { organizationId })
    const target = { type: 'artifact', id, name: path }
    await addAudit(tx, { organizationId, by, action: 'artifact.linked', target, after: { version, expiresAt } }, now)
  })
  const sealed = secretBox.encrypt(JSON.stringify(token), toContext(id)).toString('base64url')
  return { token: sealed, version, expiresAt }
}

const gone = () => notFound('This link does not work any more, or never did. Ask for a new one.')

/** Checks whether the maker of a link may still read the files of the organization. */
const isHeld = ({ db, clock }: Pick<Deps, 'db' | 'clock'>, { by, organizationId }: Token): Promise<boolean> =>
  hasAccess(db, by, { organizationId, now: clock.now() })

/** The version that a link leads to. */
export const openLink = async (
  deps: Deps,
  { id, token }: { id: string; token: string },
): Promise<{ organizationId: string; row: VersionRow; isStillAllowed: () => Promise<boolean> }> => {
  const { db, clock, secretBox } = deps
  const text = secretBox.decrypt(Buffer.from(token, 'base64url'), toContext(id))
  if (text === undefined) throw gone()
  const link: Token = JSON.parse(text)
  const isStillAllowed = async () => link.expiresAt > clock.now().getTime() && (await isHeld(deps, link))
  if (!(await isStillAllowed())) throw gone()
  const { organizationId, version } = link
  const row = await findVersion(db, { organizationId, id, version })
  if (!row) throw gone()
  return { organizationId, row, isStillAllowed: () => isHeld(deps, link) }
}
