import { deleteDerivedPage, getDerivedPage, listDerivedPages, putDerivedPage } from '@noema/contracts/derived-pages.ts'
import { deletePack, getPack, getPackSchema, installPack, listPacks, putPack } from '@noema/contracts/packs.ts'
import {
  createSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  patchSchedule,
} from '@noema/contracts/schedules.ts'
import type { Tool } from './tools.ts'

// Tools for what an organization sets up once: schedules, packs, and pages that agents keep up to date.

const text = (description: string) => ({ type: 'string', description })

const scheduleTools: readonly Tool[] = [
  {
    name: 'schedules_read',
    title: 'See schedules',
    description:
      'List schedules, or get one: what it starts (an agent, an eval or a distillation), when it starts it next, what it started last, and with `paused` why it does not run.',
    actions: { list: listSchedules, get: getSchedule },
    shown: {
      id: text('The id of the schedule'),
      agentId: text('Only schedules of this agent'),
      evalId: text('Only schedules of this eval'),
    },
  },
  {
    name: 'schedules_write',
    title: 'Set up schedules',
    description:
      'Start an agent (`agentId` with `input`), an eval (`evalId`) or a `distillation` at set times, change a schedule (`enabled` false stops it), or delete one. `cron` has five fields, as in "0 7 * * 1-5"; `timezone` is UTC if left out. A schedule goes on after this conversation, so make one only for a person who asked for it.',
    actions: { create: createSchedule, change: patchSchedule, delete: deleteSchedule },
    shown: {
      id: text('The id of the schedule'),
      agentId: text('The id of the agent to run'),
      evalId: text('The id of the eval to run'),
      cron: text('Minute, hour, day, month and weekday'),
      timezone: text('A time zone, such as Europe/Berlin'),
    },
  },
]

const packTools: readonly Tool[] = [
  {
    name: 'packs_read',
    title: 'See packs',
    description:
      'List packs, sets of kinds, agents, triggers, skills, rubrics, evals and content that are installed together; get one with its file; or read the JSON Schema of such files (`schema`).',
    actions: { list: listPacks, get: getPack, schema: getPackSchema },
    shown: { name: text('The name of the pack') },
  },
  {
    name: 'packs_write',
    title: 'Install and change packs',
    description:
      "Install a pack on a Brain: agents and triggers are made at once, kinds and content wait for review. Or store a pack of the organization by the properties of its file (`put`; read the schema with packs_read first), or delete one; what it brought stays. The Brain is made if there is none of the handle `brain`, the pack's name if left out.",
    actions: { install: installPack, put: putPack, delete: deletePack },
    shown: { name: text('The name of the pack'), brain: text('The handle of the Brain to install into') },
  },
]

const derivedPageTools: readonly Tool[] = [
  {
    name: 'derived_pages_read',
    title: 'See derived pages',
    description:
      'List the documents of a Brain that agents keep up to date, or get one: what it is derived from, the change that waits for review, and why it was rewritten.',
    actions: { list: listDerivedPages, get: getDerivedPage },
    isOfBrain: true,
    shown: { id: text('The id of the document') },
  },
  {
    name: 'derived_pages_write',
    title: 'Set derived pages',
    description:
      'Let an agent write a document of a Brain, from a `question` or about the items in `addresses`, and write it again when something changes that it was made of. Each rewrite waits for review. Or end the rewrites of one, which stays.',
    actions: { set: putDerivedPage, delete: deleteDerivedPage },
    isOfBrain: true,
    shown: { id: text('The id of the document'), agentId: text('The id of the agent that writes it') },
  },
]

/** The tools of an organization's server for what it sets up. */
export const setupTools: readonly Tool[] = [...scheduleTools, ...packTools, ...derivedPageTools]
