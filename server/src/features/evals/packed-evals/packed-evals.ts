import { ApiError } from '../../../shared/errors.ts'
import type { PackedEvals } from '../../agents/packs/packed-evals.ts'
import { selectEval } from '../evals/eval-queries.ts'
import { changeEval, makeEval } from '../evals/evals.ts'
import { findRubric, storeRubric } from '../rubrics/rubrics.ts'

// Evals and rubrics for packs, which lie in an area above and get this as an argument.

type Deps = Parameters<typeof makeEval>[0] & Parameters<typeof storeRubric>[0]

/** The evals and rubrics that an install of a pack makes. */
export const createPackedEvals = (deps: Deps): PackedEvals => ({
  findEval: async (organizationId, id) => {
    const found = await selectEval(deps.db, { organizationId, id })
    return found?.archivedAt === null ? found.version : undefined
  },
  makeEval: async (acting, given, note) => {
    await makeEval(deps, acting, given, note)
  },
  changeEval: async (acting, given, note) => {
    try {
      await changeEval(deps, acting, { ...given, version: acting.version }, note)
    } catch (error) {
      // A person was quicker, and their change stays.
      if (!(error instanceof ApiError) || error.code !== 'stale_version') throw error
    }
  },
  findRubric: async (organizationId, name) => (await findRubric(deps.db, organizationId, name))?.version,
  storeRubric: async ({ organizationId, by, name, version }, criteria, note) => {
    await storeRubric(deps, { organizationId, name, by }, { criteria: [...criteria] }, { version, note })
  },
})
