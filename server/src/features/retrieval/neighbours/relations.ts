import { neighbourLimits, type Relation } from '@noema/contracts/neighbours.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Queryable } from '../../../storage/database.ts'
import { selectLinksTo } from '../../knowledge/records/link-queries.ts'
import { selectRelatingStatements } from '../../knowledge/statements/statement-queries.ts'

/** The relations from a record and to it: its own links and statements first. `hasMore`: there are more than were read. */
export type Related = { relations: Relation[]; hasMore: boolean }

/** The record to which a relation leads from one of its ends. */
export const toOther = (id: string, { from, to }: Relation): string => (from === id ? to : from)

const toLinks = ({ id, links }: BrainRecord): Relation[] =>
  links.map(({ predicate, to }) => ({ type: 'link', from: id, to, predicate }))

/** Reads the relations of some records at a state, up to a number of each kind for each record. */
export const readRelations = async (
  db: Queryable,
  brainId: number,
  records: readonly BrainRecord[],
  asOf: number,
): Promise<Map<string, Related>> => {
  const ids = records.map(({ id }) => id)
  const max = neighbourLimits.perRecord
  const page = { asOf, limit: max + 1 }
  const statements = await selectRelatingStatements(db, brainId, ids, page)
  const links = await selectLinksTo(db, brainId, ids, page)
  const statementsOf = Map.groupBy(statements, ({ of }) => of)
  const linksTo = Map.groupBy(links, ({ target }) => target)
  return new Map(
    records.map((record) => {
      const { id } = record
      const about = statementsOf.get(id) ?? []
      const own = about.filter(({ subject }) => subject === id)
      const others = about.filter(({ object }) => object === id)
      const linking = linksTo.get(id) ?? []
      const outward = toLinks(record)
      const sorts = [
        outward.slice(0, max),
        own.slice(0, max).flatMap(toRelation),
        linking.slice(0, max).map(({ source: from, target: to, predicate }) => toLink(from, predicate, to)),
        others.slice(0, max).flatMap(toRelation),
      ]
      return [
        id,
        { relations: sorts.flat(), hasMore: [outward, own, linking, others].some(({ length }) => length > max) },
      ]
    }),
  )
}

const toLink = (from: string, predicate: string, to: string): Relation => ({ type: 'link', from, to, predicate })

type Saying = { id: string; subject: string; predicate: string; object: string | null }

const toRelation = ({ id, subject, predicate, object }: Saying): Relation[] =>
  object === null ? [] : [{ type: 'statement', from: subject, to: object, predicate, statement: id }]
