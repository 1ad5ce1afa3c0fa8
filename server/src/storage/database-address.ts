import type pg from 'pg'
import { listHostUrls } from '../shared/network/database-url.ts'

/** The location of the database: a URL, or the parts that the embedded PostgreSQL returns. */
export type DatabaseAddress = string | { host: string; port: number; user: string; database: string }

/** Lists the driver's configuration for each host. */
export const listClientConfigs = (address: DatabaseAddress): pg.ClientConfig[] =>
  typeof address === 'string'
    ? listHostUrls(address).map((connectionString) => ({ connectionString }))
    : [{ ...address, ssl: false }]
