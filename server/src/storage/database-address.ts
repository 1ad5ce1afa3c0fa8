import type pg from 'pg'
import { listHostUrls } from '../shared/network/database-url.ts'

/** Where the database is: a URL, or the parts that the embedded PostgreSQL tells. */
export type DatabaseAddress = string | { host: string; port: number; user: string; database: string }

/** What the driver connects by, for each host. */
export const listClientConfigs = (address: DatabaseAddress): pg.ClientConfig[] =>
  typeof address === 'string'
    ? listHostUrls(address).map((connectionString) => ({ connectionString }))
    : [{ ...address, ssl: false }]
