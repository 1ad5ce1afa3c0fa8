import type { AppDeps } from '../api/app-deps.ts'
import type { OpenModel } from './models/language-model.ts'

/** What turns of runs are given: models beside what operations have. */
export type TurnDeps = AppDeps & { openModel: OpenModel }
