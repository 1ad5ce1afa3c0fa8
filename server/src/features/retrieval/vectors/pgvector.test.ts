import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BadSetting } from '../../../config/setting.ts'
import { createLog } from '../../../shared/log.ts'
import { openDatabase } from '../../../storage/database.ts'
import { startTestApp } from '../../../test/app.ts'
import { createPgvectorDatabase, type SearchDatabase } from '../../../test/pgvector-database.ts'
import { openPgvector } from './pgvector.ts'
import { createVectorFunction, isExtensionAvailable } from './pgvector-queries.ts'

let database: SearchDatabase
beforeAll(async () => {
  database = await createPgvectorDatabase()
})
afterAll(() => database.drop())

const catchRefusal = (opening: Promise<unknown>): Promise<string> =>
  opening.then(
    () => 'no refusal',
    (error: unknown) => (error instanceof BadSetting ? error.message : String(error)),
  )

test('a node set to use pgvector starts if the server has it, and otherwise says what to do', async () => {
  const app = await startTestApp()
  const start = async (embeddings: 'on' | 'off') => {
    const node = await app.startNode({ NOEMA_EMBEDDINGS: embeddings, NOEMA_VECTOR_INDEX: 'pgvector' })
    await node.close()
  }
  const isThere = await isExtensionAvailable(app.database.db)
  expect(await catchRefusal(start('on'))).toMatch(
    isThere ? 'no refusal' : 'install pgvector 0.8 or newer on the server, or set NOEMA_VECTOR_INDEX to memory.',
  )
  expect(await catchRefusal(start('off'))).toBe('no refusal')
  await app.close()
})

test('a role that may not add the extension gets the name of one that may; once it exists, the role can use it', async () => {
  const opened = openDatabase(database.url, createLog('silent'), 1)
  await sql`create role plain`.execute(opened.db)
  await sql`grant all on schema public to plain`.execute(opened.db)
  const asPlain = async () => {
    await sql`set role plain`.execute(opened.db)
    return catchRefusal(openPgvector(opened.db)).finally(() => sql`reset role`.execute(opened.db))
  }
  expect(await asPlain()).toMatch(/permission denied.*let its operator run "create extension vector"/)
  await sql`create extension vector`.execute(opened.db)
  expect(await asPlain()).toBe('no refusal')
  await sql`drop owned by plain`.execute(opened.db)
  await sql`drop role plain`.execute(opened.db)
  await opened.close()
})

test('an extension that is too old is reported', async () => {
  await sql`create extension if not exists vector`.execute(database.db)
  const claim = (version: string) =>
    sql`update pg_extension set extversion = ${version} where extname = 'vector'`.execute(database.db)
  await claim('0.7.4')
  expect(await catchRefusal(openPgvector(database.db))).toMatch(/version 0\.7\.4.*alter extension vector update/)
  await claim('1.0.0')
  expect(await catchRefusal(openPgvector(database.db))).toBe('no refusal')
})

test('the extension may be in a schema that is not searched, and the sign of a byte is kept', async () => {
  await sql`create schema elsewhere`.execute(database.db)
  await sql`alter extension vector set schema elsewhere`.execute(database.db)
  const { schema } = await openPgvector(database.db)
  expect(schema).toBe('elsewhere')
  await database.db.transaction().execute((tx) => createVectorFunction(tx, schema, 5))
  const { rows } = await sql<{ text: string }>`select passage_halfvec_5('\\x00017f80ff')::text as text`.execute(
    database.db,
  )
  expect(rows).toEqual([{ text: '[0,1,127,-128,-1]' }])
})
