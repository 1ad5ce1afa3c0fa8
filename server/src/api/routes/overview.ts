import { readOverview } from '@noema/contracts/overview.ts'
import { countLiveAgents } from '../../features/agents/agents/agent-queries.ts'
import { countRunsUnderWay } from '../../features/agents/runs/run-queries.ts'
import { sumCounts } from '../../features/kernel/counts/count-queries.ts'
import { defineBinding } from '../binding.ts'

export const overviewBindings = [
  defineBinding(readOverview, async ({ db }, { principal }) => {
    const { viewer, organization } = principal
    const { id } = organization
    const [counts, agents, openRuns] = await Promise.all([
      sumCounts(db, id, viewer),
      countLiveAgents(db, id, viewer),
      countRunsUnderWay(db, id, viewer),
    ])
    return { data: { overview: { ...counts, agents, openRuns } } }
  }),
]
