import { createLog } from '../shared/log.ts'
import { openDatabase } from '../storage/database.ts'
import { type Finding, failed, isOk, type Subject, toReason, warns } from './finding.ts'
import { readStandby } from './queries.ts'

const checkOne = async (url: string, check: string): Promise<Finding> => {
  const { hostname, port } = new URL(url)
  const place = `${hostname}:${port || 5432}`
  const { db, close } = openDatabase(url, createLog('silent'), 1, { name: 'noema doctor' })
  try {
    const { isStandby, reportsPrimary } = await readStandby(db)
    if (!isStandby)
      return failed(
        check,
        `${place} is not a standby, so nothing is read from it.`,
        'List streaming replicas of the server in NOEMA_DATABASE_URL, or remove it from NOEMA_DATABASE_REPLICA_URLS.',
      )
    if (!reportsPrimary)
      return warns(
        check,
        `${place} may cancel long exports that conflict with changes it replays.`,
        'On the replica: alter system set hot_standby_feedback = on; select pg_reload_conf()',
      )
    return isOk(check, `${place} follows its primary.`)
  } catch (error) {
    return warns(
      check,
      `${place} cannot be used: ${toReason(error)}`,
      `Noema reads from the primary meanwhile. Check NOEMA_DATABASE_REPLICA_URLS, and that psql reaches ${place} from here.`,
    )
  } finally {
    await close()
  }
}

/** Checks that each replica answers and follows a primary. */
export const checkReplicas = ({ config }: Subject): Promise<Finding[]> =>
  Promise.all(config.replicas.urls.map((url, index) => checkOne(url, `Replica ${index + 1}`)))
