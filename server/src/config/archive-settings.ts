import { z } from 'zod'

/** Settings of the archive of the built-in database's write-ahead log. */
export const archiveSettings = {
  NOEMA_WAL_ARCHIVE: {
    schema: z.string().min(1).optional(),
    about:
      'Folder into which the built-in database archives its write-ahead log, so that it can be restored as it was at any moment after a base backup; best on another disk.',
    example: '/backups/noema',
  },
  NOEMA_WAL_ARCHIVE_COMMAND: {
    schema: z.string().min(1).optional(),
    about:
      'Shell command that archives a segment of the log instead, as archive_command of PostgreSQL: %p is its path, %f its name. It must fail unless the segment is stored.',
    example: 'aws s3 cp %p s3://backups/noema/%f',
  },
  NOEMA_WAL_RESTORE_COMMAND: {
    schema: z.string().min(1).optional(),
    about: 'Shell command that fetches an archived segment for a restore: %f is its name, %p the path to write it to.',
    example: 'aws s3 cp s3://backups/noema/%f %p',
  },
} as const
