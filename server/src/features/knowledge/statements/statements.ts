import type { QueryOutput } from '@noema/contracts/endpoint.ts'
import type { getStatement, listStatements } from '@noema/contracts/statements.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { readOne, readVersionPage } from '../../kernel/state-reads/state-reads.ts'
import { listedStatements, statementById } from './statement-queries.ts'

// Statements are claims about records on two clocks: when they hold in the world, and when the Brain held them.

type Deps = { db: Db; prepared: RunPrepared }

/** One statement, now or as of an earlier state, as the JSON text of `data`. */
export const readStatement = (
  deps: Deps,
  brain: BrainRow,
  id: string,
  query: QueryOutput<typeof getStatement>,
): Promise<string> => {
  const { asOf, retracted } = query
  const found = deps.prepared(statementById({ brainId: brain.brainId, id, asOf, retracted }))
  const sort = retracted ? 'retracted' : 'live'
  return readOne(
    brain,
    { name: 'statement', found, asOf },
    (stateVersion) => `There is no ${sort} statement ${JSON.stringify(id)} at stateVersion ${stateVersion}.`,
  )
}

/** A page of statements by id. */
export const listStatementPage = (
  deps: Deps,
  brain: BrainRow,
  query: QueryOutput<typeof listStatements>,
): Promise<string> =>
  readVersionPage(deps.db, brain, { list: 'statements', name: 'statements', start: '' }, query, (page) =>
    listedStatements(brain.brainId, query, page),
  )
