import { createLog } from '../shared/log.ts'
import { openDatabase } from '../storage/database.ts'
import { type Finding, failed, isOk, type Subject, toReason, warns } from './finding.ts'
import { readStandby } from './queries.ts'

const checkOne = async (url: string, check: string): Promise<Finding> => {
  const { hostname, port } = new URL(url)
  const place = `${hostname}:${port || 5432}`
  const { db, close } = openDatabase(url, createLog('silent'), 1, { name: 'noema doctor' })
  try {
    const { isStandby, tellsPrimary } = await readStandby(db)
    if (!isStandby)
      return failed(
        check,
        `${place} is no standby, so it is not read from.`,
        'Name streaming replicas of the server of NOEMA_DATABASE_URL, or take it out of NOEMA_DATABASE_REPLICA_URLS.',
      )
    if (!tellsPrimary)
      return warns(
        check,
        `${place} may cancel long exports, which conflict with what it replays.`,
        'On the replica: alter system set hot_standby_feedback = on; select pg_reload_conf()',
      )
    return isOk(check, `${place} follows its primary.`)
  } catch (error) {
    return warns(
      check,
      `${place} cannot be used: ${toReason(error)}`,
      `The primary is read meanwhile. Check NOEMA_DATABASE_REPLICA_URLS, and that psql reaches ${place} from here.`,
    )
  } finally {
    await close()
  }
}

/** The replicas: whether each is reached and follows a primary. */
export const checkReplicas = ({ config }: Subject): Promise<Finding[]> =>
  Promise.all(config.replicas.urls.map((url, index) => checkOne(url, `Replica ${index + 1}`)))
