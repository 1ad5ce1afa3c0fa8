import type { AgentDefinition } from '@noema/contracts/agents.ts'
import type { AppDeps } from '../app-deps.ts'
import type { Actor } from '../shared/actor.ts'
import type { OpenModel } from './models/language-model.ts'
import type { RunTool } from './tools/run-tool.ts'

/** Lists what a run may call. */
export type ListTools = (
  deps: AppDeps,
  run: { id: string; organizationId: string; startedBy: Actor; definition: AgentDefinition },
) => Promise<RunTool[]>

/** What turns of runs are given: models and tools beside what operations have. */
export type TurnDeps = AppDeps & { openModel: OpenModel; listTools: ListTools }
