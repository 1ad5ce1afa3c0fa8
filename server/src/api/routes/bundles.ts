import { exportBundle, importBundle } from '@noema/contracts/bundles.ts'
import { findCapabilities } from '../../access/authorize.ts'
import { toSubject } from '../../access/limits.ts'
import { noSuchBrain } from '../../features/kernel/brains/brains.ts'
import { exportBundlePieces } from '../../features/writing/bundles/bundles.ts'
import { storeBundle } from '../../features/writing/bundles/import-bundle.ts'
import { defineBinding } from '../binding.ts'
import { checkKeepable, parseCounted } from '../read-json.ts'
import { settledAnswer, toSubmitter } from '../write-answer.ts'

/** Frontmatter is stored like the JSON of a body, so it is read under the same rules. */
const json = {
  parse: (text: string): unknown => parseCounted(Buffer.from(text), { what: 'it', root: [], maxDepth: 70 }).value,
  check: (value: unknown): void => checkKeepable(value),
}

export const bundleBindings = [
  defineBinding(exportBundle, async (deps, { principal, params, query, isStillAllowed }) => {
    const { brain } = principal
    if (!brain) throw noSuchBrain(params.handle)
    const given = { ...query, subject: toSubject(principal), isStillAllowed }
    return { archive: { name: `${brain.handle}.tar.gz`, pieces: exportBundlePieces(deps, brain, given) } }
  }),
  defineBinding(importBundle, async (deps, { principal, body, idempotencyKey }) => {
    const mayTrust = principal.kind !== 'brain'
    const mayPropose = findCapabilities(principal).includes('admin')
    const given = { body, json, mayTrust, mayPropose, idempotencyKey }
    const { settled, schema } = await storeBundle(deps, toSubmitter(deps, principal), principal.brain, given)
    const data = JSON.stringify({ ...JSON.parse(settled.answer.data), schema })
    return settledAnswer({ ...settled, answer: { ...settled.answer, data } })
  }),
]
