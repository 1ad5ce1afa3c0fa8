import type { AuditAction } from '@noema/contracts/audit.ts'
import type { Project } from '@noema/contracts/projects.ts'
import type { Limits } from '../../../config/config.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound, unknownReference } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Db, Queryable, Tx } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import { addAudit, addAuditOfChange } from '../../platform/audit/audit.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import {
  archiveProjectRow,
  countProjects,
  insertDefaultProject,
  insertProject,
  type ProjectRow,
  renameProject,
  selectDefaultProject,
  selectOrganizationTime,
  selectProject,
  selectProjects,
} from './queries.ts'

// Projects: the groups of an organization's agents and runs.

type Deps = { db: Db; clock: Clock; limits: Pick<Limits, 'projects'> }
type Target = { organizationId: string; id: string; by: Actor }

const toAct = ({ organizationId, id, by }: Target, action: AuditAction, name: string) => ({
  ...{ organizationId, by, action },
  target: { type: 'project', id, name },
})

const projectView = ({ createdAt, archivedAt, ...row }: ProjectRow): Project => ({
  ...row,
  createdAt: createdAt.toISOString(),
  archivedAt: archivedAt?.toISOString() ?? null,
})

const noSuchProject = (id: string) => notFound(`This organization has no project ${JSON.stringify(id)}.`)

/** The refusal of a project that was archived. */
export const archivedProject = () =>
  conflict('This project is archived and takes nothing new. Name another one.', { code: 'project_archived' })

/**
 * The default project of an organization. Readers see it from the start: the first request for it makes it, with the
 * organization's own time.
 */
const ensureDefaultProject = async (db: Queryable, organizationId: string): Promise<ProjectRow> => {
  const found = await selectDefaultProject(db, organizationId)
  if (found) return found
  const createdAt = await selectOrganizationTime(db, organizationId)
  if (!createdAt) throw notFound('This organization is no longer there.')
  await insertDefaultProject(db, organizationId, { id: newId('prj', createdAt), name: 'Default', createdAt })
  const made = await selectDefaultProject(db, organizationId)
  if (!made) throw new Error('A default project was neither found nor made.')
  return made
}

/** The id of the default project of an organization. */
export const findDefaultProject = async (db: Queryable, organizationId: string): Promise<string> =>
  (await ensureDefaultProject(db, organizationId)).id

/**
 * The id of the project that something new belongs to: the one that is named, kept from being archived until the transaction
 * ends, or the default one. Throws where it is not there or archived.
 */
export const holdProject = async (
  tx: Tx,
  { organizationId, projectId }: { organizationId: string; projectId: string | undefined },
): Promise<string> => {
  const project = await ensureDefaultProject(tx, organizationId)
  if (projectId === undefined || projectId === project.id) return project.id
  const found = await selectProject(tx, organizationId, projectId, { lock: true })
  if (!found)
    throw unknownReference(
      ['projectId'],
      `This organization has no project ${JSON.stringify(projectId)}. Leave projectId out for the default one.`,
    )
  if (found.archivedAt !== null) throw archivedProject()
  return found.id
}

/** Makes a project. */
export const createProject = (
  deps: Deps,
  { organizationId, createdBy }: { organizationId: string; createdBy: Actor },
  name: string,
) =>
  deps.db.transaction().execute(async (tx): Promise<Project> => {
    await holdAccess(tx, createdBy, { organizationId })
    // Ids are ordered by time, and the default one comes first.
    await ensureDefaultProject(tx, organizationId)
    if ((await countProjects(tx, organizationId)) >= deps.limits.projects)
      throw conflict(`This organization has ${deps.limits.projects} projects, which is the maximum.`, {
        code: 'too_many_projects',
      })
    const createdAt = deps.clock.now()
    const row = await insertProject(tx, organizationId, { id: newId('prj', createdAt), name, createdAt })
    if (!row) throw new Error('A project was not inserted.')
    const target = { organizationId, id: row.id, by: createdBy }
    await addAudit(tx, toAct(target, 'project.created', name), createdAt)
    return projectView(row)
  })

/** A page of an organization's projects. */
export const listProjectPage = async (deps: Deps, organizationId: string, page: PageRequest<string>) => {
  await ensureDefaultProject(deps.db, organizationId)
  return (await selectProjects(deps.db, organizationId, page)).map(projectView)
}

const toView = (row: ProjectRow | undefined, id: string): Project => {
  if (!row) throw noSuchProject(id)
  return projectView(row)
}

/** A project, archived or not. */
export const readProject = async (
  { db }: Pick<Deps, 'db'>,
  { organizationId, id }: Omit<Target, 'by'>,
): Promise<Project> => toView(await selectProject(db, organizationId, id), id)

/** Renames a project; without a name it stays as it is. */
export const changeProject = (deps: Deps, target: Target, name: string | undefined): Promise<Project> =>
  deps.db.transaction().execute(async (tx) => {
    const { organizationId, id } = target
    const row = await selectProject(tx, organizationId, id, { lock: true })
    if (!row || name === undefined) return toView(row, id)
    const act = { ...toAct(target, 'project.changed', name), before: { name: row.name }, after: { name } }
    await addAuditOfChange(tx, act, deps.clock.now())
    return toView(await renameProject(tx, organizationId, id, name), id)
  })

/** Archives a project. */
export const archiveProject = (deps: Deps, target: Target): Promise<Project> =>
  deps.db.transaction().execute(async (tx) => {
    const { organizationId, id } = target
    const row = await selectProject(tx, organizationId, id, { lock: true })
    if (row?.isDefault)
      throw conflict('The default project stays: what names no project belongs to it.', { code: 'default_project' })
    const now = deps.clock.now()
    if (row && row.archivedAt === null) await addAudit(tx, toAct(target, 'project.archived', row.name), now)
    return toView(row && (await archiveProjectRow(tx, organizationId, id, now)), id)
  })
