import type { AgentDefinition } from '@noema/contracts/agents.ts'
import { sql } from 'kysely'
import { newId } from '../../shared/ids.ts'
import type { TestApp, TestBrain } from '../../test/app.ts'
import { listRunTools } from './list-run-tools.ts'
import type { ToolContext, ToolOutcome } from './run-tool.ts'

// A run in its table, and calls of its tools.

type Grant = { brain: TestBrain; access: 'read_only' | 'read_write' }
type Starter = { type: 'key' | 'session' | 'run'; id: string; userId?: string }

const findUserId = async (app: TestApp, { keyId }: { keyId: string }): Promise<string> => {
  const { rows } = await sql<{ userId: string }>`
    select created_by as "userId" from management_keys where id = ${keyId}`.execute(app.app.deps.db)
  return rows[0]?.userId ?? ''
}

/** The starter of runs by the management key of a member. */
export const findStarter = async (app: TestApp, member: { keyId: string }): Promise<Starter> => ({
  type: 'key',
  id: member.keyId,
  userId: await findUserId(app, member),
})

/** Inserts a run, under a lease of this node. */
export const addRun = async (
  app: TestApp,
  grants: readonly [Grant, ...Grant[]],
  {
    starter,
    parent = null,
    schedule = null,
    tools = ['ask_human'],
  }: { starter?: Starter; parent?: string | null; schedule?: string | null; tools?: AgentDefinition['tools'] } = {},
) => {
  const { db, clock } = app.app.deps
  const id = newId('run', clock.now())
  const { organizationId } = grants[0].brain
  const startedBy = JSON.stringify(starter ?? (await findStarter(app, grants[0].brain)))
  await sql`insert into runs (organization_id, id, agent_id, agent_version, project_id, state, input, started_by, parent_run_id,
      schedule_id, created_at, lease)
    values (${organizationId}, ${id}, 'agt_test', 1, 'prj_test', 'running', '"Go."', ${startedBy}, ${parent},
      ${schedule}, ${clock.now()}, 'mine')`.execute(db)
  for (const { brain, access } of grants)
    await sql`insert into run_brains (brain_id, organization_id, run_id, access)
      select brain_id, ${organizationId}, ${id}, ${access} from brains where id = ${brain.brain.id}`.execute(db)
  const brains = grants.map(({ brain, access }) => ({ id: brain.brain.id, handle: brain.brain.handle, access }))
  return { id, organizationId, definition: { tools, brains } }
}

export type TestRun = Awaited<ReturnType<typeof addRun>>

const noGuard = async (): Promise<void> => {}

type CallOptions = Partial<ToolContext>

/** Calls a tool of a run, as a new operation by default. */
export const callRunTool = async (
  app: TestApp,
  run: TestRun,
  name: string,
  input: unknown,
  {
    operationId = newId('opr', app.app.deps.clock.now()),
    guard = noGuard,
    begunAt = app.app.deps.clock.now(),
    signal = new AbortController().signal,
    isLastTry = true,
  }: CallOptions = {},
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects and fails where that is not there
): Promise<ToolOutcome & { output: any }> => {
  const tool = (await listRunTools(app.app.deps, run)).find((one) => one.name === name)
  if (tool?.kind !== 'call') throw new Error(`This run cannot call ${name}.`)
  return tool.call(input, { operationId, begunAt, guard, signal, isLastTry })
}
