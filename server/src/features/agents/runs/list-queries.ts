import type { RunState } from '@noema/contracts/runs.ts'
import { type RawBuilder, sql } from 'kysely'
import { hidesRun, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import { hasWords, isMadeIn, type SearchedPage, searchRows, toStart } from '../../platform/cursors/search-queries.ts'
import { runColumns } from './run-queries.ts'
import type { RunRow } from './types.ts'

/** The filters of runs that an index answers. */
type IndexedFilter = {
  agentId?: string | undefined
  state?: RunState | undefined
  conversationId?: string | undefined
  triggerId?: string | undefined
  scheduleId?: string | undefined
  ids?: readonly string[] | undefined
  from?: string | undefined
  until?: string | undefined
}

export type RunFilter = IndexedFilter & { projectId?: string | undefined; text?: string | undefined; viewer?: Viewer }

/** Bytes of input and output that one page reads; a run alone is always read. */
const maxPageBytes = 8 * 1024 * 1024

const isListed = (
  organizationId: string,
  { agentId, state, conversationId, triggerId, scheduleId, ids, ...range }: IndexedFilter,
  page: PageRequest<string>,
): RawBuilder<unknown> => sql`
  organization_id = ${organizationId} and ${isAfter(sql`id`, page)} and ${isMadeIn('run', sql`id`, range)}
    ${agentId === undefined ? sql`` : sql`and agent_id = ${agentId}`}
    ${state === undefined ? sql`` : sql`and state = ${state}`}
    ${conversationId === undefined ? sql`` : sql`and conversation_id = ${conversationId}`}
    ${triggerId === undefined ? sql`` : sql`and trigger_id = ${triggerId}`}
    ${scheduleId === undefined ? sql`` : sql`and schedule_id = ${scheduleId}`}
    ${ids === undefined ? sql`` : sql`and id = any(${[...ids]}::text[])`}`

/** A page of an organization's runs, by id. It ends early where what the runs hold is large; `found` counts all. */
export const selectRuns = async (
  db: Queryable,
  organizationId: string,
  filter: IndexedFilter,
  page: PageRequest<string>,
): Promise<{ rows: RunRow[]; found: number }> => {
  const { rows } = await sql<RunRow & { found: number }>`
    select ${runColumns}, run.found from (
      select sized.*, count(*) over () as found,
        sum(octet_length(input::text) + coalesce(octet_length(output::text), 0)) over (${inOrder(sql`id`, page)}
          rows unbounded preceding) as size, row_number() over (${inOrder(sql`id`, page)}) as number
      from (select * from runs where ${isListed(organizationId, filter, page)}
        ${inOrder(sql`id`, page)} limit ${page.limit}) as sized) as run
    where run.number = 1 or run.size <= ${maxPageBytes} ${inOrder(sql`run.id`, page)}`.execute(db)
  return { rows, found: rows[0]?.found ?? 0 }
}

/** Bytes of messages that are taken apart to find the last one; of longer ones, the end is searched as it is stored. */
const maxParsedBytes = 20_000

// The question: a text, or the text of the last message.
const question = sql`case
  when json_typeof(input) = 'string' then ${toStart(sql`input #>> '{}'`)}
  when octet_length(input::text) > ${sql.lit(maxParsedBytes)} then right(input::text, 10000)
  else coalesce(input->-1->>'text', input->-1->>'content', input->-1->>'parts') end`

/** Searches runs by what was asked, by their project and by who may see them, from the start of a page on. */
export const searchRuns = async (
  db: Queryable,
  organizationId: string,
  { text, projectId, viewer, ...filter }: RunFilter,
  page: PageRequest<string>,
): Promise<SearchedPage<RunRow>> => {
  const rows = sql`select id, project_id, ${text === undefined ? sql`null as input` : sql`input`}
    from runs where ${isListed(organizationId, filter, page)}`
  const isOfProject = projectId === undefined ? sql`true` : sql`project_id = ${projectId}`
  const isShown = isVisible(viewer, (userId) => hidesRun(sql`${organizationId}::text`, sql`searched.id`, userId))
  const isAsked = text === undefined ? sql`true` : hasWords(question, text)
  const isFound = sql`${isOfProject} and ${isAsked} and ${isShown}`
  const found = await searchRows(db, { rows, size: sql`coalesce(pg_column_size(input), 0)`, isFound }, page)
  const { rows: runs } = await selectRuns(db, organizationId, { ids: found.ids }, page)
  return { ...found, rows: runs }
}
