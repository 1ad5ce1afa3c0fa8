import { oldBackupSeconds } from '@noema/contracts/backup-age.ts'
import { type LastBackup, selectLastBackups, selectLogArchive } from '../storage/backup/last-backups.ts'
import type { Db } from '../storage/database.ts'
import { type Finding, failed, isOk, type Subject, warns } from './finding.ts'

const maxAgeHours = oldBackupSeconds / 3_600

const toAge = (hours: number): string => {
  if (hours < 1) return 'less than an hour'
  return hours < maxAgeHours ? `${Math.floor(hours)} hours` : `${Math.floor(hours / 24)} days`
}

const checkAge = (newest: LastBackup | undefined, isBuiltIn: boolean): Finding => {
  if (!newest)
    return isBuiltIn
      ? warns('Backup', 'None has been made yet.', 'Run noema backup, each night by cron: see docs/backup.md.')
      : isOk('Backup', 'Noema has made none. Noema cannot see backups by other tools.')
  const hours = (Date.now() - newest.madeAt.getTime()) / 3_600_000
  const summary = `The last one was made ${toAge(hours)} ago (${newest.kind === 'base' ? 'a base backup' : 'a file'}).`
  return hours <= maxAgeHours
    ? isOk('Backup', summary)
    : warns('Backup', summary, 'Run noema backup, and check the job that should run it each night.')
}

/** Checks when Noema last backed up the database, and whether its log is archived. */
export const checkBackups = async (db: Db, { config }: Subject): Promise<Finding[]> => {
  const isBuiltIn = config.databaseUrl === undefined
  const [newest] = await selectLastBackups(db)
  const age = checkAge(newest, isBuiltIn)
  const archive = await selectLogArchive(db)
  if (archive === undefined) return [age]
  if (!archive.failing) return [age, isOk('Log archive', 'The last segment of the write-ahead log was archived.')]
  const fix = isBuiltIn
    ? 'postgres.log in the data folder says why; check NOEMA_WAL_ARCHIVE and the free space there.'
    : 'See the reason in the log of the database server, and check its archive_command.'
  return [age, failed('Log archive', 'The write-ahead log cannot be archived.', fix)]
}
