import type { AgentDefinition } from '@noema/contracts/agents.ts'
import type { AppDeps } from '../../api/app-deps.ts'
import { listAgentTools } from './agent-tools.ts'
import { listArtifactTools } from './artifact-tools.ts'
import { askHumanTool } from './ask-human.ts'
import { listBrainTools } from './brain-tools.ts'
import { listChangeTools } from './change-tools.ts'
import { codeTool } from './code-tool.ts'
import { listConnectorTools } from './connector-tools.ts'
import { listCorpusTools } from './corpus-tools.ts'
import type { RunTool } from './run-tool.ts'
import { listSkillTools } from './skill-tools.ts'
import { createToolNames } from './tool-names.ts'

/** A run, with what the version that it is pinned to gives it. */
type RunWithTools = {
  id: string
  organizationId: string
  /** True if no person or key started it, so that a trigger may have. */
  isOfSystem?: boolean
  definition: Pick<AgentDefinition, 'brains' | 'corpora' | 'skills' | 'tools'>
}

/**
 * Lists the tools of a run, in an order that stays the same while its version and the things that it names do. If a Brain was
 * deleted, its calls fail and the listing does not; if a connector or an agent is gone, the listing throws ToolGone.
 */
export const listRunTools = async (deps: AppDeps, run: RunWithTools): Promise<RunTool[]> => {
  const { organizationId, definition } = run
  const { brains, corpora = [], skills, tools } = definition
  const isOnly = brains.length + corpora.length === 1
  const toName = createToolNames()
  const agents = tools.flatMap((tool) => (typeof tool === 'object' && 'agent' in tool ? [tool.agent] : []))
  const connectors = tools.flatMap((tool) => (typeof tool === 'object' && 'connector' in tool ? [tool] : []))
  const [mayRead, mayWrite] = [tools.includes('artifact_read'), tools.includes('artifact_write')]
  const abilities = { mayRead, mayWrite, sandbox: deps.sandbox }
  return [
    ...brains.flatMap((brain) => listBrainTools(deps, run, brain, { isOnly, toName })),
    ...corpora.flatMap((corpus) => listCorpusTools(deps, run, corpus, { isOnly, toName })),
    ...(tools.includes('ask_human') ? [askHumanTool(toName)] : []),
    ...(run.isOfSystem ? await listChangeTools(deps, run, toName) : []),
    ...listArtifactTools(deps, run, tools, toName),
    ...(tools.includes('run_code') ? [codeTool(deps, run, abilities, toName)] : []),
    ...(skills === undefined ? [] : await listSkillTools(deps, run, skills, toName)),
    ...(agents.length === 0 ? [] : await listAgentTools(deps, organizationId, agents, toName)),
    ...(connectors.length === 0 ? [] : await listConnectorTools(deps, organizationId, connectors, toName)),
  ]
}
