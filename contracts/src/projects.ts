import { z } from 'zod'
import { listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

// What an organization groups its agents, runs, schedules and triggers by. Each has a default project from the beginning.

const name = z.string().trim().min(1, 'A name has 1 to 200 characters.').max(200, 'A name has 1 to 200 characters.')

/** A project. An archived one is kept with what belongs to it, and takes nothing new. */
export const project = z.object({
  id: z.string(),
  name: z.string(),
  isDefault: z.boolean(),
  createdAt: timestamp,
  archivedAt: timestamp.nullable(),
})
export type Project = z.infer<typeof project>

const path = '/v1/projects' as const
const result = z.object({ project })

/** Makes a project. */
export const createProject = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Create a project',
  access: 'management',
  body: z.object({ name }),
  errors: ['too_many_projects'],
  status: [201],
  result,
})

/** Lists an organization's projects, archived ones included, the default one first. */
export const listProjects = defineEndpoint({
  method: 'GET',
  path,
  summary: "List the organization's projects",
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'projects',
  result: z.object({ projects: z.array(project), ...pageResult }),
})

/** Renames a project. */
export const patchProject = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Rename a project',
  access: 'management',
  body: z.object({ name: name.optional() }),
  errors: ['project_archived'],
  status: [200],
  result,
})

/** Archives a project: nothing new can be made in it. The default one stays (409). */
export const deleteProject = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Archive a project',
  access: 'management',
  errors: ['default_project'],
  status: [200],
  result,
})
