import type { AppDeps } from '../../app-deps.ts'
import { askHumanTool } from './ask-human.ts'
import { type GrantedBrain, listBrainTools } from './brain-tools.ts'
import type { RunTool } from './run-tool.ts'
import { createToolNames } from './tool-names.ts'

/** What a run was started with, as far as its tools go. */
type RunWithTools = {
  id: string
  organizationId: string
  definition: { brains: readonly GrantedBrain[]; tools: readonly unknown[] }
}

/**
 * Everything that a run may call, in an order that stays the same while its version and what it names do. Made anew for each
 * turn. A Brain that is gone makes its calls fail, not the listing.
 */
export const listRunTools = async (deps: AppDeps, run: RunWithTools): Promise<RunTool[]> => {
  const { brains, tools } = run.definition
  const toName = createToolNames()
  return [
    ...brains.flatMap((brain) => listBrainTools(deps, run, brain, { isOnly: brains.length === 1, toName })),
    ...(tools.includes('ask_human') ? [askHumanTool(toName)] : []),
  ]
}
