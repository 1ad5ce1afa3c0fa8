import type { BodyInput } from '@noema/contracts/endpoint.ts'
import type { addEvalCases } from '@noema/contracts/evals.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { isStaleVersion } from '../../components/use-versioned-save.ts'
import { type EvalWithCases, evalWithCasesQuery } from '../../data/evals.ts'
import { useSession } from '../../session/session.tsx'

type Cases = NonNullable<BodyInput<typeof addEvalCases>['cases']>

/**
 * Saves cases of an eval on top of its newest version, so that other changes of it stay. `check` is called with each version before the cases are
 * saved on top of it, and throws if they would replace something that the person has not seen.
 */
export const useNewestCases = (opened: EvalWithCases) => {
  const session = useSession()
  const queries = useQueryClient()
  const newest = useRef(opened)
  const { id } = opened.tested
  const send = async (cases: Cases, check: (newest: EvalWithCases) => void): Promise<void> => {
    check(newest.current)
    try {
      await session.client.evals.addCases(id, { cases, version: newest.current.tested.version })
    } catch (error) {
      if (!isStaleVersion(error)) throw error
      newest.current = await queries.fetchQuery(evalWithCasesQuery(session, id))
      await send(cases, check)
    }
  }
  return async (cases: Cases, check: (newest: EvalWithCases) => void): Promise<void> => {
    await send(cases, check)
    await queries.invalidateQueries({ queryKey: [session.organization.id, 'evals'] })
  }
}
