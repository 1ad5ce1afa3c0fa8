import { skillFile, skillLimits } from '@noema/contracts/skills.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import { validAt } from '../../kernel/versioning/version-store.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { maxHeadLength } from './frontmatter.ts'

// The files of skills are documents whose ids begin with skills/<name>/. Two partial indexes have them in the order of bytes, so that
// a list jumps from one skill to the next, and reads at most so many files of each.

type Place = { brainId: number; asOf?: number | undefined }

/** A file as lists of files show it. */
export type FileRow = { path: string; version: number; digest: string; bytes: number; contentType: string }

/** A skill with the sums of its files. `head` is the beginning of SKILL.md; null if there is none. */
export type SkillRow = {
  name: string
  files: number
  bytes: number
  lines: string | null
  head: string | null
  digest: string | null
  /** The files as [path, digest, bytes], if they were asked for. */
  manifest?: [path: string, digest: string, bytes: number][] | null
}

const byteId = sql`id collate "C"`
const isOfSkills = sql`id like 'skills/%'`
const isFile = sql`id like 'skills/%/%'`

/** As of an earlier state, so many of the paths are examined that a skill ever had. */
const maxPaths = 1_000

/** The condition of documents below a folder, in the order of bytes: '0' comes right after '/'. */
const isBelow = (brainId: number, folder: RawBuilder<unknown>) => sql`brain_id = ${brainId} and ${isOfSkills}
  and ${byteId} > ${folder} and ${byteId} < left(${folder}, -1) || '0'`

/** The files of one skill at a state, at most one more than a skill may have. `folder`: a column or text. */
const toFileVersions = ({ brainId, asOf }: Place, folder: RawBuilder<unknown>): RawBuilder<unknown> => {
  const limited = sql`order by ${byteId} limit ${sql.lit(skillLimits.files + 1)}`
  const below = isBelow(brainId, folder)
  if (asOf === undefined) return sql`select * from document_versions where ${below} and to_state is null ${limited}`
  const next = (where: RawBuilder<unknown>) =>
    sql`select id from document_versions where ${below} and ${where} order by ${byteId} limit 1`
  return sql`
    with recursive path as (
      (${next(sql`true`)})
      union all
      select next.id from path cross join lateral (${next(sql`${byteId} > path.id`)}) as next)
    select version.* from (select id from path limit ${sql.lit(maxPaths)}) as known cross join lateral (
      select * from document_versions where brain_id = ${brainId} and id = known.id and from_state <= ${asOf}
      order by from_state desc, version desc limit 1) as version
    where version.to_state is null or version.to_state > ${asOf}
    order by version.id collate "C" limit ${sql.lit(skillLimits.files + 1)}`
}

const pathIn = (folder: RawBuilder<unknown>) => sql`substr(id, length(${folder}) + 1)`

/** The names of a page of skills, each found by a jump behind the one before. */
const toNames = ({ brainId, asOf }: Place, { after, order, limit }: PageRequest<string>): RawBuilder<unknown> => {
  const isListed = sql`brain_id = ${brainId} and ${isOfSkills} and ${isFile} and ${asOf === undefined ? sql`to_state is null` : sql`true`}`
  const inOrder = order === 'desc' ? sql`order by ${byteId} desc limit 1` : sql`order by ${byteId} limit 1`
  const isBehind = (name: RawBuilder<unknown>) =>
    order === 'desc' ? sql`${byteId} < 'skills/' || ${name} || '/'` : sql`${byteId} > 'skills/' || ${name} || '0'`
  const first = after === undefined ? sql`true` : isBehind(sql`${after}::text`)
  const find = (where: RawBuilder<unknown>) =>
    sql`select split_part(id, '/', 2) as name from document_versions where ${isListed} and ${where} ${inOrder}`
  return sql`
    with recursive found as (
      (${find(first)})
      union all
      select next.name from found cross join lateral (${find(isBehind(sql`found.name`))}) as next)
    select name from found limit ${limit}`
}

const toHead = ({ brainId, asOf }: Place, folder: RawBuilder<unknown>) => sql`
  select left(text, ${sql.lit(maxHeadLength)}) as head, hash as digest from document_versions
  where brain_id = ${brainId} and id = ${folder} || ${skillFile} and ${validAt(asOf)}`

