import { artifactPath } from '@noema/contracts/artifacts.ts'
import { authenticateRunActor } from '../../access/authenticate-run.ts'
import { findCaps } from '../../access/limits.ts'
import type { AppDeps } from '../../api/app-deps.ts'
import { refuseAt } from '../../shared/errors.ts'
import type { GivenFile, WrittenFile } from '../code/code-messages.ts'
import { type RunFiles, readWholeFiles, writeFileForRun } from './artifact-calls.ts'
import type { RunIdentity } from './brain-tools.ts'
import type { ToolContext } from './run-tool.ts'

// The files of the organization that code of a run reads, and those that it writes.

/** The most bytes that one call reads. */
const maxReadBytes = 4 * 1024 * 1024

type Called = { deps: AppDeps; run: RunIdentity }

export const toSubject = ({ organizationId, id }: RunIdentity) => ({
  organization: organizationId,
  key: `${organizationId} ${id}`,
})

const openFiles = async ({ deps, run }: Called, { operationId, guard }: ToolContext): Promise<RunFiles> => {
  const requested = { organizationId: run.organizationId, runId: run.id }
  const { actor, organization } = await authenticateRunActor(deps, requested)
  const isStillAllowed = () =>
    authenticateRunActor(deps, requested).then(
      () => true,
      () => false,
    )
  return {
    ...{ organizationId: organization.id, by: actor, caps: findCaps(deps.limits, organization), isStillAllowed },
    ...{ subject: toSubject(run), hold: guard, operationId },
  }
}

/** Reads files as they were when the operation began. */
export const readFilesForCode = async (
  called: Called,
  paths: readonly string[],
  context: ToolContext,
): Promise<GivenFile[]> => {
  if (paths.length === 0) return []
  const files = await openFiles(called, context)
  return readWholeFiles(called.deps, files, {
    ...{ paths: [...new Set(paths)], at: context.begunAt, maxBytes: maxReadBytes },
  })
}

/** Stores the files that code wrote. The operation and the place of a file are its idempotency key. */
export const storeFilesOfCode = async (called: Called, written: readonly WrittenFile[], context: ToolContext) => {
  const bad = written.find(({ path }) => !artifactPath.safeParse(path).success)
  if (bad) throw refuseAt(['code'], `${JSON.stringify(bad.path)} is no path of a file.`)
  const sender = await openFiles(called, context)
  const files = []
  for (const [index, file] of written.entries())
    files.push(await writeFileForRun(called.deps, { ...sender, operationId: `${context.operationId}:${index}` }, file))
  return files
}
