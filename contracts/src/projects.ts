import { z } from 'zod'
import { displayName, itemId, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'

// Projects group agents, runs, schedules and triggers. Each organization has a default project from the beginning.

const name = z
  .string()
  .trim()
  .min(1, 'A name has 1 to 200 characters.')
  .max(200, 'A name has 1 to 200 characters.')
  .describe('The name, for people.')

export const project = z
  .object({
    id: itemId,
    name: displayName,
    isDefault: z.boolean().describe('True for the project that is used if none is named.'),
    createdAt: timestamp,
    archivedAt: timestamp.nullable().describe('When it was archived; null while it is in use.'),
  })
  .describe('A project. An archived one is kept with what belongs to it, and takes nothing new.')
export type Project = z.infer<typeof project>

const path = '/v1/projects' as const
const result = z.object({ project: project.describe('The project.') }).describe('The project.')

export const createProject = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Create a project',
  description: 'Makes a project.',
  access: 'management',
  body: z.object({ name }),
  errors: ['too_many_projects'],
  status: [201],
  result,
})

export const listProjects = defineEndpoint({
  method: 'GET',
  path,
  summary: "List the organization's projects",
  description: "Lists an organization's projects, archived ones included, the default one first.",
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'projects',
  result: z.object({ projects: z.array(project).describe('The projects.'), ...pageResult }),
})

export const getProject = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a project',
  description: 'Reads a project, archived or not.',
  access: 'management',
  status: [200],
  result,
})

export const patchProject = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Rename a project',
  description: 'Renames a project.',
  access: 'management',
  body: z.object({ name: name.optional() }),
  errors: ['project_archived'],
  status: [200],
  result,
})

export const deleteProject = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Archive a project',
  description: 'Archives a project: nothing new can be made in it. The default one stays (409).',
  access: 'management',
  errors: ['default_project'],
  status: [200],
  result,
})
