import { z } from 'zod'
import { isDatabaseUrl } from '../shared/network/database-url.ts'
import { wholeNumber } from './limit-settings.ts'

const databaseUrl = z.string().refine(isDatabaseUrl, 'a postgres:// address')

/** Settings of how the database is reached. */
export const databaseSettings = {
  NOEMA_DATABASE_URL: {
    schema: databaseUrl.optional(),
    about:
      'A PostgreSQL server, 15 or newer, to use instead of the built-in one; or several hosts of one database with commas between them, of which the one that takes writes is used.',
    example: 'postgres://noema:password@db.example.com/noema',
    secret: true,
  },
  NOEMA_DATABASE_DIRECT_URL: {
    schema: databaseUrl.optional(),
    about:
      'The PostgreSQL server itself, where NOEMA_DATABASE_URL leads to a pooler that gives each transaction another connection, such as PgBouncer: for what needs a connection of its own, which is migrations, wakes between nodes, backups and the building of indexes.',
    example: 'postgres://noema:password@db.example.com/noema',
    secret: true,
  },
  NOEMA_DATABASE_POOL: {
    schema: wholeNumber(4, 500).default(24),
    about:
      'Maximum number of database connections of one node; a fifth of them, two at least, is for large requests, and of eight or more another fifth, three at least, for runs.',
    example: '24',
  },
  NOEMA_DATABASE_REPLICA_URLS: {
    schema: z
      .string()
      .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
      .pipe(z.array(z.url({ protocol: /^postgres(ql)?$/, error: 'postgres:// addresses, separated by commas' })))
      .default([]),
    about:
      'Streaming replicas of the database, separated by commas, that pages of events, searches, contexts, queries and exports are read from. Each address leads to one server. What a replica does not have yet is read from the primary.',
    example: 'postgres://noema:password@replica.example.com/noema',
    secret: true,
  },
  NOEMA_DATABASE_REPLICA_POOL: {
    schema: wholeNumber(1, 500).default(10),
    about: 'Maximum number of connections of one node to each replica.',
    example: '10',
  },
  NOEMA_PREPARED_STATEMENTS: {
    schema: z
      .enum(['on', 'off'], { error: 'on or off' })
      .default('on')
      .transform((text) => text === 'on'),
    about:
      'Whether database connections keep prepared statements. Turn it off behind a pooler that gives each transaction another connection and does not keep track of statements, such as PgBouncer before 1.21 or with max_prepared_statements = 0.',
    example: 'on',
  },
  NOEMA_DATABASE_STATEMENT_SECONDS: {
    schema: wholeNumber(1, 3_600).default(20),
    about: 'Seconds that one statement of a request may take in the database; what takes longer is given up.',
    example: '20',
  },
} as const
