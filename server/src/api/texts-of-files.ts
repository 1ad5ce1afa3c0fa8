import type { putDocument } from '@noema/contracts/documents.ts'
import { maxExtractedItems, type planSnapshot } from '@noema/contracts/snapshots.ts'
import { toSubject } from '../access/limits.ts'
import { type ArtifactRequest, extractArtifact, findFile, noSuchFile } from '../features/files/extraction/extraction.ts'
import { selectServedTexts } from '../features/knowledge/documents/document-queries.ts'
import { knownHash, sha256InSteps } from '../features/knowledge/documents/hash.ts'
import { type Path, refuseAt } from '../shared/errors.ts'
import type { AppDeps } from './app-deps.ts'
import type { Call } from './binding.ts'
import { checkId } from './path-arguments.ts'

// The texts of files that calls name instead of sending a text.

type TextCall = Pick<Call<typeof putDocument>, 'principal' | 'isStillAllowed'>

/** A file that a call names, and where. */
type NamedFile = { artifact: string; artifactVersion?: number | undefined; at: Path }

/** The file for this caller: members of the organization read its files, keys of Brains and apps do not. */
const toRequest = ({ principal, isStillAllowed }: TextCall, named: NamedFile): ArtifactRequest => {
  const { artifact, artifactVersion: version, at } = named
  const id = checkId(artifact)
  if (principal.kind === 'brain' || (principal.kind === 'management' && principal.app)) throw noSuchFile(id, at)
  const { id: organizationId } = principal.organization
  return { organizationId, subject: toSubject(principal), id, version, isStillAllowed, at }
}

/** Extracts a text and hashes it before it is written: a commit does not have the time. */
const extractHashed = async (deps: AppDeps, request: ArtifactRequest) => {
  const extracted = await extractArtifact(deps, request)
  return { ...extracted, [knownHash]: await sha256InSteps(extracted.text) }
}

/** The text of a file, for a new version of a document. */
export const readText = (deps: AppDeps, call: TextCall, named: NamedFile) => extractHashed(deps, toRequest(call, named))

/** The items of a snapshot with their texts. A document with the text of the same version of a file has it already. */
export const readSnapshotItems = async (deps: AppDeps, call: Call<typeof planSnapshot>) => {
  const { brainId } = call.principal.brain
  const items = []
  let extracted = 0
  for (const [index, item] of call.body.items.entries()) {
    const { artifact, artifactVersion, text = '', ...content } = item
    if (artifact === undefined) {
      items.push({ ...content, text })
      continue
    }
    const at = ['items', index, 'artifact']
    const request = toRequest(call, { artifact, artifactVersion, at })
    const { id, version } = await findFile(deps.db, request)
    const served = await selectServedTexts(deps.db, brainId, { id: item.id, artifact: { id, version } })
    if (!served && ++extracted > maxExtractedItems)
      throw refuseAt(
        at,
        `One request extracts the texts of at most ${maxExtractedItems} files. Send the others in the next.`,
      )
    items.push({ ...(served ?? (await extractHashed(deps, { ...request, version }))), ...content })
  }
  return items
}
