import { z } from 'zod'
import { wholeNumber } from './limit-settings.ts'

/** The settings of read replicas. */
export const replicaSettings = {
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
} as const
