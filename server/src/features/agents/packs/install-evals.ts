import type { PackEval, PackFile } from '@noema/contracts/pack-files.ts'
import type { InstalledItem } from '@noema/contracts/packs.ts'
import { withFileNames } from './install-items.ts'
import type { Installing } from './packs.ts'

// The rubrics and evals of a pack. They name agents by their names in the pack, which the install has made before.

type Agents = ReadonlyMap<string, string>

const toActing = ({ installer: { organizationId, actor: by, viewer } }: Installing) => ({ organizationId, by, viewer })

const installRubric = async (
  installing: Installing,
  { name, criteria }: PackFile['rubrics'][number],
): Promise<InstalledItem> => {
  const { deps, items, installer } = installing
  const acting = { ...toActing(installing), name }
  const { outcome, id } = await items.installVersion(
    { type: 'rubric', name },
    {
      findVersion: () => deps.packedEvals.findRubric(installer.organizationId, name),
      make: (note) => deps.packedEvals.storeRubric({ ...acting, version: 0 }, criteria, note),
      change: (_id, version, note) => deps.packedEvals.storeRubric({ ...acting, version }, criteria, note),
    },
  )
  return { type: 'rubric', name, outcome, id }
}

const findAgentId = (agents: Agents, name: string): string => {
  const id = agents.get(name)
  if (id === undefined) throw new Error(`The pack has no agent ${name}.`)
  return id
}

/** The eval that a pack describes, on its Brain and with the agents that were made. */
const toEval = ({ brain }: Installing, agents: Agents, { name, target, cases, graders }: PackEval) => ({
  ...{ name, cases },
  target: 'agent' in target ? { agentId: findAgentId(agents, target.agent) } : { brain: brain.handle, ...target },
  graders: graders.map((grader) =>
    grader.type === 'rubric' ? { ...grader, judge: findAgentId(agents, grader.judge) } : grader,
  ),
})

const installEval = async (
  installing: Installing,
  agents: Agents,
  { item: packed, fileName }: { item: PackEval; fileName: string },
): Promise<InstalledItem> => {
  const { deps, items, installer } = installing
  const { name } = packed
  const given = toEval(installing, agents, packed)
  const acting = toActing(installing)
  const { outcome, id } = await items.installVersion(
    { type: 'eval', name: fileName },
    {
      findVersion: (known) => deps.packedEvals.findEval(installer.organizationId, known),
      make: (note) => deps.packedEvals.makeEval(acting, given, note),
      change: (known, version, note) => deps.packedEvals.changeEval({ ...acting, id: known, version }, given, note),
    },
  )
  return { type: 'eval', name, outcome, id }
}

/** Makes the rubrics and evals of a pack, or their next versions. `made`: its agents. */
export const installEvals = async (
  installing: Installing,
  made: readonly InstalledItem[],
): Promise<InstalledItem[]> => {
  const { pack, found } = installing
  const agents = new Map(
    made.flatMap(({ type, name, id }) => (type === 'agent' && id !== undefined ? [[name, id]] : [])),
  )
  const items: InstalledItem[] = []
  // The name of a rubric has no parameters.
  for (const rubric of pack.rubrics) items.push(await installRubric(installing, rubric))
  for (const packed of withFileNames(pack.evals, found.file.evals))
    items.push(await installEval(installing, agents, packed))
  return items
}