/** The order of skills: that of the bytes of their folders, in which they are found. */
const byFolder = ({ order }: Pick<PageRequest<string>, 'order'>) =>
  order === 'desc' ? sql`order by (named.name || '/') collate "C" desc` : sql`order by (named.name || '/') collate "C"`

const toSkillRows = (place: Place, names: RawBuilder<unknown>, withManifest = false): RawBuilder<SkillRow> => {
  const folder = sql`('skills/' || named.name || '/')`
  const manifest = sql`, json_agg(json_build_array(${pathIn(folder)}, hash, octet_length(text)) order by ${byteId}) as manifest`
  return sql<SkillRow>`
    select named.name, sums.*, main.head, main.digest from (${names}) as named
    cross join lateral (
      select count(*) as files, coalesce(sum(octet_length(text)), 0)::bigint as bytes,
        string_agg(${pathIn(folder)} || ' ' || version || ' ' || hash || E'\\n', '' order by ${byteId}) as lines
        ${withManifest ? manifest : sql``}
      from (${toFileVersions(place, folder)}) as file) as sums
    left join lateral (${toHead(place, folder)}) as main on true`
}

/** A page of skills by name. As of an earlier state, some of them may have no files. */
export const selectSkills = async (db: Queryable, place: Place, page: PageRequest<string>): Promise<SkillRow[]> => {
  const { rows } = await sql<SkillRow>`${toSkillRows(place, toNames(place, page))} ${byFolder(page)}`.execute(db)
  return rows
}

/** The same with the list of the files of each. */
export const selectManifests = async (db: Queryable, place: Place, page: PageRequest<string>): Promise<SkillRow[]> => {
  const { rows } = await sql<SkillRow>`${toSkillRows(place, toNames(place, page), true)} ${byFolder(page)}`.execute(db)
  return rows
}

/** Skills by their names, whether or not they exist. */
export const selectNamedSkills = async (db: Queryable, place: Place, names: readonly string[]): Promise<SkillRow[]> => {
  const { rows } = await toSkillRows(place, sql`select unnest(${[...names]}::text[]) as name`).execute(db)
  return rows
}

/** Counts the skills of a Brain. */
export const countSkills = async (db: Queryable, brainId: number): Promise<number> => {
  // Folders with other names are not skills, and are few.
  const names = toNames({ brainId }, { after: undefined, order: 'asc', limit: 2 * skillLimits.skills })
  const { rows } = await sql<{ count: number }>`select count(*) as count from (${names}) as named
    where name ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(name) <= 64`.execute(db)
  return rows[0]?.count ?? 0
}

/** The files of a skill by path, at most one more than a skill may have. */
export const selectFiles = async (db: Queryable, place: Place, folder: string): Promise<FileRow[]> => {
  const name = sql`${folder}::text`
  const { rows } = await sql<FileRow>`
    select ${pathIn(name)} as path, version, hash as digest, octet_length(text) as bytes, document->>'contentType' as "contentType"
    from (${toFileVersions(place, name)}) as file order by ${byteId}`.execute(db)
  return rows
}

/** A file with its text, or with a part of it: `from` counts characters from 0. */
export const selectFile = async (
  db: Queryable,
  { brainId, asOf }: Place,
  { folder, path, part }: { folder: string; path: string; part?: { from: number; length: number } },
) => {
  const text = part === undefined ? sql`text` : sql`substr(text, ${part.from + 1}, ${part.length})`
  const { rows } = await sql<FileRow & { text: string; characters: number }>`
    select ${path}::text as path, version, hash as digest, octet_length(text) as bytes, document->>'contentType' as "contentType",
      ${text} as text, ${part === undefined ? sql`0` : sql`length(text)`} as characters
    from document_versions where brain_id = ${brainId} and id = ${folder + path} and ${validAt(asOf)}`.execute(db)
  return rows[0]
}

/** A current document below a skill's folder, as a write plans with it. */
export type CurrentFile = { id: string; version: number; digest: string; source: string | null }

/** The current documents below a folder, at most `limit`. */
export const selectCurrent = async (
  db: Queryable,
  brainId: number,
  { folder, limit }: { folder: string; limit: number },
): Promise<CurrentFile[]> => {
  const { rows } = await sql<CurrentFile>`
    select id, version, hash as digest, source_name as source from document_versions
    where ${isBelow(brainId, sql`${folder}::text`)} and to_state is null order by ${byteId} limit ${limit}`.execute(db)
  return rows
}
