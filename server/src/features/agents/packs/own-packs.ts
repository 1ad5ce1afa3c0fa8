import { type PackFile, packLimits } from '@noema/contracts/pack-files.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, refuseAt } from '../../../shared/errors.ts'
import { canonicalJson } from '../../../shared/text/json.ts'
import type { Db } from '../../../storage/database.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import { findBuiltin, noSuchPack, packView } from './find-pack.ts'
import { deletePackRows, deleteVersionsBefore, insertPack, lockPacks, selectNewest, selectTotals } from './queries.ts'

// Packs of an organization. Each write that differs makes the next version, and installs name the version that they brought.

type Deps = { db: Db; clock: Clock }
type Place = { organizationId: string; name: string }

const toAct = ({ organizationId, name }: Place, by: Actor, file: { title: string }) => ({
  ...{ organizationId, by, target: { type: 'pack' as const, id: name, name: file.title } },
})

const checkTotals = async (
  totals: Awaited<ReturnType<typeof selectTotals>>,
  { isNew, size }: { isNew: boolean; size: number },
): Promise<void> => {
  if (isNew && totals.packs >= packLimits.packs)
    throw conflict(`This organization has ${packLimits.packs} packs, which is the maximum. Delete some.`, {
      code: 'too_many_packs',
    })
  if (totals.bytes + size > packLimits.bytes)
    throw conflict(`The packs of an organization have at most ${packLimits.bytes} bytes together. Delete some.`, {
      code: 'too_many_packs',
    })
}

/** Creates a pack, or makes its next version. An equal write changes nothing. */
export const storePack = async ({ db, clock }: Deps, { by, ...place }: Place & { by: Actor }, file: PackFile) => {
  const { organizationId, name } = place
  if (findBuiltin(name)) throw conflict(`The pack ${name} comes with the service. Choose another name.`)
  const json = JSON.stringify(file)
  const size = Buffer.byteLength(json)
  const shown = packView({ name, version: 1, isOwn: true, file })
  if (Buffer.byteLength(JSON.stringify(shown)) > packLimits.shownBytes)
    throw refuseAt(['body'], `Names and descriptions of a pack have at most ${packLimits.shownBytes} bytes together.`)
  return db.transaction().execute(async (tx) => {
    await lockPacks(tx, organizationId)
    const before = await selectNewest(tx, place)
    if (before && canonicalJson(before.file) === canonicalJson(file))
      return { pack: packView({ name, version: before.version, isOwn: true, file }), created: false }
    await checkTotals(await selectTotals(tx, organizationId), { isNew: !before, size })
    const now = clock.now()
    const version = (before?.version ?? 0) + 1
    await insertPack(tx, { ...place, version, file: json, size, shown: JSON.stringify({ ...shown, version }), by, now })
    await deleteVersionsBefore(tx, { ...place, version: version - packLimits.versions + 1 })
    await addAudit(tx, { ...toAct(place, by, file), action: 'pack.stored', after: { version } }, now)
    return { pack: { ...shown, version }, created: !before }
  })
}

/** Deletes a pack with all its versions. Its items in Brains stay. */
export const deletePack = ({ db, clock }: Deps, { by, ...place }: Place & { by: Actor }): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await lockPacks(tx, place.organizationId)
    const newest = await selectNewest(tx, place)
    if (!newest)
      throw findBuiltin(place.name)
        ? conflict('This pack comes with the service and cannot be deleted.')
        : noSuchPack(place.name)
    await deletePackRows(tx, place)
    const act = { ...toAct(place, by, newest.file), action: 'pack.deleted' as const }
    await addAudit(tx, { ...act, before: { version: newest.version } }, clock.now())
  })
